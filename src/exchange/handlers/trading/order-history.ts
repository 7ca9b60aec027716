import { orderHistoryFilters } from '#src/venues/whitebit/contract/trading/orders.ts'
import { noProblems } from '#src/venues/whitebit/contract/wire/problems.ts'
import { invalidTrade } from '#src/venues/whitebit/contract/wire/refusals.ts'
import { contract } from '#src/venues/whitebit/contract/endpoint-table.ts'
import { formatAtoms } from '#src/core/money/atoms.ts'
import { seconds } from '#src/exchange/time-units.ts'
import { pageOf } from '#src/exchange/handlers/paging.ts'
import { factsAt, newestFirst, type OrderFacts } from '#src/exchange/trading/orders/order-history.ts'
import type { Market } from '#src/exchange/trading/book/market.ts'
import { typeOf } from '#src/exchange/trading/orders/order-text.ts'
import { flag } from '#src/exchange/trading/book/order-columns.ts'
import type { Trader } from '#src/exchange/trading/trader.ts'
import { RefusedCall, type Handler, type VenueContext } from '#src/exchange/venue-context.ts'

export const orderHistory: Handler<'orderHistory'> = ({ venue, account, parameters, now }) => {
  const { market, offset: _offset, limit: _limit, client_order_id, ...filters } = parameters
  const { limit, offset } = pageOf(contract.orderHistory, parameters)
  if (venue.profile === 'spec') {
    const problems = noProblems()
    for (const name in orderHistoryFilters) {
      if (Object.hasOwn(parameters, name)) problems[name] = ['This field is not known.']
    }
    if (Object.keys(problems).length > 0) return new RefusedCall(invalidTrade(problems))
  }
  if (market !== undefined && !venue.markets.has(market)) {
    return new RefusedCall(invalidTrade({ market: ['Market is not available.'] }))
  }
  const { finished } = account
  const only = market === undefined ? undefined : venue.markets.get(market)
  const visibleUntil = now - venue.switches.historyLag
  const page: Record<string, ReturnType<typeof executedOf>[]> = {}
  let passed = 0
  for (const place of newestFirst(finished)) {
    if (passed === offset + limit) break
    if ((finished.changedAt[place] ?? 0) > visibleUntil) continue
    const traded = only ?? venue.trading.markets[finished.market[place] ?? 0]
    if (traded === undefined || finished.market[place] !== traded.number) continue
    const order = factsAt(finished, place)
    if (!isWanted(order, client_order_id, filters)) continue
    passed += 1
    if (passed > offset) (page[traded.name] ??= []).push(executedOf(venue, account, traded, order))
  }
  if (passed === 0 && client_order_id !== undefined && filters.order_id === undefined) {
    return new RefusedCall(invalidTrade({ orderHistory: ['OrderHistory was not found.'] }))
  }
  return passed <= offset && venue.profile === 'full' ? [] : page
}

/**
 * A call that names one order ignores the other filters; the exchange's id takes precedence over the client order id.
 */
function isWanted(
  order: OrderFacts,
  clientId: string | undefined,
  {
    order_id,
    status = 'ALL',
    startDate = 0,
    endDate = Infinity,
  }: {
    order_id?: number | undefined
    status?: 'ALL' | 'FILLED' | 'CANCELED' | 'PARTIALLY_FILLED' | undefined
    startDate?: number | undefined
    endDate?: number | undefined
  },
): boolean {
  if (order_id !== undefined) return order.id === order_id
  if (clientId !== undefined) return order.clientId === clientId
  const filled = order.status === 'FILLED'
  if (status === 'FILLED' && !filled) return false
  if (status === 'CANCELED' && filled) return false
  if (status === 'PARTIALLY_FILLED' && (filled || order.quanta === 0)) return false
  const endedAt = Math.floor(order.endedAt / 1000)
  return endedAt >= startDate && endedAt <= endDate
}

function executedOf(venue: VenueContext, account: Trader, market: Market, order: OrderFacts) {
  const full = venue.profile === 'full'
  return {
    id: order.id,
    client_order_id: order.clientId,
    amount: market.amountText(order.lots),
    price: market.priceText(order.ticks),
    type: typeOf(order.flags, full),
    side: order.sells ? ('sell' as const) : ('buy' as const),
    ctime: order.at / 1000,
    ftime: order.endedAt / 1000,
    ...(full
      ? {}
      : { takerFee: formatAtoms(market.rules.takerFee), makerFee: formatAtoms(market.rules.makerFee) }),
    deal_fee: market.feeText(order.quanta, order.taken),
    deal_stock: market.amountText(order.lots - order.left),
    deal_money: market.moneyText(order.quanta),
    postOnly: (order.flags & flag.postOnly) !== 0,
    ioc: (order.flags & flag.ioc) !== 0,
    rpi: (order.flags & flag.rpi) !== 0,
    status: order.status,
    feeAsset: market.rules.money,
    ...(full ? beyondSpec(market, account, order) : { stp: order.selfTrade }),
  }
}

function beyondSpec(market: Market, { stops }: Trader, { id, flags, positionSide }: OrderFacts) {
  const inPosition =
    (flags & flag.spot) === 0 ? { positionSide, reduceOnly: (flags & flag.reduceOnly) !== 0 } : {}
  const stop = (flags & flag.stop) === 0 ? undefined : stops.get(id)
  if (stop === undefined) return inPosition
  return {
    ...inPosition,
    activationPrice: market.priceText(stop.activation),
    activationCondition: stop.rises ? ('gte' as const) : ('lte' as const),
    ...(stop.activatedAt === 0 ? {} : { activated: seconds(stop.activatedAt) }),
  }
}
