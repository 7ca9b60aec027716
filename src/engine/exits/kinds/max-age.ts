import type { ExitLadder } from '#src/engine/exits/exit-orders.ts'
import type { LadderState } from '#src/engine/state/state.ts'
import { tickFrom } from '#src/engine/state/ticks.ts'
import { reached } from '#src/engine/state/validity.ts'
import type { ExitKind } from './exit-kind.ts'

export const maxAge: ExitKind = {
  text: 'max_age exit',
  lasts: true,
  marks: () => ({ price: null }),
  isDue: ({ state, ladder, own }) => reached(state, maxAgeReachedAt(ladder, own) ?? Infinity),
  dueAt: maxAgeReachedAt,
  reason: () => 'it exits when max_age is over',
}

/** The first tick at which a position is too old, from its first fill; a state of 0.3.2 has only the time of the episode. */
function maxAgeReachedAt({ file }: Pick<ExitLadder, 'file'>, own: LadderState): number | undefined {
  const age = file.exit?.max_age
  if (age === undefined || own.held.position === '0') return undefined
  const since = own.heldSince ?? own.openedAt
  return since === null ? undefined : tickFrom(since + age)
}
