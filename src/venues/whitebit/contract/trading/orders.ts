import { z } from 'zod'
import { endpoint } from '#src/venues/whitebit/contract/endpoint.ts'
import {
  decimalOut,
  market,
  page,
  positionSide,
  side,
  signedOut,
  unixFraction,
  unixSeconds,
  usually,
} from '#src/venues/whitebit/contract/fields.ts'
import { tradeRead, tradeWrite } from '#src/venues/whitebit/contract/private-row.ts'
import {
  exitsOf,
  idOfOrder,
  limitExample,
  limitFlags,
  limitOf,
  orderError,
  ordersGate,
  orderOut,
  orderTerms,
  orderWithout,
  ownId,
  positionOf,
  progressNames,
  reduceOnlyOf,
  resultNames,
} from './order-fields.ts'
import {
  namedOrderNames,
  orderNames,
  orderRequestNames,
} from '#src/venues/whitebit/contract/wire/spelling.ts'

export const bulkOrder = z.strictObject({
  ...orderWithout,
  ...limitOf,
  ...ownId,
  ...limitFlags,
  ...positionOf,
  ...reduceOnlyOf,
  ...exitsOf,
})

/** A limit order of the collateral account: it always has a price and a position, and never waits. */
const bulkResult = orderOut.omit({ activation_price: true }).extend({ price: decimalOut, positionSide })

const bulkElement = z.object({ result: bulkResult.nullable(), error: orderError.nullable() })

export const collateralBulk = endpoint({
  ...tradeWrite,
  path: '/api/v4/order/collateral/bulk',
  orders: 'collateral',
  section: '4.8',
  summary: 'Place several collateral limit orders in one request',
  request: z.strictObject({
    orders: z.array(bulkOrder).min(1).describe('The orders, as a JSON array'),
    stopOnFail: usually(z.boolean().describe('Stop at the first order that fails'), false),
  }),
  gate: ordersGate,
  response: z.array(bulkElement),
  reads: [...resultNames, ...orderTerms, 'ioc', 'status', ...progressNames],
  camel: { request: orderRequestNames, response: orderNames },
  example: {
    request: {
      orders: [
        { market: 'BTC_PERP', side: 'buy', amount: '0.02', price: '60000', client_order_id: 'dip.low.1.1' },
        { market: 'BTC_PERP', side: 'buy', amount: '0.0001', price: '59000', client_order_id: 'dip.low.2.1' },
      ],
      stopOnFail: false,
    },
    response: [
      {
        result: limitExample,
        error: null,
      },
      {
        result: null,
        error: {
          code: 32,
          message: 'Validation failed',
          errors: { amount: ['Given amount is less than min amount 0.001'] },
        },
      },
    ],
  },
})

export const executedOrder = z.object({
  id: z.int(),
  client_order_id: z.string(),
  amount: decimalOut,
  price: decimalOut,
  type: z.string(),
  side,
  ctime: unixFraction,
  ftime: unixFraction,
  takerFee: signedOut.optional(),
  makerFee: signedOut.optional(),
  deal_fee: signedOut.describe('Negative for a rebate'),
  deal_stock: decimalOut,
  deal_money: decimalOut,
  postOnly: z.boolean(),
  ioc: z.boolean(),
  rpi: z.boolean(),
  status: z.string(),
  feeAsset: z.string(),
  stp: z.string().optional(),
  positionSide: positionSide.optional(),
  reduceOnly: z.boolean().optional(),
  activationPrice: decimalOut.optional(),
  activationCondition: z.enum(['gte', 'lte']).optional(),
  activated: unixSeconds.optional(),
})

/** Filters that profile `spec` does not know. */
export const orderHistoryFilters = {
  order_id: z.int().min(1).optional().describe('One order; beyond the specification'),
  client_order_id: idOfOrder.describe('One order by client order id; beyond the specification'),
  status: z
    .enum(['ALL', 'FILLED', 'CANCELED', 'PARTIALLY_FILLED'])
    .optional()
    .describe('Final status; beyond the specification'),
  startDate: unixSeconds.optional().describe('Unix seconds, included; beyond the specification'),
  endDate: unixSeconds.optional().describe('Unix seconds, included; beyond the specification'),
}

const ordersByMarket = z.record(market, z.array(executedOrder))
type OrdersByMarket = z.infer<typeof ordersByMarket>

/** Venues of this family answer [] instead of {} when there is nothing to tell; both mean no orders. */
export const orNone = (answer: never[] | OrdersByMarket): OrdersByMarket =>
  Array.isArray(answer) ? {} : answer

export const orderHistory = endpoint({
  ...tradeRead,
  path: '/api/v4/trade-account/order/history',
  section: '4.10',
  summary: 'Finished orders, grouped by market, newest first',
  request: z.strictObject({
    market: market.optional(),
    ...orderHistoryFilters,
    ...page(500, 50, 1_000_000),
  }),
  response: z.codec(z.union([z.array(z.never()).max(0), ordersByMarket]), ordersByMarket, {
    decode: orNone,
    encode: (answer) => answer,
  }),
  reads: ['id', 'ctime', 'ftime', 'activationPrice', ...orderTerms, ...progressNames],
  errors: [30, 1, 31],
  camel: { request: namedOrderNames, response: orderNames },
  example: {
    request: { market: 'BTC_PERP', limit: 50 },
    response: {
      BTC_PERP: [
        {
          id: 1_000_000_000_001,
          client_order_id: 'dip.low.1.1',
          amount: '0.02',
          price: '60000',
          type: 'limit',
          side: 'buy',
          ctime: 1_790_000_000.25,
          ftime: 1_790_000_100.5,
          takerFee: '0.00035',
          makerFee: '0.0001',
          deal_fee: '0.12',
          deal_stock: '0.02',
          deal_money: '1200',
          postOnly: false,
          ioc: false,
          rpi: false,
          status: 'FILLED',
          feeAsset: 'USDT',
          stp: 'no',
        },
      ],
    },
  },
})
