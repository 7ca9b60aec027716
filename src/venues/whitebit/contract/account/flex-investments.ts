import { z } from 'zod'
import { endpoint } from '#src/venues/whitebit/contract/endpoint.ts'
import {
  dataPage,
  decimalField,
  decimalOut,
  page,
  ticker,
  unixSeconds,
  uuid,
  uuidPattern,
} from '#src/venues/whitebit/contract/fields.ts'
import { accountRead, accountWrite } from '#src/venues/whitebit/contract/private-row.ts'
import { flexListLimit } from '#src/venues/whitebit/contract/rate-limits.ts'

/** Spec §4.3 shows these two texts: the fields of an investment report keys, not sentences. */
const required = (text: string) => (issue: { input?: unknown }) =>
  issue.input === undefined ? 'validation.required' : text

/** Their lists reach farther than others. */
const farthest = 1_000_000

export const planIn = z
  .string({ error: required('The selected plan is invalid.') })
  .regex(uuidPattern, 'The selected plan is invalid.')
export const flexAmountIn = decimalField(required('validation.numeric'))
export const flexTransaction = z.object({ data: z.object({ transaction_id: z.string() }) })

export const flexInvestments = endpoint({
  ...accountRead,
  path: '/api/v4/main-account/smart-flex/investments',
  section: '4.1',
  summary: 'Your flexible investments',
  access: 'partner',
  limit: flexListLimit,
  request: z.strictObject({
    ...page(100, 100, farthest),
    ticker: ticker.optional(),
    plan: uuid.optional(),
    investment: z.string().min(1).max(64).optional(),
    investmentStatus: z.literal([0, 1]).optional().describe('1 active, 0 closed'),
  }),
  response: dataPage(
    z.object({
      id: z.string(),
      planId: uuid,
      currency: ticker,
      invested: decimalOut,
      withAutoReinvest: z.boolean(),
      status: z.literal([0, 1]),
      createdAt: unixSeconds,
      updatedAt: unixSeconds,
    }),
  ),
  invalid: { code: 0, status: 400, documented: true },
  example: {
    request: { ticker: 'USDT', investmentStatus: 1 },
    response: {
      data: [
        {
          id: 'inv_2b7c1f0a-8f41-4f3b-9a37-0d4e5b6c7a81',
          planId: '22222222-2222-4222-8222-000000000001',
          currency: 'USDT',
          invested: '250.5',
          withAutoReinvest: true,
          status: 1,
          createdAt: 1_790_000_000,
          updatedAt: 1_790_086_400,
        },
      ],
      limit: 100,
      offset: 0,
    },
  },
})

/** The table of operation ids is an assumption (assumptions.actionTypes). */
export const actionTypes = {
  invest: 1,
  reinvest: 2,
  withdraw: 3,
  dailyEarning: 4,
  close: 5,
  open: 6,
} as const

export const flexFilters = {
  ...page(100, 50, farthest),
  plan: uuid.optional(),
  investment: z.string().min(1).max(64).optional(),
  transaction: z.string().min(1).max(64).optional(),
  dateFrom: unixSeconds.optional(),
  dateTo: unixSeconds.optional(),
}

export const flexRecords = dataPage(
  z.object({
    createdAt: unixSeconds,
    planId: uuid,
    investmentId: z.string(),
    currency: ticker,
    amount: decimalOut,
    transaction_id: z.string(),
    actionType: z.int(),
  }),
)

const plan = '22222222-2222-4222-8222-000000000001'
const transaction_id = 'tx_7d0b5a44-2f0a-4b55-8f43-5a3c2e1d0b9a'
export const flexExample = {
  plan,
  transaction: { data: { transaction_id } },
  records: {
    data: [
      {
        createdAt: 1_790_086_400,
        planId: plan,
        investmentId: 'inv_2b7c1f0a-8f41-4f3b-9a37-0d4e5b6c7a81',
        currency: 'USDT',
        amount: '0.0823561',
        transaction_id,
        actionType: 4,
      },
    ],
    limit: 10,
    offset: 0,
  },
}

/** Older documents of the family have `transactionId`. */
export const flexRecordReads = ['data', 'createdAt', 'planId', 'currency', 'amount', 'actionType'] as const

export const flexHistory = endpoint({
  ...accountRead,
  path: '/api/v4/main-account/smart-flex/investments/history',
  section: '4.2',
  summary: 'Deposits, withdrawals and earnings of your flexible investments',
  access: 'partner',
  request: z.strictObject({
    ...flexFilters,
    actionTypes: z
      .array(z.literal(Object.values(actionTypes), 'The selected action type is invalid.'))
      .optional(),
  }),
  response: flexRecords,
  reads: flexRecordReads,
  example: {
    request: { actionTypes: [4], limit: 10 },
    response: flexExample.records,
  },
})

export const flexInvest = endpoint({
  ...accountWrite,
  path: '/api/v4/main-account/smart-flex/investments/invest',
  section: '4.3',
  summary: 'Invest from the main account into a flexible plan',
  access: 'partner',
  request: z.strictObject({
    plan: planIn,
    amount: flexAmountIn,
    withReinvest: z.boolean().optional().describe('Reinvest earnings'),
  }),
  response: flexTransaction,
  reads: ['data'],
  errors: [0, 2, 3, 4],
  created: true,
  example: {
    request: { plan: flexExample.plan, amount: '250.5', withReinvest: true },
    response: flexExample.transaction,
  },
})

export const flexPlans = endpoint({
  ...accountRead,
  path: '/api/v4/main-account/smart-flex/plans',
  section: '4.4',
  summary: 'Plans for flexible investments',
  access: 'partner',
  request: z.strictObject({ ...page(100, 100, farthest), ticker: ticker.optional() }),
  response: z.array(
    z.object({
      id: uuid,
      ticker,
      minInvestment: decimalOut,
      maxInvestment: decimalOut,
      maxRate: decimalOut,
    }),
  ),
  reads: ['id', 'ticker', 'minInvestment', 'maxInvestment', 'maxRate'],
  example: {
    request: { ticker: 'USDT' },
    response: [
      {
        id: '22222222-2222-4222-8222-000000000001',
        ticker: 'USDT',
        minInvestment: '10',
        maxInvestment: '10000',
        maxRate: '0.12',
      },
    ],
  },
})
