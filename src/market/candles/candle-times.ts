import { candleIntervals, type CandleInterval } from './candle-intervals.ts'

const dayMs = 86_400_000
/** Start of a week: weeks begin on Mondays, and the first day of Unix time was a Thursday. */
const mondayMs = 4 * dayMs

/** The start (UTC) of the candle that contains this time. */
export function candleStart(interval: CandleInterval, at: number): number {
  if (interval === '1M') return monthStart(at)
  const ms = candleIntervals[interval]
  const first = interval === '1w' ? mondayMs : 0
  return at - ((at - first) % ms)
}

export function nextCandleStart(interval: CandleInterval, start: number): number {
  return interval === '1M' ? monthStart(start + 31 * dayMs) : start + candleIntervals[interval]
}

/** Counts years of 365.2425 days from a first of March, so that the leap day is the last day of its year. */
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
