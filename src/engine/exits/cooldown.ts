import { isLossCut } from '#src/strategy/schema/exit-schema.ts'
import type { LadderFile } from '#src/strategy/schema/ladder-schema.ts'
import { exitName } from './exit-labels.ts'
import type { LadderState, State } from '#src/engine/state/state.ts'
import { reached } from '#src/engine/state/validity.ts'

/** Until when no entries of a ladder are placed after a stop, a trailing exit or age has left all of it. */
function coolsUntil({ file: { exit } }: { file: LadderFile }, { left }: LadderState): number | undefined {
  return exit?.cooldown === undefined || !left ? undefined : left.at + exit.cooldown
}

/** Why it places no entries now; undefined where it may. */
export function cooling(state: State, ladder: { file: LadderFile }, own: LadderState): string | undefined {
  const until = coolsUntil(ladder, own)
  if (until === undefined || reached(state, until) || !own.left) return undefined
  return `cooldown after its ${exitName(own.left.by)} for another ${Math.ceil((until - state.at) / 1000)} s`
}

/** All of a ladder has left, or is about to be forgotten: only what cut a loss or secured a gain begins a cooldown. */
export function beginCooling({ at }: Pick<State, 'at'>, own: LadderState): void {
  const { leave } = own.exits
  if (leave !== null && isLossCut(exitName(leave))) own.left = { at, by: leave }
}
