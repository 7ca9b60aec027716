import type { Compiled } from './compiled-strategy.ts'
import { endEpisode } from '#src/engine/ladder/episodes.ts'
import { noExits } from '#src/engine/exits/exit-orders.ts'
import { exitsOf } from '#src/engine/exits/exits.ts'
import { tellFlat } from '#src/engine/exits/flat-report.ts'
import { exitsFrozen, isFrozen, standstill } from './halts.ts'
import { layLadder } from '#src/engine/ladder/recompute-ladder.ts'
import { placeEntries, placeExits, type Plan } from '#src/engine/orders/order-plan.ts'
import { judgeRules } from './rules.ts'
import { look } from './expression-context.ts'
import { standings } from '#src/engine/ladder/rung-status.ts'
import { isSettled } from '#src/engine/jump/quiescence.ts'
import type { StrategyState } from '#src/engine/state/state.ts'
import type { Turn } from '#src/engine/step-context.ts'
import { withdraw } from '#src/engine/orders/cancelling.ts'
import { judgeWorth } from '#src/engine/holdings/profit-and-loss.ts'

/**
 * One strategy looks at the world: rules, ladders, and then, if anything has changed or it is time to look at all of
 * it, exits and orders. A price that changes no goal and moves no ladder costs no more than asking the rules. Gives which
 * entries could leave, where it came to them.
 */
export function think(turn: Turn, compiled: Compiled, own: StrategyState, isFull: boolean): Plan | undefined {
  look(turn.state, compiled, own)
  let changed = isFull
  for (const ladder of compiled.ladders) {
    const mine = own.ladders[ladder.name]
    if (mine) changed = endEpisode(turn, compiled, ladder, mine) || changed
  }
  changed = judgeRules(turn, compiled, own) || changed
  for (const ladder of compiled.ladders) {
    const mine = own.ladders[ladder.name]
    if (mine) changed = layLadder(turn, compiled, ladder, mine) || changed
  }
  return changed ? act(turn, compiled, own) : undefined
}

function act(turn: Turn, compiled: Compiled, own: StrategyState): Plan | undefined {
  const { state, notes } = turn
  notes.push(...judgeWorth(state, compiled.strategy))
  own.settled = false
  // From here on something could leave.
  if (isFrozen(state)) return undefined
  const exits = exitsFrozen(state, own) ? noExits() : exitsOf(state, compiled)
  notes.push(...exits.notes)
  notes.push(...tellFlat(state, compiled, own))
  const standingIn = standings(state, compiled, own)
  const isHeldUp = withdraw(turn, compiled, own, exits.withdraw, standingIn) || exits.isHeldUp
  const exitsWait = placeExits(turn, compiled, own, exits.drafts)
  if (standstill(state, compiled.name, 'entry')) return undefined
  const plan = placeEntries(turn, compiled, own, standingIn)
  own.settled = !isHeldUp && !exitsWait && isSettled(state, compiled, own, standingIn)
  return plan
}
