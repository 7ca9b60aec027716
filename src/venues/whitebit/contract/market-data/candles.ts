import { z } from 'zod'
import { candleIntervals } from '#src/market/candles/candle-intervals.ts'
import { endpoint } from '#src/venues/whitebit/contract/endpoint.ts'
import { decimalOut, market, pageLimit, unixSeconds, usually } from '#src/venues/whitebit/contract/fields.ts'
import { olderPublicLimit } from '#src/venues/whitebit/contract/rate-limits.ts'
import { inEnvelope, publicRow } from '#src/venues/whitebit/contract/public-row.ts'
import { keysOf } from '#src/core/objects/objects.ts'

const intervalNames = keysOf(candleIntervals)

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
