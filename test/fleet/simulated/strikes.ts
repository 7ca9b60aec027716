import type { SeededRandom } from '#src/research/simulate/seeded-random.ts'

/** What happens to a process that trades, so that another one takes over. */
const failures = [
  'killed',
  'frozen',
  'suspended',
  'paused',
  'cut from the server',
  'cut from the venue, then killed',
  'cut from the venue, then frozen',
  'cut from both',
  'server restarts',
  'handed over',
] as const
const onStandby = ['killed', 'frozen', 'cut from the server', 'clock stepped'] as const
export type StrikeKind = (typeof failures)[number] | (typeof onStandby)[number] | 'stopped'

/** How a strike happens, as a seed decides. */
export type StrikeChance = {
  /** How long it lasts. */
  ms: number
  /** Connections are not refused: nothing comes through. */
  isSilent: boolean
  /** The new error of the clock. */
  skewMs: number
  /** The operations before the second part of a strike. */
  operations: number
}

export type Strike = {
  kind: StrikeKind
  /** Operations count only once a process of the machine has taken the lease. */
  afterTake: boolean
  /** The strike comes at this operation of the process. */
  afterOperations: number
  chance: StrikeChance
}

/** A strike on the process that trades, and often one on the other machine soon after. */
export type StrikePair = { holder: Strike; standby: Strike | undefined }

/** The draws of strikes on the standby. */
const fromStandby = 10

/** Two failures, then an end by a signal: after three failures, no process may trade for ten minutes. */
export function strikesOf(dice: SeededRandom): StrikePair[] {
  const strike = (kind: StrikeKind, n: number): Strike => {
    const afterTake = n >= fromStandby && dice.unit('after take', n) < 0.7
    return {
      kind,
      afterTake,
      // A take-over has some ten operations.
      afterOperations: dice.whole(1, afterTake ? 12 : 40, 'operation', n),
      chance: {
        ms: Math.round(400 * 2 ** (5 * dice.unit('lasts', n))),
        isSilent: dice.unit('silent', n) < 0.5,
        skewMs: dice.pick([0, 3_500_000, -3_500_000, 2000, -2000], 'skew', n),
        operations: dice.whole(1, 60, 'second part', n),
      },
    }
  }
  return [0, 1, 2].map((n) => ({
    holder: strike(n === 2 ? 'stopped' : dice.pick(failures, 'strike', n), n),
    standby:
      dice.unit('also on the standby', n) < 0.3
        ? strike(dice.pick(onStandby, 'standby', n), n + fromStandby)
        : undefined,
  }))
}
