import type { OrderColumns } from '#src/exchange/trading/book/order-columns.ts'

/**
 * The resting orders of the market maker on one side, nearest to the price first: a ring of row numbers of the order
 * table. The order id of each entry shows whether the row still holds that order.
 */
export type MakerQuotes = { rows: Int32Array; ids: Float64Array; first: number; count: number }

/** More than twice the levels, so that a new side fits in before the old one is removed. */
const places = 256
const last = places - 1

export function noQuotes(): MakerQuotes {
  return { rows: new Int32Array(places), ids: new Float64Array(places), first: 0, count: 0 }
}

/** The row of the order at this index, 0 being the nearest; 0 if that order has ended. */
export function quoteAt({ rows, ids, first }: MakerQuotes, orders: OrderColumns, index: number): number {
  const place = (first + index) & last
  const row = rows[place] ?? 0
  return orders.id[row] === ids[place] && orders.status[row] === 0 ? row : 0
}

export function setQuote(quotes: MakerQuotes, orders: OrderColumns, index: number, row: number): void {
  const place = (quotes.first + index) & last
  quotes.rows[place] = row
  quotes.ids[place] = orders.id[row] ?? 0
}

export function pushNear(quotes: MakerQuotes, orders: OrderColumns, row: number): void {
  quotes.first = (quotes.first - 1) & last
  quotes.count += 1
  setQuote(quotes, orders, 0, row)
}

export function pushFar(quotes: MakerQuotes, orders: OrderColumns, row: number): void {
  quotes.count += 1
  setQuote(quotes, orders, quotes.count - 1, row)
}

export function dropNear(quotes: MakerQuotes): void {
  quotes.first = (quotes.first + 1) & last
  quotes.count -= 1
}
