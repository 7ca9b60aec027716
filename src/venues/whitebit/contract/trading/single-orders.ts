import { z } from 'zod'
import { endpoint } from '#src/venues/whitebit/contract/endpoint.ts'
import { decimalIn, usually } from '#src/venues/whitebit/contract/fields.ts'
import { tradeWrite } from '#src/venues/whitebit/contract/private-row.ts'
import {
  exitsOf,
  filledExample,
  inPosition,
  limitFlags,
  limitOf,
  orderCodes,
  orderError,
  orderExample,
  orderOut,
  orderReads,
  ordersGate,
  orderTerms,
  orderWithout,
  ownId,
  positionOf,
  reduceOnlyOf,
  resultNames,
  selfTradeOf,
} from './order-fields.ts'
import { bulkOrder } from './orders.ts'
import { orderNames, orderRequestNames } from '#src/venues/whitebit/contract/wire/spelling.ts'

/** Orders beyond the bulk of spec.md: one at a time, at the market, and with the money of the spot account. */
const placing = {
  ...tradeWrite,
  section: 'beyond.orders',
  // Judged behind the door like an order of a bulk, so that each of its mistakes has a code of its own.
  gate: z.looseObject({}),
  response: orderOut,
  reads: orderReads,
  errors: orderCodes,
  beyond: true,
  camel: { request: orderRequestNames, response: orderNames },
} as const

/** An order that may have a take profit and a stop loss. */
const entryCodes = [...orderCodes, 103, 105, 106] as const

export const collateralLimit = endpoint({
  ...placing,
  path: '/api/v4/order/collateral/limit',
  orders: 'collateral',
  summary: 'Place a collateral limit order',
  request: bulkOrder.extend(selfTradeOf),
  errors: entryCodes,
  example: {
    request: {
      market: 'BTC_PERP',
      side: 'buy',
      amount: '0.02',
      price: '60000',
      client_order_id: 'dip.low.1.1',
      takeProfit: '66000',
      stopLoss: '54000',
      stp: 'cn',
    },
    response: {
      ...orderExample,
      ...inPosition,
      price: '60000',
      stp: 'cn',
      oto: { otoId: 1_000_000_000_000, stopLoss: '54000', takeProfit: '66000' },
    },
  },
})

export const collateralMarket = endpoint({
  ...placing,
  path: '/api/v4/order/collateral/market',
  orders: 'collateral',
  summary: 'Place a collateral market order',
  request: z.strictObject({
    ...orderWithout,
    ...ownId,
    ...positionOf,
    ...reduceOnlyOf,
    ...exitsOf,
    ...selfTradeOf,
  }),
  errors: entryCodes,
  example: {
    request: { market: 'BTC_PERP', side: 'buy', amount: '0.02', client_order_id: 'dip.low.1.1' },
    response: { ...filledExample, ...inPosition, type: 'market', oto: null },
  },
})

const spotLimitOrder = z.strictObject({
  ...orderWithout,
  ...limitOf,
  ...ownId,
  ...limitFlags,
  ...selfTradeOf,
})
const spotExample = { ...orderExample, market: 'BTC_USDT', price: '60000' } as const

export const spotLimit = endpoint({
  ...placing,
  path: '/api/v4/order/new',
  orders: 'spot',
  summary: 'Place a limit order of the spot account',
  request: spotLimitOrder,
  example: {
    request: {
      market: 'BTC_USDT',
      side: 'buy',
      amount: '0.02',
      price: '60000',
      client_order_id: 'dip.low.1.1',
    },
    response: spotExample,
  },
})

export const spotBulk = endpoint({
  ...placing,
  path: '/api/v4/order/bulk',
  orders: 'spot',
  summary: 'Place several limit orders of the spot account in one request',
  request: z.strictObject({
    orders: z.array(spotLimitOrder).min(1).describe('The orders, as a JSON array'),
    stopOnFail: usually(z.boolean().describe('Stop at the first order that fails'), false),
  }),
  gate: ordersGate,
  response: z.array(z.object({ result: orderOut.nullable(), error: orderError.nullable() })),
  reads: [...resultNames, ...orderTerms],
  errors: [30, 1],
  example: {
    request: {
      orders: [{ market: 'BTC_USDT', side: 'buy', amount: '0.02', price: '60000', stp: 'no' }],
      stopOnFail: true,
    },
    response: [{ result: { ...spotExample, client_order_id: '' }, error: null }],
  },
})

const spotFilled = { ...filledExample, market: 'BTC_USDT', deal_fee: '1.2' } as const

export const spotMarket = endpoint({
  ...placing,
  path: '/api/v4/order/market',
  orders: 'spot',
  summary:
    'Place a market order of the spot account: buy for an amount of money, or sell an amount of the base currency',
  request: z.strictObject({
    ...orderWithout,
    amount: decimalIn.describe('Money to spend for a buy, base amount for a sell'),
    ...ownId,
    ...selfTradeOf,
  }),
  example: {
    request: { market: 'BTC_USDT', side: 'buy', amount: '1200', client_order_id: 'dip.low.1.1' },
    response: { ...spotFilled, type: 'market' },
  },
})

export const spotStockMarket = endpoint({
  ...placing,
  path: '/api/v4/order/stock_market',
  orders: 'spot',
  summary: 'Place a spot market order; amount is in the base currency',
  request: z.strictObject({ ...orderWithout, ...ownId, ...selfTradeOf }),
  example: {
    request: { market: 'BTC_USDT', side: 'buy', amount: '0.02', client_order_id: 'dip.low.1.1' },
    response: { ...spotFilled, type: 'stock market' },
  },
})
