import { z } from 'zod'
import { endpoint } from '#src/venues/whitebit/contract/endpoint.ts'
import { decimalIn, decimalOut, page, ticker, uuid } from '#src/venues/whitebit/contract/fields.ts'
import { accountRead, accountWrite } from '#src/venues/whitebit/contract/private-row.ts'

const alias = z
  .string()
  .max(64)
  .regex(/^\S(?:.*\S)?$/, 'The alias may not be empty, nor begin or end with a blank.')
  .describe('Name of the sub-account')
const permissions = z
  .strictObject({ spotEnabled: z.boolean(), collateralEnabled: z.boolean() })
  .describe('Trading permissions, as a JSON object')

export const editSubAccount = endpoint({
  ...accountWrite,
  path: '/api/v4/sub-account/edit',
  section: '4.16',
  summary: 'Rename a sub-account and set its trading permissions',
  permission: 'account',
  request: z.strictObject({
    id: uuid.describe('The sub-account'),
    alias,
    permissions,
  }),
  response: z.strictObject({}),
  example: {
    request: {
      id: '44444444-4444-4444-8444-000000000001',
      alias: 'hedge desk',
      permissions: { spotEnabled: true, collateralEnabled: false },
    },
    response: {},
  },
})

const subAccount = z.object({
  id: uuid,
  alias: z.string(),
  userId: uuid,
  email: z.string().nullable().describe('Masked'),
  status: z.literal('active'),
  color: z.string(),
  kyc: z.object({ shareKyc: z.boolean(), kycStatus: z.enum(['shared', 'none']) }),
  permissions: z.object({ spotEnabled: z.boolean(), collateralEnabled: z.boolean() }),
})

const example = {
  id: '44444444-4444-4444-8444-000000000001',
  alias: 'desk',
  userId: '44444444-4444-4444-8444-000000000001',
  email: null,
  status: 'active' as const,
  color: '#808080',
  kyc: { shareKyc: true, kycStatus: 'shared' as const },
  permissions: { spotEnabled: true, collateralEnabled: true },
}

export const subAccounts = endpoint({
  ...accountRead,
  path: '/api/v4/sub-account/list',
  section: 'beyond.sub-accounts',
  summary: 'Your sub-accounts',
  request: z.strictObject({
    search: z.string().max(64).optional().describe('A part of the alias'),
    ...page(100, 30),
  }),
  response: z.object({ offset: z.int(), limit: z.int(), data: z.array(subAccount) }),
  reads: ['data', 'id', 'alias'],
  beyond: true,
  example: { request: { search: 'desk' }, response: { offset: 0, limit: 30, data: [example] } },
})

export const createSubAccount = endpoint({
  ...accountWrite,
  path: '/api/v4/sub-account/create',
  section: 'beyond.sub-accounts',
  summary: 'Create a sub-account',
  permission: 'account',
  request: z.strictObject({
    alias,
    email: z
      .string()
      .max(254)
      .regex(/^[!-?A-~]+@[!-?A-~]{2,}$/, 'Email is invalid.')
      .optional()
      .describe('Required unless shareKyc is true'),
    shareKyc: z.boolean().optional(),
    permissions,
  }),
  response: subAccount,
  reads: ['id', 'alias'],
  created: true,
  beyond: true,
  example: {
    request: {
      alias: 'hedge',
      shareKyc: true,
      permissions: { spotEnabled: true, collateralEnabled: false },
    },
    response: {
      ...example,
      alias: 'hedge',
      permissions: { spotEnabled: true, collateralEnabled: false },
    },
  },
})

export const subAccountTransfer = endpoint({
  ...accountWrite,
  path: '/api/v4/sub-account/transfer',
  section: 'beyond.sub-accounts',
  summary: 'Move money between the main account and a sub-account',
  request: z.strictObject({
    id: uuid.describe('The sub-account'),
    direction: z.enum(['main_to_sub', 'sub_to_main']),
    amount: decimalIn.describe('At most 8 decimals'),
    ticker,
  }),
  response: z.strictObject({}),
  errors: [0, 3],
  beyond: true,
  example: {
    request: {
      id: '44444444-4444-4444-8444-000000000001',
      direction: 'main_to_sub',
      amount: '42',
      ticker: 'USDT',
    },
    response: {},
  },
})

export const subAccountBalances = endpoint({
  ...accountRead,
  path: '/api/v4/sub-account/balances',
  section: 'beyond.sub-accounts',
  summary: 'Balances of a sub-account',
  request: z.strictObject({ id: uuid.describe('The sub-account'), ticker: ticker.optional() }),
  response: z.record(
    ticker,
    z.array(z.object({ main: decimalOut, spot: decimalOut, collateral: decimalOut })),
  ),
  beyond: true,
  example: {
    request: { id: '44444444-4444-4444-8444-000000000001', ticker: 'USDT' },
    response: { USDT: [{ main: '42', spot: '0', collateral: '0' }] },
  },
})
