import { z } from 'zod'
import { endpoint } from '#src/venues/whitebit/contract/endpoint.ts'
import {
  decimalOut,
  market,
  page,
  signedOut,
  ticker,
  unixSeconds,
} from '#src/venues/whitebit/contract/fields.ts'
import { inEnvelope, publicRow } from '#src/venues/whitebit/contract/public-row.ts'

export const futures = endpoint({
  ...publicRow,
  section: 'beyond.futures',
  path: '/api/v4/public/futures',
  summary: 'Every perpetual: prices, open interest, index and funding',
  request: z.strictObject({}),
  // One market with another field does not make the others unreadable.
  reads: [
    'result',
    'ticker_id',
    'stock_currency',
    'money_currency',
    'last_price',
    'stock_volume',
    'money_volume',
    'bid',
    'ask',
    'high',
    'low',
    'product_type',
    'open_interest',
    'index_price',
    'index_name',
    'index_currency',
    'funding_rate',
    'next_funding_rate_timestamp',
    'brackets',
    'max_leverage',
  ],
  response: inEnvelope(
    z.array(
      z.object({
        ticker_id: market,
        stock_currency: ticker,
        money_currency: ticker,
        last_price: decimalOut,
        stock_volume: decimalOut,
        money_volume: decimalOut,
        bid: decimalOut,
        ask: decimalOut,
        high: decimalOut,
        low: decimalOut,
        product_type: z.string(),
        open_interest: decimalOut,
        // Venues without a fresh one leave it empty, or out.
        mark_price: z.union([decimalOut, z.literal('')]).optional(),
        index_price: decimalOut,
        index_name: z.string(),
        index_currency: z.string(),
        funding_rate: signedOut,
        funding_cap: signedOut.nullish(),
        funding_floor: signedOut.nullish(),
        next_funding_rate_timestamp: z
          .string()
          .regex(/^\d{13}$/)
          .describe('Unix milliseconds'),
        brackets: z.record(z.string(), z.number()),
        max_leverage: z.int(),
        funding_interval_minutes: z.int().optional(),
      }),
    ),
  ),
  example: {
    request: {},
    response: {
      success: true,
      message: null,
      result: [
        {
          ticker_id: 'BTC_PERP',
          stock_currency: 'BTC',
          money_currency: 'USDT',
          last_price: '60000',
          stock_volume: '0.02',
          money_volume: '1200',
          bid: '59999.9',
          ask: '60000',
          high: '60345.1',
          low: '59000',
          product_type: 'Perpetual',
          open_interest: '0.02',
          mark_price: '60000',
          index_price: '60000',
          index_name: 'BTC',
          index_currency: 'BTC',
          funding_rate: '0',
          funding_cap: null,
          funding_floor: null,
          next_funding_rate_timestamp: '1790006400000',
          brackets: { '1': 0, '100': 0 },
          max_leverage: 100,
          funding_interval_minutes: 480,
        },
      ],
    },
  },
})

const secondsText = z
  .string()
  .regex(/^\d{10}$/)
  .describe('Unix seconds')

export const fundingRates = endpoint({
  ...publicRow,
  section: 'beyond.futures',
  path: '/api/v4/public/funding-history/{market}',
  summary: 'Past funding rates of a perpetual, newest first',
  wording: 'flat',
  request: z.strictObject({
    market,
    startDate: unixSeconds.optional().describe('Unix seconds'),
    endDate: unixSeconds.optional().describe('Unix seconds'),
    ...page(100, 100, 1_000_000),
  }),
  response: z.array(
    z.object({
      fundingTime: secondsText,
      fundingRate: signedOut,
      market,
      settlementPrice: decimalOut,
      rateCalculatedTime: secondsText,
    }),
  ),
  example: {
    request: { market: 'BTC_PERP', limit: 1 },
    response: [
      {
        fundingTime: '1789977600',
        fundingRate: '-0.0001',
        market: 'BTC_PERP',
        settlementPrice: '60000',
        rateCalculatedTime: '1789948800',
      },
    ],
  },
})
