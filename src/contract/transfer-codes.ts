import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { decimalIn, ticker, uuid } from './fields.ts'
import { accountLimit } from './limits.ts'

const passphrase = z
  .string()
  .max(25, 'The passphrase may not be greater than 25 characters.')
  .regex(/^[\x21-\x7e]+$/, 'The passphrase format is invalid.')

export const createCode = endpoint({
  path: '/api/v4/main-account/codes',
  section: '4.11',
  summary: 'Turn money of the main account into a transfer code',
  access: 'private',
  effect: 'write',
  permission: 'funds',
  limit: accountLimit,
  request: z.strictObject({
    ticker,
    amount: decimalIn.describe('At most 8 decimals, taken from the main account'),
    passphrase: passphrase.optional().describe('Who applies the code must know it'),
    description: z.string().max(280).optional(),
  }),
  response: z.object({ code: z.string().min(1), message: z.string(), external_id: uuid }),
  invalid: { code: 0, status: 400 },
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
