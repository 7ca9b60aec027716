import { z } from 'zod'
import { endpoint } from '#src/venues/whitebit/contract/endpoint.ts'
import {
  dataPage,
  decimalIn,
  decimalOut,
  page,
  ticker,
  unixSeconds,
  uuid,
} from '#src/venues/whitebit/contract/fields.ts'
import { accountRead, accountWrite } from '#src/venues/whitebit/contract/private-row.ts'
import { applyLimit } from '#src/venues/whitebit/contract/rate-limits.ts'

const passphrase = z
  .string()
  .max(25, 'The passphrase may not be greater than 25 characters.')
  .regex(/^[\x21-\x7e]+$/, 'The passphrase format is invalid.')

export const createCode = endpoint({
  ...accountWrite,
  path: '/api/v4/main-account/codes',
  section: '4.11',
  summary: 'Create a transfer code from money of the main account',
  request: z.strictObject({
    ticker,
    amount: decimalIn.describe('At most 8 decimals, taken from the main account'),
    passphrase: passphrase.optional().describe('Needed to apply the code'),
    description: z.string().max(280).optional(),
  }),
  response: z.object({ code: z.string().min(1), message: z.string(), external_id: uuid }),
  errors: [0, 1, 2, 3, 4, 5, 6],
  created: true,
  example: {
    request: { ticker: 'USDT', amount: '25.5', passphrase: 'Winter!7', description: 'rent' },
    response: {
      code: '9f0c7a52-6d6d-4c0e-9a1e-0b5a7c3f2d11USDT',
      message: 'Code was successfully created',
      external_id: '5f1b3c7e-3a52-4a7b-8f0d-2c9e6b7a1d42',
    },
  },
})

export const applyCode = endpoint({
  ...accountWrite,
  path: '/api/v4/main-account/codes/apply',
  section: 'beyond.codes',
  summary: 'Apply a transfer code: its money goes to the main account',
  limit: applyLimit,
  request: z.strictObject({
    code: z.string().min(1).max(100),
    passphrase: passphrase.optional().describe('If the code has a passphrase'),
  }),
  response: z.object({ message: z.string(), ticker, amount: decimalOut, external_id: uuid }),
  created: true,
  beyond: true,
  example: {
    request: { code: '9f0c7a52-6d6d-4c0e-9a1e-0b5a7c3f2d11USDT', passphrase: 'Winter!7' },
    response: {
      message: 'Code was successfully applied',
      ticker: 'USDT',
      amount: '25.5',
      external_id: '5f1b3c7e-3a52-4a7b-8f0d-2c9e6b7a1d42',
    },
  },
})

const listing = {
  ...accountRead,
  section: 'beyond.codes',
  // Whoever reads a code can take its money.
  permission: 'funds',
  request: z.strictObject(page(100, 30)),
  beyond: true,
} as const
const status = z.enum(['New', 'Activated'])
const listOf = <Amount extends z.ZodType>(amount: Amount) => {
  const listed = z.object({ amount, code: z.string(), date: unixSeconds, status, ticker, external_id: uuid })
  return z.object({ total: z.int(), ...dataPage(listed).shape })
}
const shown = {
  code: '9f0c7a52-6d6d-4c0e-9a1e-0b5a7c3f2d11USDT',
  date: 1_790_000_000,
  status: 'New',
  ticker: 'USDT',
  external_id: '5f1b3c7e-3a52-4a7b-8f0d-2c9e6b7a1d42',
} as const

export const myCodes = endpoint({
  ...listing,
  path: '/api/v4/main-account/codes/my',
  summary: 'Your transfer codes, newest first',
  response: listOf(decimalOut),
  example: {
    request: { limit: 1 },
    response: { total: 4, data: [{ amount: '25.5', ...shown }], limit: 1, offset: 0 },
  },
})

export const codeHistory = endpoint({
  ...listing,
  path: '/api/v4/main-account/codes/history',
  summary: 'History of your transfer codes, newest first',
  response: listOf(
    z
      .string()
      .regex(/^[+-](?:0|[1-9]\d{0,17})(?:\.\d{1,18})?$/)
      .describe('- created, + applied'),
  ),
  example: {
    request: {},
    response: { total: 1, data: [{ amount: '-25.5', ...shown }], limit: 30, offset: 0 },
  },
})
