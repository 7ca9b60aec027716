import { formatAtoms } from '#src/money/atoms.ts'
import type { Market } from './market.ts'
import { flag, has, positionSides, selfTrades, statusOf, type Orders } from './orders.ts'
import type { Trigger } from './records.ts'
import type { Venue } from '../venue.ts'

/**
 * An order as answers tell of it, written straight from its columns: twenty times a call, an object that only
 * JSON.stringify would read costs more than matching does. No text here needs escaping: names and ids have passed
 * their patterns. A test holds every field against the row's schema.
 */
export function orderText(venue: Venue, market: Market, row: number, listed = false): string {
  const { orders } = venue.state
  const lots = orders.lots[row] ?? 0
  const left = orders.left[row] ?? 0
  const quanta = orders.quanta[row] ?? 0
  const amount = market.amountText(lots)
  const names = venue.spelling === 'camel' ? camelNames : specNames
  const flags = orders.flags[row] ?? 0
  return (
    `{"${names.orderId}":${orders.id[row]},"${names.clientOrderId}":"${orders.clientId[row]}",` +
    `"market":"${market.name}","side":"${orders.sells[row] === 1 ? 'sell' : 'buy'}",` +
    `"type":"${typeOf(flags, listed)}",` +
    `"timestamp":${(orders.at[row] ?? 0) / 1000},"${names.dealMoney}":"${market.moneyText(quanta)}",` +
    `"${names.dealStock}":"${market.amountText(lots - left)}","amount":"${amount}",` +
    `"left":"${left === lots ? amount : market.amountText(left)}",` +
    `"${names.dealFee}":"${formatAtoms(market.fee(quanta, orders.taken[row] ?? 0))}",` +
    `"ioc":${has(orders, row, flag.ioc)},"postOnly":${has(orders, row, flag.postOnly)},` +
    ((flags & flag.market) === 0 ? `"price":"${market.priceText(orders.ticks[row] ?? 0)}",` : '') +
    ((flags & flag.stop) === 0 ? '' : activationText(venue, market, row)) +
    `"status":"${statusText(venue, orders, row)}","stp":"${selfTrades[orders.selfTrade[row] ?? 0]}",` +
    ((flags & flag.spot) === 0
      ? `"positionSide":"${positionSides[orders.positionSide[row] ?? 0]}","rpi":${(flags & flag.rpi) !== 0}` +
        (venue.profile === 'full' ? `,"reduceOnly":${(flags & flag.reduceOnly) !== 0}}` : '}')
      : `"rpi":${(flags & flag.rpi) !== 0}}`)
  )
}

/** The same for an order that waits for a price, or has been called off while it did. */
export function waitingText(
  venue: Venue,
  market: Market,
  { id, draft, activation, at }: Trigger,
  listed = false,
  status: 'OPEN' | 'CANCELED' = 'OPEN',
): string {
  const { clientId, sells, flags, ticks, lots, selfTrade, positionSide } = draft
  const names = venue.spelling === 'camel' ? camelNames : specNames
  const amount = market.amountText(lots)
  return JSON.stringify({
    [names.orderId]: id,
    [names.clientOrderId]: clientId,
    market: market.name,
    side: sells ? 'sell' : 'buy',
    type: typeOf(flags, listed),
    timestamp: at / 1000,
    [names.dealMoney]: '0',
    [names.dealStock]: '0',
    amount,
    left: amount,
    [names.dealFee]: '0',
    ioc: false,
    postOnly: false,
    ...((flags & flag.market) === 0 ? { price: market.priceText(ticks) } : {}),
    activation_price: market.priceText(activation),
    status,
    stp: selfTrades[selfTrade],
    rpi: false,
    ...((flags & flag.spot) === 0
      ? { positionSide: positionSides[positionSide], reduceOnly: (flags & flag.reduceOnly) !== 0 }
      : {}),
  })
}

function activationText({ floor, state }: Venue, market: Market, row: number): string {
  const { orders } = state
  const stop = floor.accounts[(orders.account[row] ?? 0) - 1]?.stops.get(orders.id[row] ?? 0)
  return stop === undefined ? '' : `"activation_price":"${market.priceText(stop.activation)}",`
}

/** Lists, which hold orders of both accounts, call those of the collateral account by the name of margin. */
export function typeOf(flags: number, listed: boolean): string {
  const bare = (flags & flag.market) === 0 ? 'limit' : (flags & flag.stock) === 0 ? 'market' : 'stock market'
  const stop = (flags & flag.stop) === 0 ? bare : `stop ${bare}`
  return listed && (flags & flag.spot) === 0 ? `margin ${stop}` : stop
}

function statusText({ switches }: Venue, orders: Orders, row: number): string {
  const status = statusOf(orders, row)
  if (status !== 'OPEN') return status
  return orders.left[row] === orders.lots[row] ? switches.restingStatus : 'PARTIALLY_FILLED'
}

const specNames = {
  orderId: 'order_id',
  clientOrderId: 'client_order_id',
  dealMoney: 'deal_money',
  dealStock: 'deal_stock',
  dealFee: 'deal_fee',
} as const
const camelNames = {
  orderId: 'orderId',
  clientOrderId: 'clientOrderId',
  dealMoney: 'dealMoney',
  dealStock: 'dealStock',
  dealFee: 'dealFee',
} as const
