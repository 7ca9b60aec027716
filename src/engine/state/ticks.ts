export const secondMs = 1000

/** Ticks come every second: the first tick that is not before this moment. */
export function tickFrom(at: number): number {
  return Math.ceil(at / secondMs) * secondMs
}

/** The first tick after this moment. */
export function nextTick(at: number): number {
  return at - (at % secondMs) + secondMs
}
