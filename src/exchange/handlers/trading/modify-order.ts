import { invalidTrade } from '#src/venues/whitebit/contract/wire/refusals.ts'
import { invalidTradeField } from '#src/exchange/handlers/refused-field.ts'
import { modify } from '#src/exchange/trading/orders/modify-order.ts'
import { attachedTo } from '#src/exchange/trading/orders/attached-exits.ts'
import type { NewOrder } from '#src/exchange/trading/orders/order-draft.ts'
import type { Market } from '#src/exchange/trading/book/market.ts'
import { notPlaced } from '#src/exchange/trading/orders/order-refusal.ts'
import { bandProblem, exitProblem, limitSize, marketSize } from '#src/exchange/trading/orders/order-size.ts'
import { orderText, waitingText } from '#src/exchange/trading/orders/order-text.ts'
import { flag, selfTradeNumber } from '#src/exchange/trading/book/order-columns.ts'
import { react } from '#src/exchange/trading/positions/price-reactions.ts'
import type { Trigger } from '#src/exchange/trading/records.ts'
import { cancelWaiting } from '#src/exchange/trading/orders/resting-orders.ts'
import { addTrigger } from '#src/exchange/trading/orders/order-intake.ts'
import { findOrder } from '#src/exchange/trading/orders/cancel-orders.ts'
import { RefusedCall, WrittenAnswer, type HandlerCall, type Handler } from '#src/exchange/venue-context.ts'
import { inner, marketOf, namingProblems, notFound, refusedOrder } from './order-changes.ts'
import { activationOf } from './trigger-orders.ts'

type Change = Parameters<Handler<'modifyOrder'>>[0]['parameters']

export const modifyOrder: Handler<'modifyOrder'> = (call) => {
  const { venue, account, parameters } = call
  const market = marketOf(venue, parameters.market)
  if (market instanceof RefusedCall) return market
  const problems = namingProblems(parameters)
  if (problems) return new RefusedCall(invalidTrade(problems))
  const { amount, price, total, activation_price: activation } = parameters
  if ([amount, price, total, activation].every((each) => each === undefined)) {
    return invalidTradeField('amount', 'Name an amount, a total, a price or an activation price.')
  }
  const found = findOrder(venue.trading, account, market, parameters)
  if (found === undefined) return new RefusedCall(notFound(parameters))
  if (total !== undefined) return inner(162, { total: ['Total is not allowed for this order.'] })
  return 'row' in found ? modifyResting(call, market, found.row) : modifyWaiting(call, market, found.trigger)
}

function modifyResting(
  { venue, account, parameters, now }: HandlerCall<Change>,
  market: Market,
  row: number,
): WrittenAnswer | RefusedCall {
  const { orders } = venue.state
  if (parameters.activation_price !== undefined) {
    return inner(158, { activation_price: ['A limit order has no activation price.'] }, 400)
  }
  const flags = orders.flags[row] ?? 0
  const draft = {
    sells: orders.sells[row] === 1,
    flags,
    selfTrade: orders.selfTrade[row] ?? 0,
    lots: orders.left[row] ?? 0,
    ticks: orders.ticks[row] ?? 0,
  }
  const change = changeOf({ venue, account, parameters, now }, market, draft)
  if (change instanceof RefusedCall) return change
  const attached = attachedTo(venue.state, orders.id[row] ?? 0)
  const wrong = attached && exitProblem(attached, draft.sells, change.ticks)
  if (wrong) return refusedOrder(wrong.refusal)
  const changed = modify(venue.trading, row, change, now)
  if (typeof changed === 'string') return refusedOrder(notPlaced(changed, flags))
  const text = orderText(venue, market, changed, true)
  react(venue.trading, now)
  return new WrittenAnswer(text)
}

/** A waiting order reserves nothing, so a change of it needs no balance. */
function modifyWaiting(
  call: HandlerCall<Change>,
  market: Market,
  trigger: Trigger,
): WrittenAnswer | RefusedCall {
  const { venue, account, parameters, now } = call
  const { draft, other, oto } = trigger
  if (oto !== undefined) return inner(160, { error: ['A take profit or a stop loss cannot be modified.'] })
  if (parameters.price !== undefined && (draft.flags & flag.market) !== 0) {
    return inner(159, { price: ['A market order has no price.'] })
  }
  const change = changeOf(call, market, draft)
  if (change instanceof RefusedCall) return change
  const { activation_price: text } = parameters
  const activation = text === undefined ? trigger.activation : activationOf(venue, market, text)
  if (activation instanceof RefusedCall) return activation
  cancelWaiting(venue.trading, trigger, now)
  const waits = { draft: { ...draft, ...change }, activation, rises: trigger.rises, other }
  const changed = addTrigger(venue.trading, market, account, waits, now)
  const written = waitingText(venue, market, changed, true)
  venue.state.stirred = true
  react(venue.trading, now)
  return new WrittenAnswer(written)
}

type Changing = Pick<NewOrder, 'sells' | 'flags' | 'selfTrade' | 'lots' | 'ticks'>

/** The modified order, validated like a new one. */
function changeOf(
  { venue, account, parameters }: HandlerCall<Change>,
  market: Market,
  { sells, flags, selfTrade: before, lots, ticks }: Changing,
): Pick<NewOrder, 'lots' | 'ticks' | 'selfTrade'> | RefusedCall {
  const { amount = market.amountText(lots), price = market.priceText(ticks), stp } = parameters
  const selfTrade = stp === undefined ? before : selfTradeNumber(stp)
  const isMarket = (flags & flag.market) !== 0
  const size = isMarket
    ? marketSize(venue, account, market, { sells, amount, flags, selfTrade })
    : limitSize(market, { side: sells ? 'sell' : 'buy', amount, price })
  if ('refusal' in size) return refusedOrder(size.refusal)
  const tooFar = isMarket ? undefined : bandProblem(venue, market, size.ticks)
  if (tooFar !== undefined) return inner(250, { price: [tooFar] })
  return { lots: size.lots, ticks: isMarket ? ticks : size.ticks, selfTrade }
}
