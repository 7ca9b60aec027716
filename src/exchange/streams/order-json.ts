import type { OrderFacts } from '#src/exchange/trading/orders/order-history.ts'
import { flag, positionSides, selfTrades } from '#src/exchange/trading/book/order-columns.ts'
import type { Trigger } from '../trading/records.ts'
import type { VenueContext } from '#src/exchange/venue-context.ts'

/** An order that waits for a price, in the same shape. */
export function waitingFacts({ id, market, draft, at }: Trigger): OrderFacts {
  const { clientId, sells, flags, ticks, lots } = draft
  const positionSide = positionSides[draft.positionSide] ?? 'LONG'
  const selfTrade = selfTrades[draft.selfTrade] ?? 'no'
  const untouched = { left: lots, quanta: 0, taken: 0, at, endedAt: at, status: 'OPEN' as const }
  return { id, clientId, market, sells, flags, positionSide, selfTrade, ticks, lots, ...untouched }
}

/** The streams number the types of orders: spot ones first, those of the collateral account behind. */
export function typeOf(flags: number): number {
  if ((flags & (flag.stock | flag.stop)) === flag.stock) return 202
  const among = ((flags & flag.market) === 0 ? 0 : 1) + ((flags & flag.stop) === 0 ? 0 : 2)
  return (flags & flag.spot) === 0 ? 7 + among : 1 + among
}

/** `activation` is the price that the order waits, or has waited, for. */
export function orderJson(
  { trading, switches }: VenueContext,
  order: OrderFacts,
  activation?: number,
): string {
  const market = trading.markets[order.market]
  if (market === undefined) throw new RangeError(`order ${order.id} is in no market`)
  const has = (which: number) => (order.flags & which) !== 0
  const untouched = order.left === order.lots
  const resting = untouched ? switches.restingStatus : 'PARTIALLY_FILLED'
  return JSON.stringify({
    id: order.id,
    market: market.name,
    type: typeOf(order.flags),
    side: order.sells ? 1 : 2,
    post_only: has(flag.postOnly),
    ioc: has(flag.ioc),
    ctime: order.at / 1000,
    mtime: order.endedAt / 1000,
    price: has(flag.market) ? '0' : market.priceText(order.ticks),
    ...(activation === undefined ? {} : { activation_price: market.priceText(activation) }),
    amount: market.amountText(order.lots),
    left: market.amountText(order.left),
    deal_stock: market.amountText(order.lots - order.left),
    deal_money: market.moneyText(order.quanta),
    deal_fee: market.feeText(order.quanta, order.taken),
    client_order_id: order.clientId,
    stp: order.selfTrade,
    status: order.status === 'OPEN' ? resting : order.status,
    position_side: order.positionSide,
    rpi: has(flag.rpi),
    retail: false,
    reduce_only: has(flag.reduceOnly),
  })
}
