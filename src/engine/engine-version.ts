/**
 * The version of the engine's decisions. Raise it with each release in which the same events can give other commands. After an
 * unclean end the same version repeats the records, and any other version recalls them. Up to 0.3.2 it was the version of the
 * package.
 */
export const engineVersion = '1'

/** Up to 0.3.2, rules were evaluated with each of the candles that close at the same time. */
export function decidesOnEachCandle(version: string | null): boolean {
  return version?.includes('.') === true
}
