import type { ExitLadder } from '#src/engine/exits/exit-orders.ts'
import type { LadderState } from '#src/engine/state/state.ts'
import { tickFrom } from '#src/engine/state/ticks.ts'
import type { ExitKind } from './exit-kind.ts'

export const maxAge: ExitKind = {
  text: 'max_age exit',
  cools: true,
  isIn: ({ file }) => file.exit?.max_age !== undefined,
  marks: () => ({ price: null }),
  isDue: ({ state, ladder, own }) => (maxAgeReachedAt(ladder, own) ?? Infinity) <= state.at,
  reason: () => 'it exits when max_age is over',
}

/** The tick at which a position is too old, by its first fill; a state of 0.3.2 knows the episode alone. */
export function maxAgeReachedAt({ file }: Pick<ExitLadder, 'file'>, own: LadderState): number | undefined {
  const age = file.exit?.max_age
  if (age === undefined || own.held.position === '0') return undefined
  const since = own.heldSince ?? own.openedAt
  return since === null ? undefined : tickFrom(since + age)
}
