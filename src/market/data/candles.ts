import { candleStart, nextCandleStart } from '#src/market/candles/candle-times.ts'
import type { CandleInterval } from '#src/market/candles/candle-intervals.ts'
import type { PointBlock } from './historical-market.ts'

/** Prices and volume in 10^-9; the volume is Infinity if the file has no amounts. */
export type HistoricalCandle = {
  opened: number
  open: number
  high: number
  low: number
  close: number
  volume: number
}

/**
 * The candles of a market in one pass; spans without trades have none. Bars of the same length are returned unchanged.
 * The end of the file may cut the last candle short.
 */
export function* candlesOf(
  blocks: Iterable<PointBlock>,
  interval: CandleInterval,
): Generator<HistoricalCandle> {
  let candle: HistoricalCandle | undefined
  let end = -Infinity
  for (const { count, at, units, amounts } of blocks) {
    for (let place = 0; place < count; place++) {
      const [time, price, amount] = [at[place] ?? 0, units[place] ?? 0, amounts[place] ?? 0]
      if (candle === undefined || time >= end) {
        if (candle !== undefined) yield candle
        const opened = candleStart(interval, time)
        end = nextCandleStart(interval, opened)
        candle = { opened, open: price, high: price, low: price, close: price, volume: amount }
      } else {
        if (price > candle.high) candle.high = price
        if (price < candle.low) candle.low = price
        candle.close = price
        candle.volume += amount
      }
    }
  }
  if (candle !== undefined) yield candle
}
