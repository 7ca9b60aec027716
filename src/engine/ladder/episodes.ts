import { wholeLabels } from '#src/strategy/schema/exit-schema.ts'
import { isFlat } from '#src/engine/exits/exit-prices.ts'
import { beginCooling } from '#src/engine/exits/cooldown.ts'
import { settleEntries } from '#src/engine/exits/exit-orders.ts'
import { newExits } from '#src/engine/holdings/holdings.ts'
import { priceOf } from '#src/engine/state/prices.ts'
import type { Compiled, CompiledLadder } from '#src/engine/rules/compiled-strategy.ts'
import type { LadderState } from '#src/engine/state/state.ts'
import type { StepContext } from '#src/engine/step-context.ts'

/** Begins an episode: a new anchor, no level filled. */
export function openEpisode(
  context: StepContext,
  strategy: string,
  ladder: CompiledLadder,
  own: LadderState,
): void {
  const { at } = context.state
  clear(own)
  own.episode++
  own.openedAt = at
  const { name, symbol } = ladder
  const { episode } = own
  context.notes.push({ type: 'episode-opened', at, strategy, ladder: name, market: symbol, episode })
}

/** The ladder has no goal until a rule ensures it again. */
function closeEpisode(
  { state, notes }: StepContext,
  strategy: string,
  ladder: CompiledLadder,
  own: LadderState,
): void {
  clear(own)
  settleEntries(state, own)
  own.goal = 'none'
  own.openedAt = null
  own.heldSince = null
  beginCooling(state, own)
  own.exits = { ...newExits(), carried: own.exits.carried }
  const { name, symbol } = ladder
  const { episode } = own
  notes.push({ type: 'episode-closed', at: state.at, strategy, ladder: name, market: symbol, episode })
}

function clear(own: LadderState): void {
  own.anchor = null
  own.unit = null
  own.laidAt = null
  own.rungs = []
  own.filled = []
  own.filledAt = null
  own.frozen = null
  own.missing = null
}

export function setGoal(
  context: StepContext,
  compiled: Compiled,
  ladder: CompiledLadder,
  own: LadderState,
  goal: LadderState['goal'],
  rule: string,
): boolean {
  if (own.goal === goal) return false
  // If the ladder is cancelled without a fill, the episode ends: the next one begins at the market price of that time.
  if (goal === 'retire' && own.openedAt !== null && isUntouched(context, compiled, ladder, own))
    closeEpisode(context, compiled.name, ladder, own)
  own.goal = goal
  const { name: strategy } = compiled
  context.notes.push({
    type: 'goal-changed',
    at: context.state.at,
    strategy,
    ladder: ladder.name,
    goal,
    rule,
  })
  return true
}

export function isUntouched(
  context: StepContext,
  compiled: Compiled,
  ladder: CompiledLadder,
  own: LadderState,
): boolean {
  return own.filled.length === 0 && isOver(context, compiled, ladder, own)
}

/** An episode with exits ends when everything bought has been sold; an episode with mirrors alone ends only with `on_flat`. */
export function endEpisode(
  context: StepContext,
  compiled: Compiled,
  ladder: CompiledLadder,
  own: LadderState,
): boolean {
  // A flatten closes the whole position, whatever exits the file has.
  const isFlattened = own.exits.leave === wholeLabels.flatten
  if ((ladder.ends === 'never' && !isFlattened) || own.openedAt === null) return false
  // An amount that a mirror has sold no longer counts as filled.
  const hasTraded = ladder.ends === 'flat' ? own.filledAt !== null : own.filled.length > 0
  if (!hasTraded || !isOver(context, compiled, ladder, own)) return false
  closeEpisode(context, compiled.name, ladder, own)
  return true
}

/** The holding is below the minimum of the market, no exit is open, and no entry in flight can add to it. */
function isOver(
  { state }: StepContext,
  { strategy }: Compiled,
  { market, symbol }: CompiledLadder,
  own: LadderState,
): boolean {
  const price = priceOf(state, strategy, symbol)?.price
  if (!market || !isFlat(own.held.position, { symbol, market }, price)) return false
  return !Object.values(own.open).some((id) => {
    const order = state.orders[id]
    return order?.role === 'exit' || (order && own.held.position !== '0' && order.filled !== '0')
  })
}
