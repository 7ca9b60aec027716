import { z } from 'zod'
import { endpoint } from '#src/venues/whitebit/contract/endpoint.ts'
import {
  decimalOut,
  market,
  pageOffset,
  side,
  signedOut,
  unixSeconds,
} from '#src/venues/whitebit/contract/fields.ts'
import { olderPublicLimit, orderbookLimit } from '#src/venues/whitebit/contract/rate-limits.ts'
import { inEnvelope, publicRow } from '#src/venues/whitebit/contract/public-row.ts'

export const ticker = endpoint({
  ...publicRow,
  section: 'beyond.prices',
  path: '/api/v4/public/ticker',
  summary: 'Last price of every market, with volumes and price change of the last 24 hours',
  request: z.strictObject({}),
  response: z.record(
    market,
    z.object({
      base_id: z.int(),
      quote_id: z.int(),
      last_price: decimalOut,
      quote_volume: decimalOut.describe('In the money currency'),
      base_volume: decimalOut,
      isFrozen: z.boolean(),
      change: signedOut.describe('In percent'),
    }),
  ),
  reads: ['last_price'],
  example: {
    request: {},
    response: {
      BTC_PERP: {
        base_id: 0,
        quote_id: 0,
        last_price: '60000',
        quote_volume: '1200',
        base_volume: '0.02',
        isFrozen: false,
        change: '-0.57',
      },
    },
  },
})

const ofMarket = z.strictObject({ market })

export const marketTicker = endpoint({
  ...publicRow,
  section: 'beyond.prices',
  path: '/api/v1/public/ticker',
  summary: 'Best prices and last price of one market, with volumes and price change of the last 24 hours',
  limit: olderPublicLimit,
  wording: 'wrapped',
  request: ofMarket,
  response: inEnvelope(
    z.object({
      open: decimalOut,
      bid: decimalOut,
      ask: decimalOut,
      low: decimalOut,
      high: decimalOut,
      last: decimalOut,
      volume: decimalOut,
      deal: decimalOut.describe('Volume in the money currency'),
      change: signedOut.describe('In percent'),
    }),
  ),
  example: {
    request: { market: 'BTC_PERP' },
    response: {
      success: true,
      message: null,
      result: {
        open: '60345.1',
        bid: '59999.9',
        ask: '60000',
        low: '59000',
        high: '60345.1',
        last: '60000',
        volume: '0.02',
        deal: '1200',
        change: '-0.57',
      },
    },
  },
})

const levels = z.array(z.tuple([decimalOut, decimalOut]))
const book = z.object({ ticker_id: market, timestamp: unixSeconds, asks: levels, bids: levels })
const bookExample = {
  ticker_id: 'BTC_PERP',
  timestamp: 1_790_000_000,
  asks: [['60000', '0.5']],
  bids: [['59999.9', '1.25']],
}

export const levelsMax = 100

export const orderbook = endpoint({
  ...publicRow,
  section: 'beyond.books',
  path: '/api/v4/public/orderbook/{market}',
  summary: 'The order book of a market, best prices first',
  limit: orderbookLimit,
  wording: 'flat',
  request: z.strictObject({
    market,
    limit: pageOffset(levelsMax).optional().describe('Prices per side; 0 means 100'),
    level: z
      .int()
      .optional()
      .describe('Groups prices: 0 does not, each level up to 10 groups ten times as many'),
  }),
  response: book,
  example: { request: { market: 'BTC_PERP', limit: 1 }, response: bookExample },
})

export const depth = endpoint({
  ...publicRow,
  section: 'beyond.books',
  path: '/api/v4/public/orderbook/depth/{market}',
  summary: 'The order book of a market within two percent of its last price',
  wording: 'flat',
  request: ofMarket,
  response: book,
  example: { request: { market: 'BTC_PERP' }, response: bookExample },
})

export const tradesMax = 100

export const trades = endpoint({
  ...publicRow,
  section: 'beyond.books',
  path: '/api/v4/public/trades/{market}',
  summary: 'The last trades of a market, newest first',
  wording: 'flat',
  request: z.strictObject({ market, type: side.optional().describe('Side of the taker order') }),
  response: z.array(
    z.object({
      tradeID: z.int(),
      price: decimalOut,
      quote_volume: decimalOut.describe('Amount in the base currency: the API family swaps these two names'),
      base_volume: decimalOut.describe('In the money currency'),
      trade_timestamp: unixSeconds,
      type: side,
      rpi: z.boolean().optional(),
    }),
  ),
  example: {
    request: { market: 'BTC_PERP', type: 'sell' },
    response: [
      {
        tradeID: 158_000_001,
        price: '60000',
        quote_volume: '0.002',
        base_volume: '120',
        trade_timestamp: 1_790_000_000,
        type: 'sell',
        rpi: false,
      },
    ],
  },
})
