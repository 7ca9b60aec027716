import { z } from 'zod'
import {
  decimalIn,
  decimalOut,
  market,
  positionSide,
  side,
  signedOut,
  unixFraction,
} from '#src/venues/whitebit/contract/fields.ts'
import { isRecord } from '#src/core/objects/objects.ts'

/** What orders are made of, in requests and in answers. */

/** Letters, digits, `-`, `.`, `_`; a longer one is refused, so that it never has to be cut. */
export const clientOrderIdPattern = /^[A-Za-z0-9._-]{0,64}$/

/** A client order id that names an order. */
export const idOfOrder = z.string().regex(clientOrderIdPattern).min(1).optional()

export const orderWithout = {
  market,
  side: side.describe('buy or sell'),
  amount: decimalIn.describe('Amount in the base currency'),
}

export const limitOf = { price: decimalIn.describe('Limit price') }

export const ownId = {
  client_order_id: z
    .string()
    .regex(clientOrderIdPattern)
    .optional()
    .describe('Client order id, may be empty'),
}

export const limitFlags = {
  postOnly: z.boolean().optional().describe('Maker only: refuse instead of taking liquidity'),
  ioc: z.boolean().optional().describe('Fill at once as far as possible, cancel the rest'),
  rpi: z.boolean().optional().describe('Maker only and hidden; fills after other orders at its price'),
}

export const positionOf = { positionSide: positionSide.optional().describe('LONG, SHORT or BOTH') }
export const reduceOnlyOf = {
  reduceOnly: z.boolean().optional().describe('Only reduce the position; beyond the specification'),
}

export const exitsOf = {
  takeProfit: decimalIn
    .optional()
    .describe('Closes what has filled when the last price comes to it; beyond the specification'),
  stopLoss: decimalIn
    .optional()
    .describe('Closes what has filled when the last price comes to it; beyond the specification'),
}

/** The last three are older words for the three before. */
export const selfTradeModes = ['no', 'cb', 'cn', 'co', 'cancel_both', 'cancel_new', 'cancel_old'] as const

export type SelfTradeMode = (typeof selfTradeModes)[number]

export const selfTradeOf = {
  stp: z
    .enum(selfTradeModes)
    .optional()
    .describe('When it would fill against your own order: allow, cancel both, the new or the old order'),
}

/** An order, wherever it is told of: orders of the spot account have no position. */
export const orderOut = z.object({
  order_id: z.int(),
  client_order_id: z.string(),
  market,
  side,
  type: z.string(),
  timestamp: unixFraction,
  deal_money: decimalOut,
  deal_stock: decimalOut,
  amount: decimalOut,
  left: decimalOut,
  deal_fee: signedOut.describe('Negative for a rebate'),
  ioc: z.boolean(),
  postOnly: z.boolean(),
  price: decimalOut.optional().describe('A market order has no price'),
  activation_price: decimalOut.optional().describe('Activation price of a conditional order'),
  status: z.string(),
  stp: z.string(),
  oto: z
    .object({ otoId: z.int(), stopLoss: decimalOut.nullable(), takeProfit: decimalOut.nullable() })
    .nullable()
    .optional()
    .describe('Take profit and stop loss of the order'),
  positionSide: positionSide.optional(),
  rpi: z.boolean(),
  reduceOnly: z.boolean().optional(),
})

/** Fields that identify an order. */
export const orderTerms = ['client_order_id', 'market', 'side', 'amount', 'price'] as const

/** Fields of the answer for one order. */
export const orderReads = ['order_id', ...orderTerms] as const

/** Fields with the fills of an order. */
export const progressNames = ['deal_stock', 'deal_money', 'deal_fee'] as const

/** Fields of the outcome of each order in a bulk. */
export const resultNames = ['result', 'order_id', 'error', 'code', 'message'] as const

/** Code 32 in profile `spec`; `full` tells market, amount, price, id, flags and balance apart (31 to 116). */
export const orderError = z.object({
  code: z.int(),
  message: z.string(),
  errors: z.record(z.string(), z.array(z.string())),
})

/** One answer for the list as a whole: a text for each of thousands of wrong elements would be an answer to nobody. */
function isListOfObjects(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.every(isRecord)
}

/** What the door checks of a list of orders: one bad order must not refuse the others. */
export const ordersGate = z.strictObject({
  orders: z.custom<Record<string, unknown>[]>(isListOfObjects, 'The orders must be an array of objects.'),
  stopOnFail: z.boolean().optional(),
})

/** A refusal of one order, whatever it is about: shape, market, amount, price, id, flags, balance, position. */
export const orderCodes = [
  30, 1, 31, 32, 33, 35, 36, 37, 40, 10, 11, 12, 13, 112, 114, 115, 116, 250,
] as const

/** An accepted limit order of the collateral account, with every field in the order of the schema. */
export const limitExample = {
  order_id: 1_000_000_000_001,
  client_order_id: 'dip.low.1.1',
  market: 'BTC_PERP',
  side: 'buy',
  type: 'limit',
  timestamp: 1_790_000_000.25,
  deal_money: '0',
  deal_stock: '0',
  amount: '0.02',
  left: '0.02',
  deal_fee: '0',
  ioc: false,
  postOnly: false,
  price: '60000',
  status: 'OPEN',
  stp: 'no',
  positionSide: 'LONG',
  rpi: false,
} as const
const { price: _price, positionSide: _positionSide, ...commonExample } = limitExample
/** The fields that the example of each order has; `filledExample` was filled at once. */
export const orderExample = commonExample
export const filledExample = {
  ...orderExample,
  deal_money: '1200',
  deal_stock: '0.02',
  left: '0',
  deal_fee: '0.42',
  status: 'FILLED',
} as const
export const inPosition = { positionSide: 'BOTH', reduceOnly: false } as const
