/** Differences between the account and the effects of our own orders. */
export type Drift = {
  /** Others have placed orders on this account. */
  foreign: boolean
  /** Position by market at the first reading. */
  base: Record<string, string> | null
  /** How positions differ, since when, and how many readings in a row showed it after the venue had time to list the cause. */
  suspect: { text: string; times: number; since?: number } | null
  /** By market: the side of which the venue holds less than our fills add up to, and by how much. */
  lacking: Record<string, { side: 'long' | 'short'; why: string }>
  /** By market: the position at the last reading, less what our fills have closed since. States of 0.3.2 lack it. */
  shown?: Record<string, { long: string; short: string }>
}

/** How bot and venue disagree; null where they agree. */
export function driftText({ suspect, foreign }: Drift): string | null {
  return suspect?.text ?? (foreign ? 'other programs trade on this account' : null)
}

export function newDrift(): Drift {
  return { foreign: false, base: null, suspect: null, lacking: {} }
}
