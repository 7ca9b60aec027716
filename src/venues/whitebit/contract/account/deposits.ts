import { z } from 'zod'
import { endpoint } from '#src/venues/whitebit/contract/endpoint.ts'
import { decimalOut, ticker, uuid } from '#src/venues/whitebit/contract/fields.ts'
import { accountRead, accountWrite } from '#src/venues/whitebit/contract/private-row.ts'
import { noNames, refundNames } from '#src/venues/whitebit/contract/wire/spelling.ts'

export const depositAddress = endpoint({
  ...accountRead,
  path: '/api/v4/main-account/address',
  section: '4.15',
  summary: 'Address to deposit a cryptocurrency to',
  request: z.strictObject({
    ticker: ticker.describe('Currency, not fiat, open for deposits'),
    network: z.string().min(1).max(20).optional().describe('Required if the currency has several networks'),
  }),
  response: z.object({
    account: z.object({ address: z.string(), memo: z.string() }),
    required: z.object({
      fixedFee: decimalOut,
      flexFee: z.object({ maxFee: decimalOut, minFee: decimalOut, percent: decimalOut }),
      maxAmount: decimalOut,
      minAmount: decimalOut,
    }),
  }),
  errors: [0, 1],
  example: {
    request: { ticker: 'USDT', network: 'TRC20' },
    response: {
      account: { address: 'TQ5NMqJjhpQGqXSxVJ7m3gk7GNJk2XYJ7W', memo: '' },
      required: {
        fixedFee: '0',
        flexFee: { maxFee: '0', minFee: '0', percent: '0' },
        maxAmount: '0',
        minAmount: '5',
      },
    },
  },
})

export const refundDeposit = endpoint({
  ...accountWrite,
  path: '/api/v4/main-account/refund-deposit',
  section: '4.9',
  summary: 'Refund a canceled deposit to one of your addresses',
  request: z.strictObject({
    transaction_id: uuid.describe('The deposit, from the deposit.canceled webhook'),
    address: z.string().min(1).max(200).describe('Refund address: same network and asset'),
  }),
  response: z.object({ id: uuid }),
  camel: { request: refundNames, response: noNames },
  example: {
    request: {
      transaction_id: '11111111-1111-4111-8111-000000000001',
      address: 'TJCnKsPa7y5okkXvQAidZBzqx3QyQ6sxMW',
    },
    response: { id: '11111111-1111-4111-8111-000000000001' },
  },
})
