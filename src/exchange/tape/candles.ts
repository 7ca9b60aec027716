import { candleIntervals, type CandleInterval } from '#src/contract/candles.ts'
import { dayMs } from '../moments.ts'
import { barsFrom, join, lengths, noBars, priceBefore, type Bar } from './bars.ts'
import type { Tape } from './tape.ts'

/** A begin of all weeks: they begin on Mondays, and the first day of Unix time was a Thursday. */
const mondayMs = 4 * dayMs

/** The begin of the candle that holds a moment, UTC. */
function candleStart(interval: CandleInterval, at: number): number {
  if (interval === '1M') return monthStart(at)
  const ms = candleIntervals[interval]
  const first = interval === '1w' ? mondayMs : 0
  return at - ((at - first) % ms)
}

function nextStart(interval: CandleInterval, start: number): number {
  return interval === '1M' ? monthStart(start + 31 * dayMs) : start + candleIntervals[interval]
}

/** Counted in years of 365.2425 days from a first of March, so that the leap day is the last of its year. */
function monthStart(at: number): number {
  const day = Math.floor(at / dayMs) + 719_468
  const era = Math.floor(day / 146_097)
  const dayOfEra = day - era * 146_097
  const year = Math.floor(
    (dayOfEra -
      Math.floor(dayOfEra / 1460) +
      Math.floor(dayOfEra / 36_524) -
      Math.floor(dayOfEra / 146_096)) /
      365,
  )
  const dayOfYear = dayOfEra - (365 * year + Math.floor(year / 4) - Math.floor(year / 100))
  const month = Math.floor((5 * dayOfYear + 2) / 153)
  const firstOfMonth = Math.floor((153 * month + 2) / 5)
  return (day - 719_468 - dayOfYear + firstOfMonth) * dayMs
}

/**
 * The candles from one moment to another, at most so many: the first ones when `from` is given, else the last. One
 * in which nothing traded repeats the close of the one before it; before the first trade there are none, unless the
 * market has a past from before its begin.
 */
export function candlesOf(
  { bars }: Tape,
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
  if (start < oldest) start = nextStart(interval, start)
  let close = priceBefore(bars, length, start) ?? priceBefore(past, length, start)
  const found: Bar[] = []
  const parts = [...barsFrom(past, length, start), ...barsFrom(bars, length, start)]
  let next = 0
  for (; start <= until; start = nextStart(interval, start)) {
    const end = nextStart(interval, start)
    let candle: Bar | undefined
    for (let part = parts[next]; part !== undefined && part.start < end; part = parts[++next]) {
      if (candle === undefined) candle = { ...part, start }
      else join(candle, part)
    }
    if (candle === undefined && close !== undefined) candle = idle(start, close)
    if (candle === undefined) continue
    close = candle.close
    found.push(candle)
    if (from !== undefined && found.length === most) break
  }
  return found.slice(-most)
}

function idle(start: number, price: number): Bar {
  return { start, open: price, close: price, high: price, low: price, lots: 0n, money: 0n }
}
