import { bestPrice, matchable } from '#src/exchange/trading/book/book.ts'
import { bookOf } from '#src/exchange/trading/trading-context.ts'
import type { Market } from '#src/exchange/trading/book/market.ts'
import { flag } from '#src/exchange/trading/book/order-columns.ts'
import { plainDraft } from '#src/exchange/trading/orders/order-draft.ts'
import { place } from '#src/exchange/trading/orders/order-matching.ts'
import { cancelResting } from '#src/exchange/trading/orders/resting-orders.ts'
import { allLots, crowdOrderId, lotsLeft, type RecordedContext } from './recorded-context.ts'

/**
 * All traders of the recorded past, as one house account. It takes resting orders of the accounts when the recorded
 * price reaches them, up to the volume of the point, and quotes one tick around the last price.
 */

/** Size of the queue ahead of a new order, in minimum order sizes, like the touch of a simulated market. */
const queueWorth = 1000

/**
 * Trades a recorded price with the resting orders; queued orders at exactly this price fill at points only. The caller
 * has cancelled the crowd's quotes.
 */
export function tradeAt(context: RecordedContext, units: number, isPoint: boolean, at: number): void {
  const { perTick, trading, market, progress } = context
  const price = units / perTick
  const book = bookOf(trading, market)
  // Bids and asks never cross, so a price reaches the orders of one side at most.
  const [bid, ask] = [bestPrice(book, false), bestPrice(book, true)]
  const sells = bid !== 0 && bid >= price
  if (!sells && (ask === 0 || ask > price)) return
  const [touch, through] = sells
    ? [Math.ceil(price), Math.floor(price) + 1]
    : [Math.floor(price), Math.ceil(price) - 1]
  const limit = context.fill === 'touch' ? touch : through
  const lots = lotsLeft(context)
  const most = lotsWithin(context, sells, limit, lots)
  const taken = take(context, { which: 'take', sells, ticks: limit, lots: most }, at)
  // If nothing could be taken now, nothing can be taken on the rest of this line.
  progress.used = most >= 1 && taken === 0 ? allLots : (progress.used ?? 0) + taken
  if (context.fill !== 'queue' || !isPoint || touch === through) return
  const after = tradeThroughQueue(context, sells, touch, lots - taken)
  take(context, { which: 'take queued', sells, ticks: touch, lots: after }, at)
}

/** The lots, at most `most`, of the resting orders within the limit. */
function lotsWithin(context: RecordedContext, sells: boolean, limit: number, most: number): number {
  const { trading, market } = context
  const { orders } = trading.state
  let lots = 0
  for (const row of limit < 1 ? [] : matchable(bookOf(trading, market), orders, !sells, limit)) {
    lots += orders.left[row] ?? 0
    if (lots >= most) return most
  }
  return lots
}

/**
 * Trades the lots at the price of these orders: first the queue ahead of each order, then the order. Without recorded
 * amounts the queue never ends.
 */
function tradeThroughQueue(context: RecordedContext, sells: boolean, ticks: number, lots: number): number {
  const { trading, market } = context
  const { orders } = trading.state
  if (lots < 1 || lots === Infinity || ticks < 1) return 0
  let taken = 0
  for (const row of matchable(bookOf(trading, market), orders, !sells, ticks)) {
    if (orders.ticks[row] !== ticks) continue
    const counted = orders.ahead[row] ?? 0
    const ahead = counted < 0 ? queueAhead(market, ticks) : counted
    taken += Math.max(0, Math.min(orders.left[row] ?? 0, lots - ahead - taken))
    orders.ahead[row] = Math.max(0, ahead - lots)
  }
  return taken
}

/** The minimum order size must meet both the minimum amount and the minimum total. */
function queueAhead({ minLots, minQuanta }: Market, ticks: number): number {
  return Math.max(queueWorth * minLots, Math.ceil((queueWorth * minQuanta) / ticks))
}

type Taking = { which: 'take' | 'take queued'; sells: boolean; ticks: number; lots: number }

/** Returns the lots that traded. */
function take(context: RecordedContext, { which, sells, ticks, lots }: Taking, at: number): number {
  if (lots < 1) return 0
  const { trading, market, crowd, flags, progress } = context
  progress.takes = (progress.takes ?? progress.next) + 1
  const id = crowdOrderId(context, progress.takes, which)
  const draft = { ...plainDraft, id, sells, ticks, lots, flags: flags | flag.ioc }
  const row = place(trading, market, crowd, draft, at)
  return typeof row === 'string' ? 0 : lots - (trading.state.orders.left[row] ?? 0)
}

/** Cancels the crowd's quotes. */
export function cancelQuotes({ progress, trading }: RecordedContext, at: number): void {
  const { orders } = trading.state
  for (const { row, id } of [progress.bid, progress.ask]) {
    if (row !== 0 && orders.id[row] === id && orders.level[row] !== 0)
      cancelResting(trading, row, 'CANCELED', at)
  }
}

/** Places the quotes around the last price, or as near to it as the accounts' orders permit. */
export function setQuotes(context: RecordedContext, at: number): void {
  const { progress, trading, market } = context
  const { last } = context.marketState
  const book = bookOf(trading, market)
  cancelQuotes(context, at)
  context.quotesStale = false
  progress.quotedAt = progress.next
  context.quotedTicks = last
  if (last === 0) return
  const [bid, ask] = [bestPrice(book, false), bestPrice(book, true)]
  placeQuote(context, false, ask === 0 ? last : Math.min(last, ask - 1), at)
  placeQuote(context, true, Math.max(last, bid) + 1, at)
}

/** Places a quote as large as the largest order that the market accepts. */
function placeQuote(context: RecordedContext, sells: boolean, ticks: number, at: number): void {
  const { trading, market, crowd, flags, progress } = context
  const quoted = sells ? progress.ask : progress.bid
  quoted.row = 0
  if (ticks < 1) return
  const id = crowdOrderId(context, progress.next, sells ? 'ask' : 'bid')
  const lots = Math.floor(market.maxQuanta / ticks)
  const draft = { ...plainDraft, id, sells, ticks, lots, flags }
  const row = place(trading, market, crowd, draft, at)
  if (typeof row === 'string') return
  quoted.row = row
  quoted.id = id
}
