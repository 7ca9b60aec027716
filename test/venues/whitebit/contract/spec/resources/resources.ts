import { z } from 'zod'

/**
 * The resources of §2 and the answers of §4, written down a second time and to the letter: every field, its type,
 * and no field beyond them.
 */
const decimal = z.string().regex(/^\d+(?:\.\d+)?$/)
const uuid = z.guid()
const unixSeconds = z.int().min(1_000_000_000).max(9_999_999_999)
const unixFraction = z.number().min(1_000_000_000).max(9_999_999_999)
const page = { limit: z.int(), offset: z.int() }

const flexInvestment = z.strictObject({
  id: z.string(),
  planId: z.string(),
  currency: z.string(),
  invested: decimal,
  withAutoReinvest: z.boolean(),
  status: z.literal([0, 1]),
  createdAt: unixSeconds,
  updatedAt: unixSeconds,
})

const flexPlan = z.strictObject({
  id: uuid,
  ticker: z.string(),
  minInvestment: decimal,
  maxInvestment: decimal,
  maxRate: decimal,
})

const flexHistoryRecord = z.strictObject({
  createdAt: unixSeconds,
  planId: z.string(),
  investmentId: z.string(),
  currency: z.string(),
  amount: decimal,
  transaction_id: z.string(),
  actionType: z.int(),
})

const interestPayment = z.strictObject({
  planId: uuid,
  investmentId: uuid,
  amount: decimal,
  ticker: z.string(),
  timestamp: unixSeconds,
})

const bulkResult = z.strictObject({
  order_id: z.int(),
  client_order_id: z.string(),
  market: z.string().regex(/^[A-Z0-9]+_[A-Z0-9]+$/),
  side: z.literal(['buy', 'sell']),
  type: z.literal('limit'),
  timestamp: unixFraction,
  deal_money: decimal,
  deal_stock: decimal,
  amount: decimal,
  left: decimal,
  deal_fee: decimal,
  ioc: z.boolean(),
  postOnly: z.boolean(),
  price: decimal,
  status: z.string().min(1),
  stp: z.literal('no'),
  positionSide: z.string().min(1),
  rpi: z.boolean(),
})

const privateError = z.strictObject({
  code: z.int(),
  message: z.string().min(1),
  errors: z.record(z.string(), z.array(z.string().min(1)).min(1)),
})

const bulkElement = z.union([
  z.strictObject({ result: bulkResult, error: z.null() }),
  z.strictObject({ result: z.null(), error: privateError }),
])

const executedOrder = z.strictObject({
  id: z.int(),
  client_order_id: z.string(),
  amount: decimal,
  price: decimal,
  type: z.literal('limit'),
  side: z.literal(['buy', 'sell']),
  ctime: unixFraction,
  ftime: unixFraction,
  takerFee: decimal,
  makerFee: decimal,
  deal_fee: decimal,
  deal_stock: decimal,
  deal_money: decimal,
  postOnly: z.boolean(),
  ioc: z.boolean(),
  rpi: z.boolean(),
  status: z.string().min(1),
  feeAsset: z.string().min(1),
  stp: z.literal('no'),
})

const shapes = {
  flexInvestments: z.strictObject({ data: z.array(flexInvestment), ...page }),
  flexHistory: z.strictObject({ data: z.array(flexHistoryRecord), ...page }),
  flexInvest: z.strictObject({ data: z.strictObject({ transaction_id: z.string().min(1) }) }),
  flexPlans: z.array(flexPlan),
  fixedInterest: z.strictObject({ ...page, records: z.array(interestPayment) }),
  fixedInvest: z.strictObject({ id: uuid }),
  fixedClose: z.strictObject({}),
  collateralBulk: z.array(bulkElement),
  refundDeposit: z.strictObject({ id: uuid }),
  orderHistory: z.record(z.string().regex(/^[A-Z0-9]+_[A-Z0-9]+$/), z.array(executedOrder)),
  createCode: z.strictObject({ code: z.string().min(1), message: z.string(), external_id: uuid }),
  payoutDestination: z.union([
    z.strictObject({ payoutDestination: z.literal('main_balance') }),
    z.strictObject({ payoutDestination: z.literal('external_address'), externalAddress: z.string().min(1) }),
  ]),
  workerHashrate: z.strictObject({
    data: z.strictObject({
      hashrates: z.array(z.strictObject({ time: unixSeconds, hashrate: decimal })),
    }),
  }),
  accountHashrate: z.strictObject({
    data: z.strictObject({
      account: z.string(),
      hashrate: z.array(z.strictObject({ timestamp: unixSeconds, hashrate: decimal })),
    }),
  }),
  depositAddress: z.strictObject({
    account: z.strictObject({ address: z.string().min(1), memo: z.string() }),
    required: z.strictObject({
      fixedFee: decimal,
      flexFee: z.strictObject({ maxFee: decimal, minFee: decimal, percent: decimal }),
      maxAmount: decimal,
      minAmount: decimal,
    }),
  }),
  editSubAccount: z.strictObject({}),
  tradingBalance: z.record(z.string(), z.strictObject({ available: decimal, freeze: decimal })),
  mainBalance: z.record(z.string(), z.strictObject({ main_balance: decimal })),
  ping: z.tuple([z.literal('pong')]),
  privateError,
  publicError: z.strictObject({
    success: z.literal(false),
    message: z.string().min(1),
    params: z.array(z.unknown()),
  }),
  /** The one error without a list of parameters. */
  timestampError: z.strictObject({ code: z.literal(422), message: z.literal('Incorrect timestamp') }),
} as const

export type ResourceValues = { [Name in keyof typeof shapes]: z.output<(typeof shapes)[Name]> }
export const resources: { [Name in keyof ResourceValues]: z.ZodType<ResourceValues[Name]> } = shapes
