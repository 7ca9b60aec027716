import { z } from 'zod'
import { endpoint } from '#src/venues/whitebit/contract/endpoint.ts'
import { decimalIn, emptyList, market, page } from '#src/venues/whitebit/contract/fields.ts'
import { tradeRead, tradeWrite } from '#src/venues/whitebit/contract/private-row.ts'
import {
  idOfOrder,
  inPosition,
  orderCodes,
  orderError,
  orderExample,
  orderOut,
  orderReads,
  progressNames,
  selfTradeOf,
} from './order-fields.ts'
import { namedOrderNames, orderNames } from '#src/venues/whitebit/contract/wire/spelling.ts'

/** What may be done with an order that rests: look at it, withdraw it, change it. */
const changing = {
  ...tradeWrite,
  section: 'beyond.order-changes',
  beyond: true,
  camel: { request: namedOrderNames, response: orderNames },
} as const

/** One of the two. */
export const orderNamed = {
  order_id: z.int().min(1).optional().describe('Id of the order, or client_order_id'),
  client_order_id: idOfOrder.describe('Client order id'),
}

const resting = { ...orderExample, ...inPosition, type: 'margin limit', price: '60000' } as const
const id = resting.order_id

export const openOrders = endpoint({
  ...changing,
  ...tradeRead,
  path: '/api/v4/orders',
  summary: 'Your open and conditional orders, newest first',
  request: z.strictObject({
    market: market.optional(),
    ...orderNamed,
    ...page(100, 50),
  }),
  response: z.array(orderOut),
  reads: ['timestamp', 'activation_price', ...orderReads, ...progressNames],
  errors: [30, 1, 31],
  example: { request: { market: 'BTC_PERP', limit: 50 }, response: [resting] },
})

export const cancelOrder = endpoint({
  ...changing,
  path: '/api/v4/order/cancel',
  summary: 'Cancel an order',
  request: z.strictObject({ market, ...orderNamed }),
  response: orderOut,
  reads: orderReads,
  errors: [30, 1, 31, 2],
  example: {
    request: { market: 'BTC_PERP', order_id: id },
    response: { ...resting, status: 'CANCELED' },
  },
})

const canceled = z.object({ order_id: z.int(), client_order_id: z.string(), market })

export const cancelOrders = endpoint({
  ...changing,
  path: '/api/v4/order/cancel/bulk',
  summary: 'Cancel several orders; each has its own result',
  request: z.strictObject({
    orders: z
      .array(z.strictObject({ market, ...orderNamed }))
      .min(1)
      .max(100)
      .describe('Orders to cancel, as a JSON array'),
  }),
  response: z.array(z.object({ result: canceled.nullable(), error: orderError.nullable() })),
  reads: ['result', 'error', 'code', 'message'],
  errors: [30, 1],
  example: {
    request: {
      orders: [
        { market: 'BTC_PERP', order_id: id },
        { market: 'BTC_PERP', client_order_id: 'gone' },
      ],
    },
    response: [
      { result: { order_id: id, client_order_id: 'dip.low.1.1', market: 'BTC_PERP' }, error: null },
      {
        result: null,
        error: {
          code: 404,
          message: 'Validation failed',
          errors: { client_order_id: ['Order does not exist or already cancelled'] },
        },
      },
    ],
  },
})

/** What an order belongs to: the spot account, or the collateral account on a market of one kind or the other. */
export const orderKinds = ['spot', 'margin', 'futures'] as const

export const cancelAll = endpoint({
  ...changing,
  path: '/api/v4/order/cancel/all',
  summary: 'Cancel all orders. Optional filters: market, kind of order, side of the position',
  request: z.strictObject({
    market: market.optional(),
    type: z.array(z.enum(orderKinds)).min(1).max(3).optional().describe('Such as ["spot","futures"]'),
    positionSide: z
      .enum(['both', 'long', 'short'])
      .optional()
      .describe('Side of collateral orders, in lower case'),
  }),
  response: emptyList,
  errors: [30, 1, 31, 2],
  example: { request: { market: 'BTC_PERP', type: ['futures'] }, response: [] },
})

/** The documents list these for this call, besides those of each order. */
const modifyCodes: readonly number[] = [
  2, 6, 7, 14, 15, 16, 17, 20, 24, 25, 27, 42, 51, 101, 103, 104, 105, 106, 111, 113, 150, 151, 152, 153, 155,
  157, 158, 159, 160, 161, 162, 163, 251, 300, 302, 330,
]

export const modifyOrder = endpoint({
  ...changing,
  path: '/api/v4/order/modify',
  summary: 'Modify an order: it gets a new id and loses its queue position',
  request: z.strictObject({
    market,
    ...orderNamed,
    amount: decimalIn.optional().describe('Default: the remaining amount'),
    total: decimalIn.optional().describe('Money to spend: orders that can be modified have none'),
    price: decimalIn.optional().describe('New limit price'),
    activation_price: decimalIn.optional().describe('New activation price'),
    ...selfTradeOf,
  }),
  response: orderOut,
  reads: [...orderReads, 'status', ...progressNames],
  errors: [...orderCodes, ...modifyCodes],
  example: {
    request: { market: 'BTC_PERP', order_id: id, price: '60010' },
    response: { ...resting, order_id: id + 1, price: '60010' },
  },
})
