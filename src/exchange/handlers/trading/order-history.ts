import { executedOrder, orderHistoryFilters } from '#src/venues/whitebit/contract/trading/orders.ts'
import { objectWriters } from '#src/venues/whitebit/contract/codec/text-writer.ts'
import { orderNames } from '#src/venues/whitebit/contract/wire/spelling.ts'
import { noProblems } from '#src/venues/whitebit/contract/wire/problems.ts'
import { invalidTrade } from '#src/venues/whitebit/contract/wire/refusals.ts'
import { invalidTradeField } from '#src/exchange/handlers/refused-field.ts'
import type { WireOf } from '#src/venues/whitebit/contract/endpoint.ts'
import { contract, type Contract } from '#src/venues/whitebit/contract/endpoint-table.ts'
import { formatAtoms } from '#src/core/money/atoms.ts'
import { seconds } from '#src/exchange/time-units.ts'
import { pageOf } from '#src/exchange/handlers/paging.ts'
import { factsAt, newestFirst, type OrderFacts } from '#src/exchange/trading/orders/order-history.ts'
import {
  activationPrice,
  orderValues,
  traitsOf,
  typeOf,
  type OrderTraits,
} from '#src/exchange/trading/orders/order-text.ts'
import { flag } from '#src/exchange/trading/book/order-columns.ts'
import { RefusedCall, WrittenAnswer, type Handler, type VenueContext } from '#src/exchange/venue-context.ts'
import { historySpan } from './history-span.ts'

export const orderHistory: Handler<'orderHistory'> = ({ venue, account, parameters, now }) => {
  const { market, client_order_id, order_id } = parameters
  const { limit, offset } = pageOf(contract.orderHistory, parameters)
  if (venue.profile === 'spec') {
    const problems = noProblems()
    for (const name in orderHistoryFilters) {
      if (Object.hasOwn(parameters, name)) problems[name] = ['This field is not known.']
    }
    if (Object.keys(problems).length > 0) return new RefusedCall(invalidTrade(problems))
  }
  if (market !== undefined && !venue.markets.has(market)) {
    return invalidTradeField('market', 'Market is not available.')
  }
  const isSingle = order_id !== undefined || client_order_id !== undefined
  const span = historySpan(venue, isSingle ? {} : parameters, now)
  if ('problems' in span) return new RefusedCall(invalidTrade(span.problems))
  const { finished } = account
  const only = market === undefined ? undefined : venue.markets.get(market)
  const filters = { ...parameters, ...span }
  const visibleUntil = now - venue.switches.historyLag
  const page: Record<string, string[]> = {}
  let passed = 0
  for (const place of newestFirst(finished)) {
    if (passed === offset + limit) break
    if ((finished.changedAt[place] ?? 0) > visibleUntil) continue
    const traded = only ?? venue.trading.markets[finished.market[place] ?? 0]
    if (traded === undefined || finished.market[place] !== traded.number) continue
    const order = factsAt(finished, place, account.stops)
    if (!isWanted(order, filters)) continue
    passed += 1
    if (passed <= offset) continue
    const traits = traitsOf(venue, traded, order, order.status, isFull(venue))
    ;(page[traded.name] ??= []).push(write[venue.spelling](traits, order))
  }
  if (passed === 0 && client_order_id !== undefined && order_id === undefined) {
    return invalidTradeField('orderHistory', 'OrderHistory was not found.')
  }
  if (passed <= offset && isFull(venue)) return []
  const lists = Object.entries(page).map(([name, orders]) => `${JSON.stringify(name)}:[${orders.join(',')}]`)
  return new WrittenAnswer(`{${lists.join(',')}}`)
}

type Filters = WireOf<Contract['orderHistory']> & { startDate: number; endDate: number }

/**
 * A call that names one order ignores the other filters; the exchange's id takes precedence over the client order id.
 */
function isWanted(
  order: OrderFacts,
  { order_id, client_order_id, status = 'ALL', startDate, endDate }: Filters,
): boolean {
  if (order_id !== undefined) return order.id === order_id
  if (client_order_id !== undefined) return order.clientId === client_order_id
  const filled = order.status === 'FILLED'
  if (status === 'FILLED' && !filled) return false
  if (status === 'CANCELED' && filled) return false
  if (status === 'PARTIALLY_FILLED' && (filled || order.quanta === 0)) return false
  const endedAt = Math.floor(order.endedAt / 1000)
  return endedAt >= startDate && endedAt <= endDate
}

const write = objectWriters<typeof executedOrder, OrderTraits, OrderFacts>(executedOrder, orderNames, {
  ...orderValues,
  id: (_, order) => order.id,
  price: ({ market }, order) => market.priceText(order.ticks),
  type: typeOf,
  side: ({ sells }) => (sells ? 'sell' : 'buy'),
  ctime: (_, order) => order.at / 1000,
  ftime: (_, order) => order.endedAt / 1000,
  takerFee: ({ venue, market }) => (isFull(venue) ? undefined : formatAtoms(market.rules.takerFee)),
  makerFee: ({ venue, market }) => (isFull(venue) ? undefined : formatAtoms(market.rules.makerFee)),
  postOnly: ({ flags }) => (flags & flag.postOnly) !== 0,
  feeAsset: ({ market }) => market.rules.money,
  stp: ({ venue, selfTrade }) => (isFull(venue) ? undefined : selfTrade),
  positionSide: (traits) => (isInPosition(traits) ? traits.positionSide : undefined),
  reduceOnly: (traits) => (isInPosition(traits) ? (traits.flags & flag.reduceOnly) !== 0 : undefined),
  activationPrice: (traits, order) => (isFull(traits.venue) ? activationPrice(traits, order) : undefined),
  activationCondition: ({ venue }, { stop }) =>
    stop === undefined || !isFull(venue) ? undefined : stop.rises ? 'gte' : 'lte',
  activated: ({ venue }, { stop }) =>
    stop === undefined || stop.activatedAt === 0 || !isFull(venue) ? undefined : seconds(stop.activatedAt),
})

function isFull({ profile }: VenueContext): boolean {
  return profile === 'full'
}

function isInPosition({ venue, flags }: OrderTraits): boolean {
  return isFull(venue) && (flags & flag.spot) === 0
}
