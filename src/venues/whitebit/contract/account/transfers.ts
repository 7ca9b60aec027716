import { z } from 'zod'
import { endpoint } from '#src/venues/whitebit/contract/endpoint.ts'
import {
  decimalIn,
  decimalOut,
  emptyList,
  page,
  pageOffset,
  ticker,
  unixSeconds,
  usually,
  uuid,
} from '#src/venues/whitebit/contract/fields.ts'
import { accountRead, accountWrite } from '#src/venues/whitebit/contract/private-row.ts'
import { transactionLimit } from '#src/venues/whitebit/contract/rate-limits.ts'
import { noNames } from '#src/venues/whitebit/contract/wire/spelling.ts'

const wallet = z.enum(['main', 'spot', 'collateral'])

export const transfer = endpoint({
  ...accountWrite,
  path: '/api/v4/main-account/transfer',
  section: 'beyond.transfers',
  summary: 'Move money between the main, the spot and the collateral account',
  request: z.strictObject({
    ticker,
    amount: decimalIn.describe('At most 8 decimals'),
    from: wallet.optional().describe('Source account'),
    to: wallet.optional().describe('Target account'),
    method: z
      .enum(['deposit', 'withdraw', 'collateral-deposit', 'collateral-withdraw'])
      .optional()
      .describe('Older form of from and to, relative to main'),
  }),
  response: emptyList,
  errors: [0, 1, 2, 3],
  created: true,
  beyond: true,
  example: {
    request: { ticker: 'USDT', amount: '250.5', from: 'main', to: 'collateral' },
    response: [],
  },
})

/** The numbers that the family gives to what became of a deposit or a withdrawal. */
export const transactionStatus = { successful: 3, canceled: 4, pending: 15 } as const

export const transactionHistory = endpoint({
  ...accountRead,
  path: '/api/v4/main-account/history',
  section: 'beyond.transfers',
  summary: 'Deposits and withdrawals, newest first',
  limit: transactionLimit,
  request: z.strictObject({
    transactionMethod: z.literal([1, 2]).optional().describe('1 deposits, 2 withdrawals'),
    ticker: ticker.optional(),
    address: z.string().min(1).max(200).optional(),
    addresses: z.array(z.string().min(1).max(200)).min(1).max(20).optional(),
    unique_id: z.string().min(1).max(255).optional().describe('uniqueId of one transaction'),
    status: z.array(z.int().min(1).max(99)).min(1).max(20).optional().describe('Such as [3,7]'),
    startDate: unixSeconds.optional().describe('Has no effect'),
    ...page(500, 50),
    offset: usually(pageOffset(10_000).describe('With limit at most 10000'), 0),
  }),
  response: z.object({
    limit: z.int(),
    offset: z.int(),
    records: z.array(
      z.object({
        address: z.string(),
        uniqueId: z.string().nullable(),
        transactionId: uuid,
        createdAt: unixSeconds,
        currency: z.string(),
        ticker,
        method: z.literal([1, 2]),
        amount: decimalOut,
        description: z.string(),
        memo: z.string(),
        fee: decimalOut,
        status: z.int(),
        network: z.string().nullable(),
        transactionHash: z.string(),
        confirmations: z.object({ actual: z.int(), required: z.int() }).optional(),
      }),
    ),
    total: z.int(),
  }),
  reads: ['records', 'createdAt', 'ticker', 'method', 'amount', 'fee', 'status'],
  created: true,
  beyond: true,
  camel: { request: { unique_id: 'uniqueId' }, response: noNames },
  example: {
    request: { transactionMethod: 2, ticker: 'USDT', status: [3, 7] },
    response: {
      limit: 50,
      offset: 0,
      records: [
        {
          address: 'TJCnKsPa7y5okkXvQAidZBzqx3QyQ6sxMW',
          uniqueId: null,
          transactionId: '55555555-5555-4555-8555-000000000001',
          createdAt: 1_789_913_600,
          currency: 'USDT',
          ticker: 'USDT',
          method: 2,
          amount: '120',
          description: '',
          memo: '',
          fee: '1',
          status: 3,
          network: 'TRC20',
          transactionHash: 'f0c5d3a1',
          confirmations: { actual: 1, required: 1 },
        },
      ],
      total: 1,
    },
  },
})
