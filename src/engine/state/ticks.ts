export const secondMs = 1000
export const dayMs = 86_400_000

/** Days since 1970, in UTC. */
export function dayOf(at: number): number {
  return Math.floor(at / dayMs)
}

/** Ticks come every second: the first tick that is not before this moment. */
export function tickFrom(at: number): number {
  return Math.ceil(at / secondMs) * secondMs
}

/** The first tick after this moment. */
export function nextTick(at: number): number {
  return at - (at % secondMs) + secondMs
}
