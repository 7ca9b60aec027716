import { tradeSides, type HistoricalBooks } from './historical-market.ts'

/** One side of an order book, from the best price on; prices and amounts in 10^-9. */
export type SideLevels = { units: Float64Array; amounts: Float64Array }
export type HistoricalBook = { at: number; bids: SideLevels; asks: SideLevels }

/** The order books of a file. The points of a book have the same time, and are in one block. */
export function* booksOf({ blocks }: Pick<HistoricalBooks, 'blocks'>): Generator<HistoricalBook> {
  for (const { count, at, units, amounts, sides } of blocks()) {
    for (let start = 0; start < count;) {
      let [middle, end] = [start, start]
      while (end < count && at[end] === at[start]) {
        if (sides?.[end] === tradeSides.bought) middle = end + 1
        end += 1
      }
      const part = (from: number, to: number) => ({
        units: units.subarray(from, to),
        amounts: amounts.subarray(from, to),
      })
      yield { at: at[start] ?? 0, bids: part(start, middle), asks: part(middle, end) }
      start = end
    }
  }
}
