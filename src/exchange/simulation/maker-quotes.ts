import type { OrderColumns } from '#src/exchange/trading/book/order-columns.ts'

/**
 * The resting orders of the market maker on one side, nearest to the price first: a ring of row numbers of the order
 * table. The order id of each entry shows whether the row still holds that order.
 */
export type MakerQuotes = { rows: Int32Array; ids: Float64Array; first: number; count: number }

/** Places in the ring, a power of two: four for each level, so that a new side fits in before the old one is removed. */
const placesPerLevel = 4

export function noQuotes(levels: number): MakerQuotes {
  const places = levels * placesPerLevel
  return { rows: new Int32Array(places), ids: new Float64Array(places), first: 0, count: 0 }
}

/** How many levels the side has when it is full. */
export function levelsOf({ rows }: MakerQuotes): number {
  return rows.length / placesPerLevel
}

function placeOf({ rows, first }: MakerQuotes, index: number): number {
  return (first + index) & (rows.length - 1)
}

/** The row of the order at this index, 0 being the nearest; 0 if that order has ended. */
export function quoteAt(quotes: MakerQuotes, orders: OrderColumns, index: number): number {
  const place = placeOf(quotes, index)
  const row = quotes.rows[place] ?? 0
  return orders.id[row] === quotes.ids[place] && orders.status[row] === 0 ? row : 0
}

export function setQuote(quotes: MakerQuotes, orders: OrderColumns, index: number, row: number): void {
  const place = placeOf(quotes, index)
  quotes.rows[place] = row
  quotes.ids[place] = orders.id[row] ?? 0
}

export function pushNear(quotes: MakerQuotes, orders: OrderColumns, row: number): void {
  quotes.first = placeOf(quotes, -1)
  quotes.count += 1
  setQuote(quotes, orders, 0, row)
}

export function pushFar(quotes: MakerQuotes, orders: OrderColumns, row: number): void {
  quotes.count += 1
  setQuote(quotes, orders, quotes.count - 1, row)
}

export function dropNear(quotes: MakerQuotes): void {
  quotes.first = placeOf(quotes, 1)
  quotes.count -= 1
}
