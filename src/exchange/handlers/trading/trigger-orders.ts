import { invalidTrade } from '#src/venues/whitebit/contract/wire/refusals.ts'
import { contract } from '#src/venues/whitebit/contract/endpoint-table.ts'
import { caps } from '#src/exchange/caps.ts'
import { pageOf } from '#src/exchange/handlers/paging.ts'
import { crosses } from '#src/exchange/trading/book/book.ts'
import { findResting, type Named } from '#src/exchange/trading/orders/find-orders.ts'
import { bookOf } from '#src/exchange/trading/trading-context.ts'
import type { Market } from '#src/exchange/trading/book/market.ts'
import { forms, readOrder, type OrderForm } from '#src/exchange/trading/orders/order-form.ts'
import { notPlaced } from '#src/exchange/trading/orders/order-refusal.ts'
import { bandProblem, limitSize, priceProblem } from '#src/exchange/trading/orders/order-size.ts'
import { bareOrderText, exitTexts, orderText, waitingText } from '#src/exchange/trading/orders/order-text.ts'
import { flag } from '#src/exchange/trading/book/order-columns.ts'
import { place } from '#src/exchange/trading/orders/order-matching.ts'
import { react } from '#src/exchange/trading/positions/price-reactions.ts'
import type { Trigger } from '#src/exchange/trading/records.ts'
import type { Trader } from '#src/exchange/trading/trader.ts'
import { addTrigger } from '#src/exchange/trading/orders/order-intake.ts'
import { cancelFound, removeExits, findOrder, waitingOf } from '#src/exchange/trading/orders/cancel-orders.ts'
import {
  RefusedCall,
  WrittenAnswer,
  type HandlerCall,
  type Handler,
  type VenueContext,
} from '#src/exchange/venue-context.ts'
import { inner, marketOf, namingProblems, notFound, refusedOrder } from './order-changes.ts'

type Raw = Record<string, unknown>

export const collateralStopLimit: Handler<'collateralStopLimit'> = (call) =>
  placeWaiting(call, forms.stopLimit)

export const collateralTriggerMarket: Handler<'collateralTriggerMarket'> = (call) =>
  placeWaiting(call, forms.triggerMarket)

export const spotStopLimit: Handler<'spotStopLimit'> = (call) => placeWaiting(call, forms.spotStopLimit)

export const spotStopMarket: Handler<'spotStopMarket'> = (call) => placeWaiting(call, forms.spotStopMarket)

function placeWaiting(
  { venue, account, parameters, now }: HandlerCall<Raw>,
  form: OrderForm,
): WrittenAnswer | RefusedCall {
  const read = readOrder(venue, account, parameters, form)
  if ('refusal' in read) return refusedOrder(read.refusal)
  const { market, draft } = read
  const activation = activationOf(venue, market, String(parameters['activation_price']))
  if (activation instanceof RefusedCall) return activation
  if (isFull(venue, account)) return tooMany
  // The limit of a market order is computed when the order activates.
  const ticks = (draft.flags & flag.market) === 0 ? draft.ticks : 0
  const waits = { draft: { ...draft, ticks }, activation, rises: !draft.sells, other: 0 }
  const trigger = addTrigger(venue.trading, market, account, waits, now)
  const text = waitingText(venue, market, trigger)
  venue.state.stirred = true
  react(venue.trading, now)
  return new WrittenAnswer(text)
}

/** The activation price in ticks, or the refusal. */
export function activationOf(venue: VenueContext, market: Market, text: string): number | RefusedCall {
  const ticks = market.ticks(text)
  if (!ticks) return inner(33, { activation_price: [priceProblem(market, text)] })
  if (ticks !== venue.state.markets[market.number]?.last) return ticks
  return inner(101, { activation_price: ['Activation price should not be equal to the last price.'] }, 400)
}

/** Orders with exits count, because exits will wait. */
export function isFull({ trading, state }: VenueContext, account: Trader): boolean {
  const attached = state.attached?.filter((each) => each.account === account.number) ?? []
  return waitingOf(trading, account, {}).length + attached.length >= caps.waitingOrders
}

export const tooManyText = 'Max. limit of margin stop limit orders have been reached.'
const tooMany = inner(103, { error: [tooManyText] })

export const collateralOco: Handler<'collateralOco'> = ({ venue, account, parameters, now }) => {
  const read = readOrder(venue, account, parameters, forms.oco)
  if ('refusal' in read) return refusedOrder(read.refusal)
  const { market, draft } = read
  const activation = activationOf(venue, market, String(parameters['activation_price']))
  if (activation instanceof RefusedCall) return activation
  const stop = limitSize(market, {
    side: draft.sells ? 'sell' : 'buy',
    amount: String(parameters['amount']),
    price: String(parameters['stop_limit_price']),
  })
  if ('refusal' in stop) {
    const { price, ...errors } = stop.refusal.errors
    return inner(stop.refusal.finerCode, price === undefined ? errors : { stop_limit_price: price })
  }
  const tooFar = bandProblem(venue, market, stop.ticks)
  if (tooFar !== undefined) return inner(251, { stop_limit_price: [tooFar] })
  const wrong = wrongSide(venue, market, draft.sells, draft.ticks, activation)
  if (wrong) return wrong
  if (isFull(venue, account)) return tooMany
  const row = place(venue.trading, market, account, draft, now)
  if (typeof row === 'string') return refusedOrder(notPlaced(row, draft.flags))
  const { orders } = venue.state
  const replacing = {
    ...draft,
    clientId: '',
    ticks: stop.ticks,
    lots: orders.lots[row] ?? 0,
    flags: (draft.flags & ~flag.linked) | flag.stop,
  }
  const waits = { draft: replacing, activation, rises: !draft.sells, other: orders.id[row] ?? 0 }
  const trigger = addTrigger(venue.trading, market, account, waits, now)
  return new WrittenAnswer(pairText(venue, market, row, trigger))
}

/** The take profit and the stop loss must be on opposite sides of the last price. */
function wrongSide(
  { trading, state }: VenueContext,
  market: Market,
  sells: boolean,
  ticks: number,
  activation: number,
): RefusedCall | undefined {
  const last = state.markets[market.number]?.last ?? 0
  const between = last === 0 ? activation : last
  if ((sells ? ticks <= between : ticks >= between) || crosses(bookOf(trading, market), sells, ticks)) {
    return inner(105, { price: ['The take profit is on the wrong side of the price.'] })
  }
  if (last !== 0 && (sells ? activation > last : activation < last)) {
    return inner(106, { activation_price: ['The stop loss is on the wrong side of the price.'] })
  }
  return undefined
}

type Naming = { listed?: boolean; status?: 'CANCELED'; more?: string; camel?: boolean }

/** Both orders of a pair; the pair has the id of its limit order. */
function pairText(
  venue: VenueContext,
  market: Market,
  row: number,
  trigger: Trigger,
  naming: Naming = {},
): string {
  const { listed = false, status, more = '', camel = false } = naming
  const [stop, profit] = camel ? ['stopLoss', 'takeProfit'] : ['stop_loss', 'take_profit']
  const reduceOnly = (trigger.draft.flags & flag.reduceOnly) !== 0
  return (
    `{"id":${trigger.other},${more}"reduceOnly":${reduceOnly},` +
    `"${stop}":${waitingText(venue, market, trigger, listed, status)},` +
    `"${profit}":${orderText(venue, market, row, listed)}}`
  )
}

export const conditionalOrders: Handler<'conditionalOrders'> = ({ venue, account, parameters }) => {
  const { limit, offset } = pageOf(contract.conditionalOrders, parameters)
  const camel = venue.spelling === 'camel'
  const pairs = pairsOf(venue, account, parameters.market, { listed: true, more: '"type":"oco",', camel })
  if (pairs instanceof RefusedCall) return pairs
  const texts = [...pairs, ...otosOf(venue, account, parameters.market)]
    .sort((a, b) => b.id - a.id)
    .map(({ text }) => text)
  const page = texts.slice(offset, offset + limit).join(',')
  return new WrittenAnswer(
    `{"limit":${limit},"offset":${offset},"total":${texts.length},"records":[${page}]}`,
  )
}

export const ocoOrders: Handler<'ocoOrders'> = ({ venue, account, parameters }) => {
  const { limit, offset } = pageOf(contract.ocoOrders, parameters)
  const pairs = pairsOf(venue, account, parameters.market, { listed: true })
  if (pairs instanceof RefusedCall) return pairs
  const page = pairs.slice(offset, offset + limit).map(({ text }) => text)
  return new WrittenAnswer(`[${page.join(',')}]`)
}

/** `id` is the newest of its orders. */
type Listed = { id: number; text: string }

/** The pairs of an account, newest first. */
function pairsOf(
  venue: VenueContext,
  account: Trader,
  name: string | undefined,
  naming: Naming,
): Listed[] | RefusedCall {
  const only = name === undefined ? undefined : marketOf(venue, name)
  if (only instanceof RefusedCall) return only
  return waitingOf(venue.trading, account, { market: only?.number })
    .filter(({ other }) => other !== 0)
    .reverse()
    .flatMap((trigger) => {
      const market = venue.trading.markets[trigger.market]
      const row = market && findResting(venue.trading, account, market, { order_id: trigger.other })
      if (market === undefined || row === undefined) return []
      return [{ id: trigger.id, text: pairText(venue, market, row, trigger, naming) }]
    })
}

/** The open orders with exits. */
function otosOf(venue: VenueContext, account: Trader, name: string | undefined): Listed[] {
  return (venue.state.attached ?? []).flatMap((attached) => {
    const market = venue.trading.markets[attached.market]
    if (attached.account !== account.number || market === undefined) return []
    const row = findResting(venue.trading, account, market, { order_id: attached.order })
    if (row === undefined || (name ?? market.name) !== market.name) return []
    const { stopLoss: stopLossPrice, takeProfit: takeProfitPrice } = exitTexts(market, attached)
    const prices = JSON.stringify({ id: attached.id, type: 'oto', stopLossPrice, takeProfitPrice })
    const text = `${prices.slice(0, -1)},"conditionalOrder":${bareOrderText(venue, market, row)}}`
    return [{ id: attached.order, text }]
  })
}

export const cancelOto: Handler<'cancelOto'> = (call) =>
  endOto(call, call.parameters.otoId) ?? inner(2, { otoId: ['Unexecuted order was not found.'] }, 400)

/** Cancels the order, as far as it is open, and its exits; undefined if the account has no such OTO. */
function endOto(
  { venue, account, parameters, now }: HandlerCall<{ market: string }>,
  id: number,
): never[] | RefusedCall | undefined {
  const market = marketOf(venue, parameters.market)
  if (market instanceof RefusedCall) return market
  const { trading, state } = venue
  const attached = state.attached?.find(
    (each) => each.id === id && each.account === account.number && each.market === market.number,
  )
  if (attached === undefined) return undefined
  const row = findResting(trading, account, market, { order_id: attached.order })
  if (row !== undefined) cancelFound(trading, account, market, { row }, now)
  removeExits(trading, id, now)
  return []
}

export const cancelConditional: Handler<'cancelConditional'> = (call) => {
  const { id, market } = call.parameters
  const ofOto = endOto(call, id)
  if (ofOto !== undefined) return ofOto
  const ended = cancelPair({ ...call, parameters: { market, order_id: id } })
  if (typeof ended === 'string') return []
  return ended ?? inner(2, { id: ['Unexecuted order was not found.'] }, 400)
}

export const cancelOco: Handler<'cancelOco'> = (call) => {
  const problems = namingProblems(call.parameters)
  if (problems) return new RefusedCall(invalidTrade(problems))
  const ended = cancelPair(call)
  if (typeof ended === 'string') return new WrittenAnswer(ended)
  return ended ?? new RefusedCall(notFound(call.parameters))
}

/** Both orders of the pair after the cancellation; undefined if the named order is not part of a pair. */
function cancelPair({
  venue,
  account,
  parameters,
  now,
}: HandlerCall<Named & { market: string }>): string | RefusedCall | undefined {
  const market = marketOf(venue, parameters.market)
  if (market instanceof RefusedCall) return market
  const { trading, state } = venue
  const found = findOrder(trading, account, market, parameters)
  if (found === undefined) return undefined
  const trigger =
    'trigger' in found
      ? found.trigger
      : state.triggers.find(({ other }) => other === state.orders.id[found.row])
  const row = trigger && findResting(trading, account, market, { order_id: trigger.other })
  if (trigger === undefined || row === undefined) return undefined
  cancelFound(trading, account, market, { row }, now)
  return pairText(venue, market, row, trigger, { listed: true, status: 'CANCELED' })
}
