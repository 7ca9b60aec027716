import {
  bestOrder,
  bestPrice,
  crosses,
  matchable,
  reduceOrder,
  removeFromQueue,
  type OrderBook,
} from './book.ts'
import { flag, has, type OrderColumns } from './order-columns.ts'

/** The callbacks of matching: it asks for closable lots, and reports trades and cancellations. */
export type Counter = {
  /** The lots of a resting reduce-only order that its position can still close. */
  closable(maker: number): number
  /** Which of the two accounts cannot bear the fill, if that is checked. */
  unbacked?(maker: number, taker: number, lots: number, ticks: number): 'maker' | 'taker' | undefined
  /** Both rows are already reduced by the lots; a filled maker has left the book. */
  traded(maker: number, taker: number, lots: number, ticks: number): void
  /**
   * The order left the book because both orders belong to one account (`self`), or because nothing is left to close
   * (`closed`), or because its account cannot bear the fill (`unbacked`).
   */
  cancelled(maker: number, why: Removal): void
}

type Removal = 'self' | 'closed' | 'unbacked'

/**
 * Why matching ended: the order is filled, no opposite order is within the limit, the account met its own order, or it
 * cannot bear the next fill.
 */
export type MatchEnd = 'filled' | 'unmatched' | 'self' | 'unbacked'

/**
 * Price-time matching: the new order trades with the best resting order at the price of the resting order, until one
 * side has nothing left.
 */
export function match(
  book: OrderBook,
  orders: OrderColumns,
  taker: number,
  limit: number,
  counter: Counter,
): MatchEnd {
  const sells = orders.sells[taker] === 1
  while ((orders.left[taker] ?? 0) > 0) {
    if (!crosses(book, sells, limit)) return 'unmatched'
    const ticks = bestPrice(book, !sells)
    const maker = bestOrder(book, !sells)
    if (orders.account[maker] === orders.account[taker] && orders.selfTrade[taker] !== 0) {
      // 1 cancels both orders, 2 the new one, 3 the old one.
      if (orders.selfTrade[taker] !== 2) cancelMaker(book, orders, maker, counter, 'self')
      if (orders.selfTrade[taker] !== 3) return 'self'
      continue
    }
    const offered = has(orders, maker, flag.reduceOnly)
      ? Math.min(orders.left[maker] ?? 0, counter.closable(maker))
      : (orders.left[maker] ?? 0)
    if (offered === 0) {
      cancelMaker(book, orders, maker, counter, 'closed')
      continue
    }
    const lots = Math.min(orders.left[taker] ?? 0, offered)
    const unbacked = counter.unbacked?.(maker, taker, lots, ticks)
    if (unbacked === 'taker') return 'unbacked'
    if (unbacked === 'maker') {
      cancelMaker(book, orders, maker, counter, 'unbacked')
      continue
    }
    trade(book, orders, maker, taker, lots)
    counter.traded(maker, taker, lots, ticks)
  }
  return 'filled'
}

function trade(book: OrderBook, orders: OrderColumns, maker: number, taker: number, lots: number): void {
  if (orders.left[maker] === lots) {
    removeFromQueue(book, orders, maker)
    orders.left[maker] = 0
  } else reduceOrder(book, orders, maker, lots)
  orders.left[taker] = (orders.left[taker] ?? 0) - lots
  const quanta = lots * (orders.ticks[maker] ?? 0)
  orders.quanta[maker] = (orders.quanta[maker] ?? 0) + quanta
  orders.quanta[taker] = (orders.quanta[taker] ?? 0) + quanta
  orders.taken[taker] = (orders.taken[taker] ?? 0) + quanta
}

function cancelMaker(
  book: OrderBook,
  orders: OrderColumns,
  maker: number,
  counter: Counter,
  why: Removal,
): void {
  removeFromQueue(book, orders, maker)
  counter.cancelled(maker, why)
}

/** The most quanta of a sell: it may fill at better prices, which need more margin and fee than its limit. */
export function mostQuanta(book: OrderBook, orders: OrderColumns, lots: number, ticks: number): number {
  let left = lots
  let quanta = 0
  for (const maker of matchable(book, orders, false, ticks)) {
    const part = Math.min(left, orders.left[maker] ?? 0)
    quanta += part * (orders.ticks[maker] ?? 0)
    left -= part
    if (left === 0) break
  }
  return quanta + left * ticks
}
