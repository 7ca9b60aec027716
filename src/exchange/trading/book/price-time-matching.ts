import { bestOrder, bestPrice, crosses, leave, shrink, type OrderBook } from './book.ts'
import { flag, has, type OrderColumns } from './order-columns.ts'

/** What matching asks of, and tells, whoever keeps the accounts. */
export type Counter = {
  /** How much of a resting reduce-only order its position still lets through. */
  closable(maker: number): number
  /** Both rows have already been reduced by the lots; a maker with nothing left is out of the book. */
  traded(maker: number, taker: number, lots: number, ticks: number): void
  /** Taken out of the book because both orders are of one account, or because there is nothing left to close. */
  withdrawn(maker: number, why: 'self' | 'closed'): void
}

/** Why matching ended: nothing left, nobody left within the limit, or the account met itself. */
export type MatchEnd = 'filled' | 'unmatched' | 'self'

/**
 * Price, then time: the order that came trades with the best one that rests, at the price of that one, until one of
 * the two sides has nothing to offer the other.
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
      // 1 cancels both, 2 the new one, 3 the old one.
      if (orders.selfTrade[taker] !== 2) withdraw(book, orders, maker, counter, 'self')
      if (orders.selfTrade[taker] !== 3) return 'self'
      continue
    }
    const offered = has(orders, maker, flag.reduceOnly)
      ? Math.min(orders.left[maker] ?? 0, counter.closable(maker))
      : (orders.left[maker] ?? 0)
    if (offered === 0) {
      withdraw(book, orders, maker, counter, 'closed')
      continue
    }
    const lots = Math.min(orders.left[taker] ?? 0, offered)
    trade(book, orders, maker, taker, lots, ticks)
    counter.traded(maker, taker, lots, ticks)
  }
  return 'filled'
}

function trade(
  book: OrderBook,
  orders: OrderColumns,
  maker: number,
  taker: number,
  lots: number,
  ticks: number,
): void {
  if (orders.left[maker] === lots) {
    leave(book, orders, maker)
    orders.left[maker] = 0
  } else shrink(book, orders, maker, lots)
  orders.left[taker] = (orders.left[taker] ?? 0) - lots
  const quanta = lots * ticks
  orders.quanta[maker] = (orders.quanta[maker] ?? 0) + quanta
  orders.quanta[taker] = (orders.quanta[taker] ?? 0) + quanta
  orders.taken[taker] = (orders.taken[taker] ?? 0) + quanta
}

function withdraw(
  book: OrderBook,
  orders: OrderColumns,
  maker: number,
  counter: Counter,
  why: 'self' | 'closed',
): void {
  leave(book, orders, maker)
  counter.withdrawn(maker, why)
}
