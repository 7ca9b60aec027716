import { cutTo, Decimal } from '#src/core/money/decimal.ts'
import { wholeLabels } from '#src/strategy/schema/exit-schema.ts'
import { isFlatNow } from '#src/engine/exits/exit-prices.ts'
import { beginCooling } from '#src/engine/exits/cooldown.ts'
import { settleEntries } from '#src/engine/exits/exit-orders.ts'
import { mostLostIn } from '#src/engine/exits/share-to-close.ts'
import { newExits } from '#src/engine/holdings/holdings.ts'
import { slippageOf, type CloseAction } from '#src/strategy/file/rule-goals.ts'
import type { CloseOrder } from '#src/engine/state/exit-state.ts'
import type { LadderState } from '#src/engine/state/state.ts'
import type { LadderContext } from '#src/engine/step-context.ts'

/** Begins an episode: a new anchor, no level filled. */
export function openEpisode(context: LadderContext): void {
  const { state, own } = context
  clear(own)
  own.episode++
  own.openedAt = state.at
  context.notes.push({ type: 'episode-opened', ...aboutEpisode(context) })
}

/** The ladder has no goal until a rule ensures it again. */
function closeEpisode(context: LadderContext): void {
  const { state, own } = context
  clear(own)
  settleEntries(state, own)
  own.goal = 'none'
  own.openedAt = null
  own.heldSince = null
  beginCooling(state, own)
  own.exits = { ...newExits(), carried: own.exits.carried }
  context.notes.push({ type: 'episode-closed', ...aboutEpisode(context) })
}

function aboutEpisode({ state: { at }, compiled, ladder, own: { episode } }: LadderContext) {
  return { at, strategy: compiled.name, ladder: ladder.name, market: ladder.symbol, episode }
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

export function setGoal(context: LadderContext, goal: LadderState['goal'], rule: string): boolean {
  const { state, notes, compiled, ladder, own } = context
  if (own.goal === goal) return false
  // If the ladder is cancelled without a fill, the episode ends: the next one begins at the market price of that time.
  if (goal === 'retire' && own.openedAt !== null && isUntouched(context)) closeEpisode(context)
  own.goal = goal
  notes.push({ type: 'goal-changed', at: state.at, strategy: compiled.name, ladder: ladder.name, goal, rule })
  return true
}

/** The exits close the whole position until it is flat, although the rule may become false before. */
export function closePosition(context: LadderContext, rule: string, action: CloseAction): boolean {
  const { state, compiled, ladder, own } = context
  const { market, symbol } = ladder
  const { position } = own.held
  const { close } = own.exits
  // An action that closes at once replaces one that waits in the book.
  const isFaster = close?.postUntil !== undefined && action.how === 'ioc'
  const isClosing = close !== undefined && close.share === undefined && !isFaster
  if (isClosing || !market || isFlatNow(state, compiled.strategy, { position, symbol, market })) return false
  own.exits.close = closeOrder(context, rule, action)
  return true
}

function closeOrder({ state }: LadderContext, rule: string, action: CloseAction): CloseOrder {
  const { how, post_for: span } = action
  const postUntil = span === undefined ? null : state.at + span
  return { rule, slippage: slippageOf(action).toFixed(), ...(how === 'post' && { postUntil }) }
}

/** The exits close a share of the position, rounded down to the lot. */
export function closeShare(context: LadderContext, rule: string, action: CloseAction): void {
  const { market } = context.ladder
  const { exits, held } = context.own
  if (exits.close || held.position === '0' || !market || !action.share) return
  const amount = cutTo(market.amountDigits, new Decimal(held.position).abs().times(action.share)).toFixed()
  const mostLost = mostLostIn(context.whole, action)
  if (action.daily_loss && !mostLost) return
  exits.close = { ...closeOrder(context, rule, action), share: { of: amount, left: amount } }
  if (mostLost) exits.close.mostLost = mostLost.toFixed()
}

export function isUntouched(context: LadderContext): boolean {
  return context.own.filled.length === 0 && isOver(context)
}

/** An episode with exits ends when everything bought has been sold; an episode with mirrors alone ends only with `on_flat`. */
export function endEpisode(context: LadderContext): boolean {
  const { ladder, own } = context
  // These close the whole position, whatever exits the file has.
  const isClosed = own.exits.leave === wholeLabels.flatten || own.exits.leave === wholeLabels.close
  if ((ladder.ends === 'never' && !isClosed) || own.openedAt === null) return false
  // An amount that a mirror has sold no longer counts as filled, nor does a fill that the ladder has followed.
  const countsFills = ladder.ends === 'flat' || ladder.followsFills
  const hasTraded = countsFills ? own.filledAt !== null : own.filled.length > 0
  if (!hasTraded || !isOver(context)) return false
  closeEpisode(context)
  return true
}

/** The holding is below the minimum of the market, no exit is open, and no entry in flight can add to it. */
function isOver({ state, compiled: { strategy }, ladder: { market, symbol }, own }: LadderContext): boolean {
  const { position } = own.held
  if (!market || !isFlatNow(state, strategy, { position, symbol, market })) return false
  return !Object.values(own.open).some((id) => {
    const order = state.orders[id]
    return order?.role === 'exit' || (order && position !== '0' && order.filled !== '0')
  })
}
