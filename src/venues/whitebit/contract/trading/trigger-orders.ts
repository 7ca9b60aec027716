import { z } from 'zod'
import { endpoint } from '#src/venues/whitebit/contract/endpoint.ts'
import { decimalIn, decimalOut, emptyList, market, page } from '#src/venues/whitebit/contract/fields.ts'
import { tradeRead, tradeWrite } from '#src/venues/whitebit/contract/private-row.ts'
import { orderNamed } from './order-changes.ts'
import {
  inPosition,
  limitOf,
  orderCodes,
  orderExample,
  orderOut,
  orderReads,
  orderWithout,
  ownId,
  positionOf,
  reduceOnlyOf,
  selfTradeOf,
} from './order-fields.ts'
import {
  namedOrderNames,
  orderNames,
  orderRequestNames,
} from '#src/venues/whitebit/contract/wire/spelling.ts'

/** Orders that wait until the last price has come to theirs, alone or beside a limit order that they replace. */
const waiting = {
  ...tradeWrite,
  section: 'beyond.triggers',
  beyond: true,
  camel: { request: orderRequestNames, response: orderNames },
} as const
// Judged behind the door like every other order.
const placing = {
  ...waiting,
  gate: z.looseObject({}),
  response: orderOut,
  reads: orderReads,
  errors: [...orderCodes, 101, 103],
} as const

const activation = {
  activation_price: decimalIn.describe(
    'Activation price: the last price reaches it from below for a buy, from above for a sell',
  ),
}
const placed = { ...ownId, ...positionOf, ...reduceOnlyOf, ...selfTradeOf }

const stop = {
  ...orderExample,
  ...inPosition,
  client_order_id: '',
  side: 'sell',
  activation_price: '59000',
} as const

export const collateralStopLimit = endpoint({
  ...placing,
  path: '/api/v4/order/collateral/stop-limit',
  orders: 'collateral',
  summary: 'Place a conditional collateral limit order',
  request: z.strictObject({ ...orderWithout, ...limitOf, ...activation, ...placed }),
  example: {
    request: { market: 'BTC_PERP', side: 'sell', amount: '0.02', price: '58900', activation_price: '59000' },
    response: { ...stop, type: 'stop limit', price: '58900' },
  },
})

export const collateralTriggerMarket = endpoint({
  ...placing,
  path: '/api/v4/order/collateral/trigger-market',
  orders: 'collateral',
  summary: 'Place a conditional collateral market order',
  request: z.strictObject({ ...orderWithout, ...activation, ...placed }),
  example: {
    request: { market: 'BTC_PERP', side: 'sell', amount: '0.02', activation_price: '59000' },
    response: { ...stop, type: 'stop market' },
  },
})

const spotPlaced = { ...ownId, ...selfTradeOf }
const spotStop = {
  ...orderExample,
  client_order_id: '',
  market: 'BTC_USDT',
  side: 'sell',
  activation_price: '59000',
} as const

export const spotStopLimit = endpoint({
  ...placing,
  path: '/api/v4/order/stop_limit',
  orders: 'spot',
  summary: 'Place a conditional limit order of the spot account',
  request: z.strictObject({ ...orderWithout, ...limitOf, ...activation, ...spotPlaced }),
  example: {
    request: { market: 'BTC_USDT', side: 'sell', amount: '0.02', price: '58900', activation_price: '59000' },
    response: { ...spotStop, type: 'stop limit', price: '58900' },
  },
})

export const spotStopMarket = endpoint({
  ...placing,
  path: '/api/v4/order/stop_market',
  orders: 'spot',
  summary: 'Place a conditional market order of the spot account',
  request: z.strictObject({
    ...orderWithout,
    amount: decimalIn.describe('Money to spend for a buy, base amount for a sell'),
    ...activation,
    ...spotPlaced,
  }),
  example: {
    request: { market: 'BTC_USDT', side: 'sell', amount: '0.02', activation_price: '59000' },
    response: { ...spotStop, type: 'stop market' },
  },
})

/** An order of a pair has no exits. */
const leg = orderOut.omit({ oto: true })
const legs = { stop_loss: leg, take_profit: leg }
const oco = z.object({ id: z.int(), reduceOnly: z.boolean(), ...legs })
const pairReads = ['id', 'stop_loss', 'take_profit', ...orderReads] as const

const takeProfit = { ...orderExample, ...inPosition, side: 'sell', type: 'limit', price: '62000' } as const
const stopLoss = { ...stop, order_id: stop.order_id + 1, type: 'stop limit', price: '58900' } as const
const pair = {
  id: takeProfit.order_id,
  reduceOnly: false,
  stop_loss: stopLoss,
  take_profit: takeProfit,
} as const
const listedPair = {
  ...pair,
  stop_loss: { ...stopLoss, type: 'margin stop limit' },
  take_profit: { ...takeProfit, type: 'margin limit' },
} as const

export const collateralOco = endpoint({
  ...placing,
  path: '/api/v4/order/collateral/oco',
  orders: 'collateral',
  summary: 'Place a collateral limit order and a stop-limit order as a pair: one cancels the other',
  request: z.strictObject({
    ...orderWithout,
    price: decimalIn.describe('Limit price of the take profit'),
    ...activation,
    stop_limit_price: decimalIn.describe('Limit price of the stop loss'),
    ...placed,
  }),
  response: oco,
  reads: pairReads,
  errors: [...placing.errors, 14, 15, 16, 105, 106, 150, 151, 152, 153, 251],
  example: {
    request: {
      market: 'BTC_PERP',
      side: 'sell',
      amount: '0.02',
      price: '62000',
      activation_price: '59000',
      stop_limit_price: '58900',
      client_order_id: 'dip.low.1.1',
    },
    response: pair,
  },
})

/** A pair, or an open order with what will close it; the exits of a filled one are orders. */
const conditional = oco.partial().extend({
  id: z.int(),
  type: z.enum(['oco', 'oto']),
  stopLossPrice: decimalOut.nullable().optional(),
  takeProfitPrice: decimalOut.nullable().optional(),
  conditionalOrder: leg.optional(),
})
const oto = { otoId: pair.id + 2, stopLoss: '54000', takeProfit: '66000' } as const
const listedOto = {
  id: oto.otoId,
  type: 'oto',
  stopLossPrice: oto.stopLoss,
  takeProfitPrice: oto.takeProfit,
  conditionalOrder: { ...orderExample, order_id: oto.otoId + 1, ...inPosition, price: '60000' },
} as const

const reading = { ...waiting, ...tradeRead, errors: [30, 1, 31] } as const
const cancelling = { ...waiting, response: emptyList, errors: [30, 1, 31, 2] } as const

export const conditionalOrders = endpoint({
  ...reading,
  path: '/api/v4/conditional-orders',
  summary: 'Your OCO pairs and your open orders with take profit or stop loss (OTO), newest first, in pages',
  request: z.strictObject({ market: market.optional(), ...page(100, 100) }),
  response: z.object({
    limit: z.int(),
    offset: z.int(),
    total: z.int(),
    records: z.array(conditional),
  }),
  reads: ['records', 'type', 'conditionalOrder', ...pairReads],
  camel: { request: {}, response: { ...orderNames, stop_loss: 'stopLoss', take_profit: 'takeProfit' } },
  example: {
    request: { market: 'BTC_PERP' },
    response: { limit: 100, offset: 0, total: 2, records: [listedOto, { ...listedPair, type: 'oco' }] },
  },
})

export const ocoOrders = endpoint({
  ...reading,
  path: '/api/v4/oco-orders',
  summary: 'Your OCO pairs (two orders; one cancels the other), as a plain list',
  request: z.strictObject({ market: market.optional(), ...page(100, 50) }),
  response: z.array(oco),
  reads: pairReads,
  example: { request: { market: 'BTC_PERP', limit: 50 }, response: [listedPair] },
})

export const cancelConditional = endpoint({
  ...cancelling,
  path: '/api/v4/order/conditional-cancel',
  summary: 'Cancel an OCO pair or an OTO; id is that of the pair or of the OTO',
  request: z.strictObject({ market, id: z.int().min(1) }),
  example: { request: { market: 'BTC_PERP', id: pair.id }, response: [] },
})

export const cancelOco = endpoint({
  ...cancelling,
  path: '/api/v4/order/oco-cancel',
  summary: 'Cancel both orders of an OCO pair; order_id is the id of one of the two orders',
  request: z.strictObject({ market, ...orderNamed }),
  response: oco,
  reads: pairReads,
  camel: { request: namedOrderNames, response: orderNames },
  example: {
    request: { market: 'BTC_PERP', order_id: pair.id },
    response: {
      ...listedPair,
      stop_loss: { ...listedPair.stop_loss, status: 'CANCELED' },
      take_profit: { ...listedPair.take_profit, status: 'CANCELED' },
    },
  },
})

export const cancelOto = endpoint({
  ...cancelling,
  path: '/api/v4/order/oto-cancel',
  summary: 'Cancel an order with take profit or stop loss (OTO): the rest of the order and its exits',
  request: z.strictObject({ market, otoId: z.int().min(1) }),
  example: { request: { market: 'BTC_PERP', otoId: oto.otoId }, response: [] },
})
