import { z } from 'zod'
import { endpoint } from '#src/venues/whitebit/contract/endpoint.ts'
import {
  decimalIn,
  decimalOut,
  page,
  ticker,
  unixSeconds,
  uuid,
  uuidPattern,
} from '#src/venues/whitebit/contract/fields.ts'
import { accountRead, accountWrite } from '#src/venues/whitebit/contract/private-row.ts'

const recordPage = <Element extends z.ZodType>(element: Element) =>
  z.object({ offset: z.int(), limit: z.int(), records: z.array(element) })

const planIdIn = z.string().regex(uuidPattern, 'The selected planId is invalid.')

export const fixedInterest = endpoint({
  ...accountRead,
  path: '/api/v4/main-account/smart/interest-payment-history',
  section: '4.5',
  summary: 'Interest paid on your fixed-term investments',
  access: 'partner',
  request: z.strictObject({
    planId: planIdIn.optional(),
    ticker: ticker.optional().describe('Currency of the interest'),
    ...page(100, 100),
  }),
  response: recordPage(
    z.object({
      planId: uuid,
      investmentId: uuid,
      amount: decimalOut,
      ticker,
      timestamp: unixSeconds,
    }),
  ),
  example: {
    request: { ticker: 'USDT', limit: 10 },
    response: {
      offset: 0,
      limit: 10,
      records: [
        {
          planId: '33333333-3333-4333-8333-000000000001',
          investmentId: '6a2d7c11-90cf-4d1e-8c7e-3b5f0e9d2a64',
          amount: '0.27397260',
          ticker: 'USDT',
          timestamp: 1_790_086_400,
        },
      ],
    },
  },
})

export const fixedInvest = endpoint({
  ...accountWrite,
  path: '/api/v4/main-account/smart/investment',
  section: '4.6',
  summary: 'Invest from the main account into a fixed-term plan',
  access: 'partner',
  request: z.strictObject({ planId: planIdIn, amount: decimalIn }),
  response: z.object({ id: uuid }),
  errors: [0, 1, 2, 3, 4, 5],
  created: true,
  example: {
    request: { planId: '33333333-3333-4333-8333-000000000001', amount: '1000' },
    response: { id: '6a2d7c11-90cf-4d1e-8c7e-3b5f0e9d2a64' },
  },
})

export const fixedClose = endpoint({
  ...accountWrite,
  path: '/api/v4/main-account/smart/investment/close',
  section: '4.7',
  summary: 'Close a fixed-term investment before its term',
  access: 'partner',
  request: z.strictObject({ id: uuid.describe('The investment') }),
  response: z.strictObject({}),
  example: { request: { id: '6a2d7c11-90cf-4d1e-8c7e-3b5f0e9d2a64' }, response: {} },
})

const fixedPlan = z.object({
  id: uuid,
  ticker,
  status: z.literal([1, 2, 3, 4]).describe('1 active, 2 no coins left, 3 inactive, 4 paused'),
  percent: decimalOut.describe('Interest per year'),
  duration: z.int().describe('Minutes'),
  interestTicker: ticker,
  interestRatio: decimalOut,
  minInvestment: decimalOut,
  maxInvestment: decimalOut,
  maxPossibleInvestment: decimalOut,
})

const exampleFixedPlan = {
  id: '33333333-3333-4333-8333-000000000001',
  ticker: 'USDT',
  status: 1 as const,
  percent: '10',
  duration: 43_200,
  interestTicker: 'USDT',
  interestRatio: '1',
  minInvestment: '10',
  maxInvestment: '10000',
  maxPossibleInvestment: '10000',
}

export const fixedPlans = endpoint({
  ...accountRead,
  path: '/api/v4/main-account/smart/plans',
  section: 'beyond.fixed',
  summary: 'Plans for fixed-term investments',
  access: 'partner',
  request: z.strictObject({ ticker: ticker.optional() }),
  response: z.array(fixedPlan),
  beyond: true,
  example: { request: { ticker: 'USDT' }, response: [exampleFixedPlan] },
})

export const fixedInvestments = endpoint({
  ...accountRead,
  path: '/api/v4/main-account/smart/investments',
  section: 'beyond.fixed',
  summary: 'Your fixed-term investments, newest first',
  access: 'partner',
  request: z.strictObject({
    id: uuid.optional(),
    ticker: ticker.optional(),
    status: z.literal([1, 2]).optional().describe('1 active, 2 closed'),
    ...page(100, 100),
  }),
  response: recordPage(
    z.object({
      id: uuid,
      plan: fixedPlan,
      status: z.literal([1, 2]),
      created: unixSeconds,
      updated: unixSeconds,
      paymentTime: unixSeconds,
      amount: decimalOut,
      interestPaid: decimalOut,
    }),
  ),
  beyond: true,
  example: {
    request: { status: 1 },
    response: {
      offset: 0,
      limit: 100,
      records: [
        {
          id: '6a2d7c11-90cf-4d1e-8c7e-3b5f0e9d2a64',
          plan: exampleFixedPlan,
          status: 1,
          created: 1_790_000_000,
          updated: 1_790_086_400,
          paymentTime: 1_790_172_800,
          amount: '1000',
          interestPaid: '0.27397260',
        },
      ],
    },
  },
})
