import type { Client } from '#src/venues/whitebit/client/client.ts'
import type { Prices } from '#src/market/candles/candle.ts'
import { keysOf } from '#src/core/objects/objects.ts'
import { candleIntervals, type CandleInterval } from '#src/market/candles/candle-intervals.ts'

/** `volume`: in the currency of the amounts, where it is known. */
export type ChartCandle = Prices<string> & { at: number; volume?: string }

/** More than a wide screen shows, to scroll back. */
export const shownMax = 500

/** Null for an unknown interval. */
export function intervalOf(text: string): CandleInterval | null {
  return keysOf(candleIntervals).find((name) => name === text) ?? null
}

type Past = { market: string; interval: CandleInterval; now: number; count: number }

/** The last candles of a market, including the open one, or why the venue does not send them. */
export async function pastCandles(
  client: Pick<Client, 'kline'>,
  { market, interval, now, count }: Past,
): Promise<ChartCandle[] | { failure: string }> {
  const from = Math.max(0, now - count * candleIntervals[interval])
  const range = { start: Math.floor(from / 1000), end: Math.floor(now / 1000) }
  const outcome = await client.kline({ market, interval, ...range, limit: count })
  if (outcome.kind !== 'answer') return { failure: 'message' in outcome ? outcome.message : outcome.reason }
  return outcome.value.result.map(([seconds, open, close, high, low, volume]) => ({
    at: seconds * 1000,
    open,
    high,
    low,
    close,
    volume,
  }))
}
