import type { Book, Order } from './state.ts'

/**
 * One market's resting orders in price-time priority. Prices are kept sorted with the best at the end, where
 * taking it away costs nothing; at one price orders queue by arrival, rpi orders behind all others.
 */
export function emptyBook(): Book {
  return { buy: { levels: new Map(), prices: [] }, sell: { levels: new Map(), prices: [] } }
}

export function rest(book: Book, order: Order): void {
  const side = book[order.side]
  let level = side.levels.get(order.ticks)
  if (level === undefined) {
    level = { open: { orders: [], next: 0 }, rpi: { orders: [], next: 0 } }
    side.levels.set(order.ticks, level)
    side.prices.splice(placeOf(side.prices, order.ticks, order.side), 0, order.ticks)
  }
  level[order.rpi ? 'rpi' : 'open'].orders.push(order)
}

/** The order that trades next on this side. */
export function best(book: Book, side: 'buy' | 'sell'): Order | undefined {
  const ticks = book[side].prices.at(-1)
  const level = ticks === undefined ? undefined : book[side].levels.get(ticks)
  return level && (level.open.orders[level.open.next] ?? level.rpi.orders[level.rpi.next])
}

/** Takes the best order of this side out of the book; it must have nothing left. */
export function removeBest(book: Book, side: 'buy' | 'sell'): void {
  const { levels, prices } = book[side]
  const ticks = prices.at(-1)
  const level = ticks === undefined ? undefined : levels.get(ticks)
  if (ticks === undefined || level === undefined) return
  const queue = level.open.next < level.open.orders.length ? level.open : level.rpi
  queue.next += 1
  if (queue.next > 64 && queue.next * 2 > queue.orders.length) {
    queue.orders.splice(0, queue.next)
    queue.next = 0
  }
  if (level.open.next === level.open.orders.length && level.rpi.next === level.rpi.orders.length) {
    levels.delete(ticks)
    prices.pop()
  }
}

/** Whether a price on `side` meets the best price on the other one. */
export function crosses(book: Book, side: 'buy' | 'sell', ticks: number): boolean {
  const opposite = (side === 'buy' ? book.sell : book.buy).prices.at(-1)
  if (opposite === undefined) return false
  return side === 'buy' ? ticks >= opposite : ticks <= opposite
}

/** Orders of one side in the order in which they would trade, as far as `limit` reaches. */
export function* matchable(book: Book, taker: 'buy' | 'sell', limit: number): Generator<Order> {
  const side = taker === 'buy' ? book.sell : book.buy
  for (let index = side.prices.length - 1; index >= 0; index--) {
    const ticks = side.prices[index]
    const level = ticks === undefined ? undefined : side.levels.get(ticks)
    if (ticks === undefined || level === undefined) return
    if (taker === 'buy' ? ticks > limit : ticks < limit) return
    for (const queue of [level.open, level.rpi]) {
      for (let at = queue.next; at < queue.orders.length; at++) {
        const order = queue.orders[at]
        if (order) yield order
      }
    }
  }
}

/** Where a new price belongs: buys rise towards the end, sells fall. */
function placeOf(prices: readonly number[], ticks: number, side: 'buy' | 'sell'): number {
  let low = 0
  let high = prices.length
  while (low < high) {
    const middle = (low + high) >> 1
    const price = prices[middle] ?? 0
    if (side === 'buy' ? price < ticks : price > ticks) low = middle + 1
    else high = middle
  }
  return low
}
