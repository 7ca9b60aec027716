import { isLossCut } from '#src/strategy/schema/exit-schema.ts'
import type { LadderFile } from '#src/strategy/schema/ladder-schema.ts'
import { exitName } from '#src/strategy/schema/exit-labels.ts'
import type { LadderState, State } from '#src/engine/state/state.ts'
import { timeText } from '#src/engine/rules/pauses.ts'
import { reached } from '#src/engine/state/validity.ts'

/** Until when a ladder places no entries after a stop, a trailing exit or age has closed its whole position. */
function coolsUntil({ file: { exit } }: { file: LadderFile }, { left }: LadderState): number | undefined {
  return exit?.cooldown === undefined || !left ? undefined : left.at + exit.cooldown
}

/** Why the ladder places no entries now; undefined if it may. The text is kept, so it does not depend on the time. */
export function cooling(state: State, ladder: { file: LadderFile }, own: LadderState): string | undefined {
  const until = coolsUntil(ladder, own)
  if (until === undefined || reached(state, until) || !own.left) return undefined
  return `cooldown after its ${exitName(own.left.by)} until ${timeText(until)}`
}

/** The whole position has been closed: only an exit that cut a loss or secured a gain begins a cooldown. */
export function beginCooling({ at }: Pick<State, 'at'>, own: LadderState): void {
  const { leave } = own.exits
  if (leave !== null && isLossCut(exitName(leave))) own.left = { at, by: leave }
}
