import { z } from 'zod'
import { endpoint } from '#src/venues/whitebit/contract/endpoint.ts'
import { decimalOut, market, pageLimit, unixSeconds, usually } from '#src/venues/whitebit/contract/fields.ts'
import { olderPublicLimit } from '#src/venues/whitebit/contract/rate-limits.ts'
import { inEnvelope, publicRow } from '#src/venues/whitebit/contract/public-row.ts'

const secondMs = 1000
const minuteMs = 60 * secondMs
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

/** How long a candle is; a month at the longest. */
export const candleIntervals = {
  '1s': secondMs,
  '10s': 10 * secondMs,
  '30s': 30 * secondMs,
  '1m': minuteMs,
  '3m': 3 * minuteMs,
  '5m': 5 * minuteMs,
  '15m': 15 * minuteMs,
  '30m': 30 * minuteMs,
  '1h': hourMs,
  '2h': 2 * hourMs,
  '4h': 4 * hourMs,
  '6h': 6 * hourMs,
  '8h': 8 * hourMs,
  '12h': 12 * hourMs,
  '1d': dayMs,
  '3d': 3 * dayMs,
  '1w': 7 * dayMs,
  '1M': 31 * dayMs,
} as const
export type CandleInterval = keyof typeof candleIntervals

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Object.keys forgets the keys of a closed table
const intervalNames = Object.keys(candleIntervals) as CandleInterval[]

export const candlesMax = 1440

export const kline = endpoint({
  ...publicRow,
  section: 'beyond.candles',
  path: '/api/v1/public/kline',
  summary: 'Candles of a market, oldest first',
  limit: olderPublicLimit,
  wording: 'wrapped',
  request: z.strictObject({
    market,
    interval: usually(z.enum(intervalNames).describe('Length of a candle'), '1h'),
    start: unixSeconds.optional().describe('Unix seconds; the time is in the first candle'),
    end: unixSeconds.optional().describe('Unix seconds; the time is in the last candle; default now'),
    limit: usually(
      pageLimit(candlesMax).describe(
        'Number of candles: the first ones from start, without start the last ones',
      ),
      candlesMax,
    ),
  }),
  response: inEnvelope(
    z.array(
      // The order is no mistake: time, open, close, high, low, volume, volume in the money currency.
      z.tuple([unixSeconds, decimalOut, decimalOut, decimalOut, decimalOut, decimalOut, decimalOut]),
    ),
  ),
  example: {
    request: { market: 'BTC_PERP', interval: '1h', limit: 1 },
    response: {
      success: true,
      message: null,
      result: [[1_789_999_200, '60345.1', '60000', '60345.1', '59000', '0.02', '1200']],
    },
  },
})
