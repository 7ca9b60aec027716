import type { OrderAnswer, Progress } from '#src/engine/events.ts'

/** What every row of an order says of its trades, whichever answer it stands in. */
type Traded = { deal_stock: string; deal_money: string; deal_fee: string }
/** The row of an order in the answer to the request that placed it. */
type Placed = Traded & {
  order_id: number
  status: string
  ioc?: boolean | undefined
  timestamp?: number | undefined
}

/** Order states that are final, of the documents and of SDKs; an order in any other state may still be open. */
const endings = new Set([
  'FILLED',
  'CANCELED',
  'CANCELLED',
  'CANCELED_STP',
  'CANCELED_TAKER_BAND',
  'AUTO_CANCELED_REDUCE_ONLY',
  'AUTO_CANCELED_LIQUIDATION',
  'AUTO_CANCELED_USER_MARGIN',
  'REJECTED',
  'EXPIRED',
])

/** How far an order has come, in the words of the engine. */
export function progressOf(venueId: number, row: Traded, ended: boolean): Progress {
  const { deal_stock: filled, deal_money: money, deal_fee: fee } = row
  return { venueId: String(venueId), filled, money, fee, ended }
}

/** The answer for an order that the venue has placed. */
export function acceptedAnswer(order: Placed): OrderAnswer {
  const ended = order.ioc === true || endings.has(order.status)
  const progress = progressOf(order.order_id, order, ended)
  // An order that fills at once fills when the venue accepts it.
  const hasFilled = Number(progress.filled) !== 0
  const dealtAt = hasFilled && order.timestamp !== undefined ? order.timestamp * 1000 : undefined
  return { kind: 'accepted', ...progress, ...(dealtAt !== undefined && { dealtAt }) }
}
