import { z } from 'zod'
import { endpoint } from '#src/venues/whitebit/contract/endpoint.ts'
import { decimalOut, ticker } from '#src/venues/whitebit/contract/fields.ts'
import { accountLimit, tradeReadLimit } from '#src/venues/whitebit/contract/rate-limits.ts'

export const tradingBalance = endpoint({
  path: '/api/v4/trade-account/balance',
  section: '4.17',
  summary: 'Balances of the trading account',
  access: 'private',
  effect: 'read',
  permission: 'read',
  limit: tradeReadLimit,
  request: z.strictObject({ ticker: ticker.optional() }),
  response: z.record(ticker, z.object({ available: decimalOut, freeze: decimalOut })),
  reads: ['available', 'freeze'],
  invalid: { code: 30, status: 422 },
  errors: [30],
  example: { request: { ticker: 'USDT' }, response: { USDT: { available: '48800', freeze: '1200' } } },
})

export const mainBalance = endpoint({
  path: '/api/v4/main-account/balance',
  section: '4.18',
  summary: 'Balances of the main account',
  access: 'private',
  effect: 'read',
  permission: 'read',
  limit: accountLimit,
  request: z.strictObject({ ticker: ticker.optional() }),
  response: z.record(ticker, z.object({ main_balance: decimalOut })),
  reads: ['main_balance'],
  invalid: { code: 0, status: 400 },
  errors: [0],
  example: { request: {}, response: { BTC: { main_balance: '2' }, USDT: { main_balance: '100000' } } },
})
