import { addLater, pricesAt, type TimedCandle } from '#src/market/candles/candle.ts'
import { candleStart, nextCandleStart } from '#src/market/candles/candle-times.ts'
import type { CandleInterval } from '#src/market/candles/candle-intervals.ts'
import type { PointBlock } from './historical-market.ts'

/**
 * The candles of a market in one pass, in 10^-9; spans without trades have none. Bars of the same length are returned
 * unchanged. The volume is Infinity if the file has no amounts. The end of the file may cut the last candle short.
 */
export function* candlesOf(blocks: Iterable<PointBlock>, interval: CandleInterval): Generator<TimedCandle> {
  let candle: TimedCandle | undefined
  let end = -Infinity
  for (const { count, at, units, amounts } of blocks) {
    for (let place = 0; place < count; place++) {
      const [time, price, amount] = [at[place] ?? 0, units[place] ?? 0, amounts[place] ?? 0]
      if (candle === undefined || time >= end) {
        if (candle !== undefined) yield candle
        const opened = candleStart(interval, time)
        end = nextCandleStart(interval, opened)
        candle = { ...pricesAt(price), opened, volume: amount }
      } else {
        addLater(candle, pricesAt(price))
        candle.volume += amount
      }
    }
  }
  if (candle !== undefined) yield candle
}
