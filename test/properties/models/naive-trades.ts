import { candleIntervals, type CandleInterval } from '#src/market/candles/candle-intervals.ts'
import type { Trade } from '#src/exchange/trades/public-trades.ts'

/** Keeps every trade for ever and searches all of them for each request. */
const hourMs = 3_600_000
const dayMs = 24 * hourMs

/** How far back candles go, as the assumption about them says. */
function keptMs(interval: CandleInterval): number {
  if (interval.endsWith('s')) return hourMs
  if (interval === '1m' || interval === '3m') return 8 * dayMs
  return interval.endsWith('m') ? 30 * dayMs : 400 * dayMs
}

/** The start of the candle that contains a time, by the calendar. */
export function startOf(interval: CandleInterval, at: number): number {
  const date = new Date(at)
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()]
  if (interval === '1M') return Date.UTC(year, month, 1)
  if (interval === '1w') return Date.UTC(year, month, day - ((date.getUTCDay() + 6) % 7))
  return Math.floor(at / candleIntervals[interval]) * candleIntervals[interval]
}

export function endOf(interval: CandleInterval, start: number): number {
  const date = new Date(start)
  if (interval === '1M') return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1)
  return start + candleIntervals[interval]
}

export type Total = {
  open: number
  close: number
  high: number
  low: number
  lots: bigint
  money: bigint
}

function totalOf(trades: readonly Trade[]): Total | undefined {
  const [first] = trades
  const last = trades.at(-1)
  if (first === undefined || last === undefined) return undefined
  const prices = trades.map(({ ticks }) => ticks)
  return {
    open: first.ticks,
    close: last.ticks,
    high: Math.max(...prices),
    low: Math.min(...prices),
    lots: trades.reduce((sum, { lots }) => sum + BigInt(lots), 0n),
    money: trades.reduce((sum, { lots, ticks }) => sum + BigInt(lots) * BigInt(ticks), 0n),
  }
}

export function naiveCandles(
  trades: readonly Trade[],
  interval: CandleInterval,
  about: { from: number | undefined; until: number; most: number; now: number },
): (Total & { start: number })[] {
  const { from, now, most } = about
  const oldest = now - keptMs(interval)
  const found: (Total & { start: number })[] = []
  const [first] = trades
  if (first === undefined) return found
  const begin = startOf(interval, Math.max(first.at, oldest, from ?? 0))
  for (let start = begin; start <= Math.min(now, about.until); start = endOf(interval, start)) {
    // A candle that starts before the kept trades would be incomplete.
    if (start < oldest) continue
    const end = endOf(interval, start)
    const inside = trades.filter(({ at }) => at >= start && at < end)
    const { ticks: close = 0 } = trades.findLast(({ at }) => at < start) ?? {}
    const none = { open: close, close, high: close, low: close, lots: 0n, money: 0n }
    found.push({ start, ...(totalOf(inside) ?? none) })
    if (from !== undefined && found.length === most) break
  }
  return from === undefined ? found.slice(-most) : found
}

/** Of the minutes from `from` on. */
export function naiveStats(trades: readonly Trade[], from: number, before: number) {
  const last = trades.at(-1)?.ticks ?? before
  const total = totalOf(trades.filter(({ at }) => at >= from))
  if (total === undefined) return { open: last, high: last, low: last, last, lots: 0n, money: 0n }
  const { open, high, low, lots, money } = total
  return { open, high, low, last, lots, money }
}
