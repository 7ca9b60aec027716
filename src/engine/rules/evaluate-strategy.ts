import type { Compiled } from './compiled-strategy.ts'
import { endEpisode } from '#src/engine/ladder/episodes.ts'
import { noExits } from '#src/engine/exits/exit-orders.ts'
import { exitsOf } from '#src/engine/exits/exits.ts'
import { reportFlat } from '#src/engine/exits/flat-report.ts'
import { exitsFrozen, isFrozen, stopReason } from './halts.ts'
import { recomputeLadder } from '#src/engine/ladder/recompute-ladder.ts'
import { placeEntries, placeExits, type OrderPlan } from '#src/engine/orders/order-plan.ts'
import { evaluateRules } from './rules.ts'
import { refreshContext } from './expression-context.ts'
import { rungStatuses } from '#src/engine/ladder/rung-status.ts'
import type { StrategyState } from '#src/engine/state/state.ts'
import { reached, recordInto, type Validity } from '#src/engine/state/validity.ts'
import { laddersOf, type StepContext } from '#src/engine/step-context.ts'
import { cancelOrders } from '#src/engine/orders/cancelling.ts'
import { updateProfitAndLoss } from '#src/engine/holdings/profit-and-loss.ts'

/**
 * Evaluates one strategy: rules, ladders, and then, if anything has changed or a full evaluation is due, exits and orders. A
 * price that changes no goal and moves no ladder costs only the rules. Returns which entries could be placed, if it got that far,
 * and whether it has changed goals, ladders or orders.
 */
export function evaluateStrategy(
  context: StepContext,
  compiled: Compiled,
  own: StrategyState,
  isFull: boolean,
  validity?: EvaluationValidity,
): { plan: OrderPlan | undefined; hasChanged: boolean } {
  const sentBefore = context.commands.length
  recordInto(validity?.rules)
  refreshContext(context.state, compiled, own)
  let changed = false
  const ladders = laddersOf(context, compiled, own)
  for (const ladder of ladders) changed = endEpisode(ladder) || changed
  // Rules and ladders must not see a candle beside an older one of another feed. Exits and orders go on.
  const { awaitsCandleUntil = 0 } = own
  if (reached(context.state, awaitsCandleUntil)) {
    changed = evaluateRules(context, compiled, own, ladders) || changed
    for (const ladder of ladders) changed = recomputeLadder(ladder) || changed
  }
  const acts = isFull || changed
  if (acts) recordInto(validity?.orders)
  // A `let` that the rules have read is not computed again.
  if (acts && validity) validity.orders.readsEquity = validity.rules.readsEquity
  const plan = acts ? act(context, compiled, own) : undefined
  recordInto(undefined)
  return { plan, hasChanged: changed || context.commands.length > sentBefore }
}

/** For how long the two parts of an evaluation hold: rules and ladders, exits and orders. */
export type EvaluationValidity = Record<'rules' | 'orders', Validity>

function act(context: StepContext, compiled: Compiled, own: StrategyState): OrderPlan | undefined {
  const { state, notes, isTick } = context
  notes.push(...updateProfitAndLoss(state, compiled.strategy))
  // From here on commands are possible.
  if (isFrozen(state)) return undefined
  const exits = exitsFrozen(state, own) ? noExits(isTick) : exitsOf(state, compiled, isTick)
  notes.push(...exits.notes)
  notes.push(...reportFlat(state, compiled, own))
  const standingIn = rungStatuses(state, compiled, own)
  cancelOrders(context, compiled, own, exits.withdraw, standingIn)
  placeExits(context, compiled, own, exits.drafts)
  if (stopReason(state, compiled.name, 'entry')) return undefined
  return placeEntries(context, compiled, own, standingIn)
}
