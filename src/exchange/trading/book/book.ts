import { columns, growColumns, type Columns } from './columns.ts'
import { flag, has, type OrderColumns } from './order-columns.ts'

/**
 * The resting orders of one market in price-time priority. The prices of a side are sorted with the best at the end,
 * where most changes happen. At one price orders queue by arrival, RPI orders behind all others. Queues are links
 * between rows of the order table, so any order leaves in constant time.
 */
export type OrderBook = {
  bids: Ladder
  asks: Ladder
  levels: Levels
  /** Increases with every change visible to the public. */
  updateId: number
}

/** `levelAt` finds the level of a price. */
type Ladder = { prices: number[]; levelAt: Map<number, number> }

/** `shown` is the public amount: all lots except RPI orders. */
type Levels = Columns<typeof layout> & {
  used: number
  /** First row of the free list, linked through `openFirst`. */
  freed: number
}

const layout = {
  floats: ['ticks', 'shown'],
  integers: ['openFirst', 'openLast', 'rpiFirst', 'rpiLast'],
  bytes: [],
  atoms: [],
} as const

export function emptyBook(): OrderBook {
  return {
    bids: { prices: [], levelAt: new Map() },
    asks: { prices: [], levelAt: new Map() },
    levels: { ...columns(layout, 64), used: 1, freed: 0 },
    updateId: 0,
  }
}

/** Adds the order at the end of its queue. */
export function addToQueue(book: OrderBook, orders: OrderColumns, row: number): void {
  const { levels } = book
  const ladder = orders.sells[row] === 1 ? book.asks : book.bids
  const ticks = orders.ticks[row] ?? 0
  let level = ladder.levelAt.get(ticks)
  if (level === undefined) {
    level = takeLevel(levels, ticks)
    ladder.levelAt.set(ticks, level)
    insert(ladder.prices, ticks, orders.sells[row] === 1)
  }
  const hidden = has(orders, row, flag.rpi)
  const last = hidden ? levels.rpiLast : levels.openLast
  const tail = last[level] ?? 0
  orders.level[row] = level
  orders.before[row] = tail
  orders.behind[row] = 0
  if (tail === 0) (hidden ? levels.rpiFirst : levels.openFirst)[level] = row
  else orders.behind[tail] = row
  last[level] = row
  if (!hidden) show(book, level, orders.left[row] ?? 0)
}

/** Removes the order from its queue; its `left` must still be unchanged. */
export function removeFromQueue(book: OrderBook, orders: OrderColumns, row: number): void {
  const { levels } = book
  const level = orders.level[row] ?? 0
  const before = orders.before[row] ?? 0
  const behind = orders.behind[row] ?? 0
  const hidden = has(orders, row, flag.rpi)
  if (before === 0) (hidden ? levels.rpiFirst : levels.openFirst)[level] = behind
  else orders.behind[before] = behind
  if (behind === 0) (hidden ? levels.rpiLast : levels.openLast)[level] = before
  else orders.before[behind] = before
  orders.level[row] = 0
  if (!hidden) show(book, level, -(orders.left[row] ?? 0))
  if (levels.openFirst[level] !== 0 || levels.rpiFirst[level] !== 0) return
  const sells = orders.sells[row] === 1
  const ladder = sells ? book.asks : book.bids
  const ticks = levels.ticks[level] ?? 0
  ladder.levelAt.delete(ticks)
  if (ladder.prices.at(-1) === ticks) ladder.prices.pop()
  else ladder.prices.splice(placeOf(ladder.prices, ticks, sells), 1)
  levels.openFirst[level] = levels.freed
  levels.freed = level
}

/** Reduces the lots of the order; it keeps its place. */
export function reduceOrder(book: OrderBook, orders: OrderColumns, row: number, lots: number): void {
  orders.left[row] = (orders.left[row] ?? 0) - lots
  if (!has(orders, row, flag.rpi)) show(book, orders.level[row] ?? 0, -lots)
}

/** The best price of a side, or 0 if the side is empty. */
export function bestPrice(book: OrderBook, sells: boolean): number {
  return (sells ? book.asks : book.bids).prices.at(-1) ?? 0
}

/** The next order of this side to trade, or 0 if there is none. */
export function bestOrder(book: OrderBook, sells: boolean): number {
  const { openFirst, rpiFirst } = book.levels
  const level = (sells ? book.asks : book.bids).levelAt.get(bestPrice(book, sells)) ?? 0
  return openFirst[level] || rpiFirst[level] || 0
}

/** Whether an order of this side and limit meets the best price of the other side. A limit of 0 meets any price. */
export function crosses(book: OrderBook, sells: boolean, limit: number): boolean {
  const opposite = bestPrice(book, !sells)
  if (opposite === 0) return false
  return limit === 0 || (sells ? limit <= opposite : limit >= opposite)
}

/** The orders of one side in the order of matching, up to `limit`. */
export function* matchable(
  book: OrderBook,
  orders: OrderColumns,
  sells: boolean,
  limit: number,
): Generator<number> {
  const { prices, levelAt } = sells ? book.asks : book.bids
  for (let index = prices.length - 1; index >= 0; index--) {
    const ticks = prices[index] ?? 0
    if (limit !== 0 && (sells ? ticks > limit : ticks < limit)) return
    const level = levelAt.get(ticks) ?? 0
    for (let row = book.levels.openFirst[level] ?? 0; row !== 0; row = orders.behind[row] ?? 0) yield row
    for (let row = book.levels.rpiFirst[level] ?? 0; row !== 0; row = orders.behind[row] ?? 0) yield row
  }
}

function show(book: OrderBook, level: number, lots: number): void {
  book.levels.shown[level] = (book.levels.shown[level] ?? 0) + lots
  book.updateId += 1
}

function takeLevel(levels: Levels, ticks: number): number {
  let level = levels.freed
  if (level === 0) {
    if (levels.used === levels.ticks.length) growColumns(levels, 2 * levels.used)
    level = levels.used++
  } else levels.freed = levels.openFirst[level] ?? 0
  levels.ticks[level] = ticks
  levels.shown[level] = 0
  levels.openFirst[level] = 0
  levels.openLast[level] = 0
  levels.rpiFirst[level] = 0
  levels.rpiLast[level] = 0
  return level
}

function insert(prices: number[], ticks: number, sells: boolean): void {
  const best = prices.at(-1)
  if (best === undefined || (sells ? ticks < best : ticks > best)) prices.push(ticks)
  else prices.splice(placeOf(prices, ticks, sells), 0, ticks)
}

/** The place of a price, or where it would be inserted: bids ascend, asks descend. */
function placeOf(prices: readonly number[], ticks: number, sells: boolean): number {
  let low = 0
  let high = prices.length
  while (low < high) {
    const middle = (low + high) >> 1
    const price = prices[middle] ?? 0
    if (sells ? price > ticks : price < ticks) low = middle + 1
    else high = middle
  }
  return low
}
