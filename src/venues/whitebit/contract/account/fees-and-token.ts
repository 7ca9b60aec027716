import { z } from 'zod'
import { endpoint } from '#src/venues/whitebit/contract/endpoint.ts'
import { decimalOut, market } from '#src/venues/whitebit/contract/fields.ts'
import { tradeRead, tradeWrite } from '#src/venues/whitebit/contract/private-row.ts'
import { orderLimit, tokenLimit } from '#src/venues/whitebit/contract/rate-limits.ts'

export const streamToken = endpoint({
  ...tradeWrite,
  path: '/api/v4/profile/websocket_token',
  section: 'beyond.streams',
  summary: 'Create a token for the private channels of the stream',
  permission: 'read',
  limit: tokenLimit,
  request: z.strictObject({}),
  response: z.object({ websocket_token: z.string().min(1) }),
  beyond: true,
  example: { request: {}, response: { websocket_token: '2f1b7c0a-8f41-4f3b-9a37-0d4e5b6c7a81' } },
})

const rates = z.object({ taker: decimalOut, maker: decimalOut })

export const marketFees = endpoint({
  ...tradeRead,
  path: '/api/v4/market/fee',
  section: 'beyond.fees',
  summary: 'Your maker and taker fees in percent, in general and for each market',
  limit: orderLimit,
  request: z.strictObject({ market: market.optional().describe('Has no effect') }),
  response: z.object({
    error: z.literal(null),
    taker: decimalOut,
    maker: decimalOut,
    futures_taker: decimalOut,
    futures_maker: decimalOut,
    rpi_maker_fee_premium: decimalOut.nullable(),
    futures_rpi_maker_fee_premium: decimalOut.nullable(),
    custom_fee: z.record(market, rates),
  }),
  // Earlier documents have lists in custom_fee.
  reads: ['futures_taker', 'futures_maker'],
  beyond: true,
  example: {
    request: {},
    response: {
      error: null,
      taker: '0.1',
      maker: '0.1',
      futures_taker: '0.035',
      futures_maker: '0.01',
      rpi_maker_fee_premium: null,
      futures_rpi_maker_fee_premium: null,
      custom_fee: { BTC_PERP: { taker: '0.035', maker: '0.01' } },
    },
  },
})
