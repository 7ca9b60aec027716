import { pricesAt } from '#src/market/candles/candle.ts'
import { candleStart, nextCandleStart } from '#src/market/candles/candle-times.ts'
import { candleIntervals, type CandleInterval } from '#src/market/candles/candle-intervals.ts'
import { barsFrom, join, lengths, noBars, priceBefore, type Bar } from './bars.ts'
import type { PublicTrades } from './public-trades.ts'

/**
 * The candles of a time range, at most `most`: the first ones if `from` is given, else the last. A candle without
 * trades repeats the close before it. There are none before the first trade, unless the market has a simulated history.
 */
export function candlesOf(
  { bars }: PublicTrades,
  interval: CandleInterval,
  about: { from: number | undefined; until: number; most: number; now: number },
  past = noBars(),
): Bar[] {
  const { from, most, now } = about
  const until = Math.min(about.until, now)
  const ms = candleIntervals[interval]
  const length = lengths.findLastIndex((each) => ms % each.ms === 0)
  const oldest = now - (lengths[length]?.keptMs ?? 0)
  let start = candleStart(interval, Math.max(oldest, from ?? until - most * ms))
  if (start < oldest) start = nextCandleStart(interval, start)
  let close = priceBefore(bars, length, start) ?? priceBefore(past, length, start)
  const found: Bar[] = []
  const parts = [...barsFrom(past, length, start), ...barsFrom(bars, length, start)]
  let next = 0
  for (; start <= until; start = nextCandleStart(interval, start)) {
    const end = nextCandleStart(interval, start)
    let candle: Bar | undefined
    for (let part = parts[next]; part !== undefined && part.start < end; part = parts[++next]) {
      if (candle === undefined) candle = { ...part, start }
      else join(candle, part)
    }
    if (candle === undefined && close !== undefined)
      candle = { ...pricesAt(close), start, lots: 0n, money: 0n }
    if (candle === undefined) continue
    close = candle.close
    found.push(candle)
    if (from !== undefined && found.length === most) break
  }
  return found.slice(-most)
}
