import { z } from 'zod'
import { endpoint } from '#src/venues/whitebit/contract/endpoint.ts'
import { decimalOut, ticker } from '#src/venues/whitebit/contract/fields.ts'
import { accountRead, tradeRead } from '#src/venues/whitebit/contract/private-row.ts'

export const tradingBalance = endpoint({
  ...tradeRead,
  path: '/api/v4/trade-account/balance',
  section: '4.17',
  summary: 'Balances of the trading account',
  request: z.strictObject({ ticker: ticker.optional() }),
  response: z.record(ticker, z.object({ available: decimalOut, freeze: decimalOut })),
  reads: ['available', 'freeze'],
  flatFor: 'ticker',
  example: { request: { ticker: 'USDT' }, response: { USDT: { available: '48800', freeze: '1200' } } },
})

export const mainBalance = endpoint({
  ...accountRead,
  path: '/api/v4/main-account/balance',
  section: '4.18',
  summary: 'Balances of the main account',
  request: z.strictObject({ ticker: ticker.optional() }),
  response: z.record(ticker, z.object({ main_balance: decimalOut })),
  reads: ['main_balance'],
  flatFor: 'ticker',
  example: { request: {}, response: { BTC: { main_balance: '2' }, USDT: { main_balance: '100000' } } },
})
