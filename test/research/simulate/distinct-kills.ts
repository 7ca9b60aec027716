import type { Operation } from '#src/research/simulate/faults.ts'

type Kill = 'killed before' | 'killed after'

/** Operations that change only the memory of the process. */
const isInside = (site: string) => /^(append|sleep|message|answer .*):\d+$/.test(site)

/**
 * What a kill at the nth operation leaves: the time, and how many requests and writes to the disk the process has made. The
 * next process cannot distinguish two kills that leave the same.
 */
export function leftByKills(operations: readonly Operation[]): (n: number, kill: Kill) => string {
  const effects = [0]
  const lastOf = new Map<number, number>()
  for (const [n, { site, turn }] of operations.entries()) {
    effects.push((effects[n] ?? 0) + (isInside(site) ? 0 : 1))
    lastOf.set(turn, n)
  }
  return (n, kill) => {
    const { at, turn } = operations[n] ?? { at: NaN, turn: NaN }
    // `killed after` kills at the end of the turn: its other operations happen, too.
    return `${at} ms, ${effects[kill === 'killed before' ? n : (lastOf.get(turn) ?? n) + 1]}`
  }
}

/** Of kills that leave the same, only the first: it has the fewest steps that are not on disk. */
export function distinctKills<One>(kills: readonly One[], leftBy: (kill: One) => string): One[] {
  return [...Map.groupBy(kills, leftBy).values()].flatMap(([first]) => first ?? [])
}
