import type { OrderBook } from './book.ts'

/** The best levels of one side, best first; prices in ticks. */
export type BookSide = { ticks: Float64Array; lots: Float64Array; count: number }

export function emptySide(limit: number): BookSide {
  return { ticks: new Float64Array(limit), lots: new Float64Array(limit), count: 0 }
}

/**
 * Fills in the public levels of a side: as many as fit, with prices grouped to steps away from the middle. Levels with
 * RPI orders only are left out.
 */
export function shownLevels(
  { bids, asks, levels }: OrderBook,
  sells: boolean,
  step: number,
  into: BookSide,
): BookSide {
  const { prices, levelAt } = sells ? asks : bids
  let count = 0
  for (let index = prices.length - 1; index >= 0; index--) {
    const ticks = prices[index] ?? 0
    const lots = levels.shown[levelAt.get(ticks) ?? 0] ?? 0
    if (lots === 0) continue
    const price = step === 1 ? ticks : (sells ? Math.ceil(ticks / step) : Math.floor(ticks / step)) * step
    if (count > 0 && into.ticks[count - 1] === price) {
      into.lots[count - 1] = (into.lots[count - 1] ?? 0) + lots
      continue
    }
    if (count === into.ticks.length || price === 0) break
    into.ticks[count] = price
    into.lots[count] = lots
    count += 1
  }
  into.count = count
  return into
}

/** Zeros if the side has no public order. */
export function bestLevel(book: OrderBook, sells: boolean): { ticks: number; lots: number } {
  const { ticks, lots, count } = shownLevels(book, sells, 1, emptySide(1))
  return count === 0 ? { ticks: 0, lots: 0 } : { ticks: ticks[0] ?? 0, lots: lots[0] ?? 0 }
}
