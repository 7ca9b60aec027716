/** Who calls in the benchmark load.ts: the keys of each account. */
const lanes = Array.from({ length: 40 }, (_, lane) => `lane-${lane}`)
/** Few, so that their lists of finished orders are full, and grow no more, after half a minute. */
const traders = 4

export const keysOf: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(
    Array.from({ length: traders }, (_, trader) => [
      `trader-${trader}`,
      [`auditor-${trader}`, ...lanes.filter((_, lane) => lane % traders === trader)],
    ]),
  ),
  quiet: ['quiet'],
  noisy: ['noisy'],
}
export const laneKeys: readonly string[] = lanes
export const auditorKeys = Array.from({ length: traders }, (_, trader) => `auditor-${trader}`)

/** In atoms, at the beginning. */
export const collateral = 10n ** 30n
