import type { Market } from '#src/exchange/trading/book/market.ts'
import {
  flag,
  has,
  positionSides,
  selfTrades,
  statusOf,
  type OrderColumns,
} from '#src/exchange/trading/book/order-columns.ts'
import type { Trigger } from '#src/exchange/trading/records.ts'
import type { VenueContext } from '#src/exchange/venue-context.ts'

/**
 * An order as answers tell of it, written straight from its columns: twenty times a call, an object that only
 * JSON.stringify would read costs more than matching does. No text here needs escaping: names and ids have passed
 * their patterns. A test holds every field against the row's schema.
 */
export function orderText(venue: VenueContext, market: Market, row: number, listed = false): string {
  const { orders } = venue.state
  const lots = orders.lots[row] ?? 0
  const left = orders.left[row] ?? 0
  const quanta = orders.quanta[row] ?? 0
  const frame = frameOf(venue, market, row, left === lots, listed)
  const price = frame.priced ? `"price":"${market.priceText(orders.ticks[row] ?? 0)}",` : ''
  const end = frame.stops ? activationText(venue, market, row) + frame.end : frame.end
  const begin = frame.orderId + orders.id[row] + frame.clientOrderId + orders.clientId[row]
  const at = orders.at[row] ?? 0
  if (quanta === 0 && left === lots) return begin + untouchedText(frame, market, lots, at) + price + end
  const amount = market.amountText(lots)
  return (
    begin +
    frame.kind +
    at / 1000 +
    frame.dealMoney +
    market.moneyText(quanta) +
    frame.dealStock +
    market.amountText(lots - left) +
    frame.amount +
    amount +
    frame.left +
    market.amountText(left) +
    frame.dealFee +
    market.feeText(quanta, orders.taken[row] ?? 0) +
    frame.flags +
    price +
    end
  )
}

/** Between client id and price, where nothing has traded: one text for all rungs of a ladder that are of one size. */
function untouchedText(frame: Frame, market: Market, lots: number, at: number): string {
  const { last } = frame
  if (last.lots !== lots || last.at !== at) {
    const amount = market.amountText(lots)
    last.lots = lots
    last.at = at
    last.text = frame.kind + at / 1000 + frame.nothing + amount + frame.left + amount + frame.noFee
  }
  return last.text
}

type Frame = ReturnType<typeof makeFrame>

/** All that stands between the numbers and is the same for most orders: a text of few pieces is quickly written. */
const frames = new WeakMap<VenueContext, Map<number, Frame>>()

function frameOf(
  venue: VenueContext,
  market: Market,
  row: number,
  untouched: boolean,
  listed: boolean,
): Frame {
  const { orders } = venue.state
  let known = frames.get(venue)
  if (known === undefined) frames.set(venue, (known = new Map<number, Frame>()))
  const rules = market.number * 65_536 + (orders.flags[row] ?? 0)
  const bits =
    (untouched ? 1 : 0) |
    (listed ? 2 : 0) |
    ((orders.sells[row] ?? 0) << 2) |
    ((orders.selfTrade[row] ?? 0) << 3) |
    ((orders.positionSide[row] ?? 0) << 5) |
    ((orders.status[row] ?? 0) << 7)
  const key = rules * 1024 + bits
  let frame = known.get(key)
  if (frame === undefined) known.set(key, (frame = makeFrame(venue, market, row, listed)))
  return frame
}

function makeFrame(venue: VenueContext, market: Market, row: number, listed: boolean) {
  const { orders } = venue.state
  const names = venue.spelling === 'camel' ? camelNames : specNames
  const flags = orders.flags[row] ?? 0
  const dealMoney = `,"${names.dealMoney}":"`
  const dealStock = `","${names.dealStock}":"`
  const amount = `","amount":"`
  const dealFee = `","${names.dealFee}":"`
  const rules = `","ioc":${has(orders, row, flag.ioc)},"postOnly":${has(orders, row, flag.postOnly)},`
  return {
    priced: (flags & flag.market) === 0,
    stops: (flags & flag.stop) !== 0,
    orderId: `{"${names.orderId}":`,
    clientOrderId: `,"${names.clientOrderId}":"`,
    kind:
      `","market":"${market.name}","side":"${orders.sells[row] === 1 ? 'sell' : 'buy'}",` +
      `"type":"${typeOf(flags, listed)}","timestamp":`,
    dealMoney,
    dealStock,
    amount,
    last: { lots: 0, at: 0, text: '' },
    nothing: `${dealMoney}0${dealStock}0${amount}`,
    left: `","left":"`,
    dealFee,
    flags: rules,
    noFee: `${dealFee}0${rules}`,
    end:
      `"status":"${statusText(venue, orders, row)}","stp":"${selfTrades[orders.selfTrade[row] ?? 0]}",` +
      ((flags & flag.spot) === 0
        ? `"positionSide":"${positionSides[orders.positionSide[row] ?? 0]}","rpi":${(flags & flag.rpi) !== 0}` +
          (venue.profile === 'full' ? `,"reduceOnly":${(flags & flag.reduceOnly) !== 0}}` : '}')
        : `"rpi":${(flags & flag.rpi) !== 0}}`),
  }
}

/** The same for an order that waits for a price, or has been called off while it did. */
export function waitingText(
  venue: VenueContext,
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

function activationText({ trading, state }: VenueContext, market: Market, row: number): string {
  const { orders } = state
  const stop = trading.accounts[(orders.account[row] ?? 0) - 1]?.stops.get(orders.id[row] ?? 0)
  return stop === undefined ? '' : `"activation_price":"${market.priceText(stop.activation)}",`
}

/** Lists, which hold orders of both accounts, call those of the collateral account by the name of margin. */
export function typeOf(flags: number, listed: boolean): string {
  const bare = (flags & flag.market) === 0 ? 'limit' : (flags & flag.stock) === 0 ? 'market' : 'stock market'
  const stop = (flags & flag.stop) === 0 ? bare : `stop ${bare}`
  return listed && (flags & flag.spot) === 0 ? `margin ${stop}` : stop
}

function statusText({ switches }: VenueContext, orders: OrderColumns, row: number): string {
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
