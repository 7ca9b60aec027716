import { noProblems, type Problems } from '#src/venues/whitebit/contract/wire/problems.ts'
import { candleStart } from '#src/market/candles/candle-times.ts'
import { dayMs } from '#src/exchange/time-units.ts'
import type { VenueContext } from '#src/exchange/venue-context.ts'

/**
 * The dates between which a list of finished orders reaches, in Unix seconds (assumptions.historySpan). The limits are
 * those of the vendor's OpenAPI document for /api/v4/trade-account/order/history.
 */
type Span = { startDate: number; endDate: number }
type Dates = { startDate?: number | undefined; endDate?: number | undefined }

export function historySpan(venue: VenueContext, dates: Dates, now: number): Span | { problems: Problems } {
  const most = (venue.switches.historySpan ?? Infinity) / 1000
  if (most === Infinity) return { startDate: dates.startDate ?? 0, endDate: dates.endDate ?? Infinity }
  const endDate = Math.min(dates.endDate ?? Infinity, Math.floor(now / 1000))
  const startDate = dates.startDate ?? endDate - most
  const problems = noProblems()
  if (dates.startDate !== undefined && startDate < historyFloor(venue, now)) {
    problems['startDate'] = ['The startDate may not be older than 6 months.']
  }
  if (endDate - startDate > most) {
    problems['endDate'] = [`The endDate may be at most ${(most * 1000) / dayMs} days after the startDate.`]
  }
  return Object.keys(problems).length > 0 ? { problems } : { startDate, endDate }
}

/** The earliest date of the history, in Unix seconds: six months ago, at 00:00 UTC. */
export function historyFloor({ switches }: VenueContext, now: number): number {
  if ((switches.historySpan ?? Infinity) === Infinity) return 0
  let month = candleStart('1M', now)
  const days = Math.floor((now - month) / dayMs)
  for (let back = 0; back < 6; back++) month = candleStart('1M', month - 1)
  return (month + days * dayMs) / 1000
}
