import { z } from 'zod'
import { endpoint } from '#src/venues/whitebit/contract/endpoint.ts'
import {
  decimalOut,
  market,
  page,
  side,
  signedOut,
  unixFraction,
  unixSeconds,
} from '#src/venues/whitebit/contract/fields.ts'
import { tradeRead } from '#src/venues/whitebit/contract/private-row.ts'
import { idOfOrder } from './order-fields.ts'
import { namedOrderNames, orderNames } from '#src/venues/whitebit/contract/wire/spelling.ts'

/** What became of orders: their deals, one by one. */
const telling = {
  ...tradeRead,
  section: 'beyond.fills',
  beyond: true,
  camel: { request: namedOrderNames, response: orderNames },
} as const

const dealOut = {
  id: z.int(),
  client_order_id: z.string(),
  time: unixFraction,
  role: z.literal([1, 2]).describe('1 maker, 2 taker'),
  amount: decimalOut,
  price: decimalOut,
  deal: decimalOut.describe('Notional of the fill'),
  fee: signedOut.describe('Negative for a rebate'),
  feeAsset: z.string(),
}

const dealReads = ['id', 'time', 'amount', 'price', 'deal', 'fee'] as const

const deals = z.array(z.object({ ...dealOut, side, order_id: z.int() }))

const shown = {
  id: 158_001,
  client_order_id: 'dip.low.1.1',
  time: 1_790_000_042.5,
  role: 1,
  amount: '0.02',
  price: '60000',
  deal: '1200',
  fee: '0.12',
  feeAsset: 'USDT',
} as const

export const executedHistory = endpoint({
  ...telling,
  path: '/api/v4/trade-account/executed-history',
  summary: 'Your fills, newest first; without a market, the answer has one list for each market',
  request: z.strictObject({
    market: market.optional(),
    client_order_id: idOfOrder.describe('Fills of one order'),
    startDate: unixSeconds.optional().describe('Unix seconds, included'),
    endDate: unixSeconds.optional().describe('Unix seconds, included'),
    ...page(500, 50),
  }),
  response: z.union([deals, z.record(market, deals)]),
  reads: [...dealReads, 'order_id'],
  errors: [30, 1, 31],
  example: {
    request: { market: 'BTC_PERP', limit: 50 },
    response: [{ ...shown, side: 'buy', order_id: 1_000_000_000_001 }],
  },
})

export const orderDeals = endpoint({
  ...telling,
  path: '/api/v4/trade-account/order',
  summary: 'Fills of one order, newest first',
  request: z.strictObject({
    order_id: z.int().min(1),
    market: market.optional().describe('Has no effect'),
    ...page(100, 50),
  }),
  response: z.object({
    records: z.array(
      z.object({
        ...dealOut,
        dealOrderId: z.int().describe('The order on the other side'),
        rpi: z.boolean(),
      }),
    ),
    offset: z.int(),
    limit: z.int(),
  }),
  reads: ['records', ...dealReads],
  errors: [30, 1],
  example: {
    request: { order_id: 1_000_000_000_001 },
    response: { records: [{ ...shown, dealOrderId: 2_000_000_000_007, rpi: false }], offset: 0, limit: 50 },
  },
})
