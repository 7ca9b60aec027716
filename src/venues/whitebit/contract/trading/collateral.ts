import { z } from 'zod'
import { endpoint } from '#src/venues/whitebit/contract/endpoint.ts'
import { decimalOut, signedOut, ticker } from '#src/venues/whitebit/contract/fields.ts'
import { tradeRead, tradeWrite } from '#src/venues/whitebit/contract/private-row.ts'
import { accountLimit } from '#src/venues/whitebit/contract/rate-limits.ts'
import { leverages } from './leverages.ts'

/** The collateral account as a whole: what is in it, what is free, and how it is set. */
const reading = {
  ...tradeRead,
  section: 'beyond.collateral',
  beyond: true,
} as const
const setting = { ...reading, ...tradeWrite, limit: accountLimit } as const

export const collateralBalance = endpoint({
  ...reading,
  path: '/api/v4/collateral-account/balance',
  summary: 'Balances of the collateral account',
  request: z.strictObject({ ticker: ticker.optional() }),
  response: z.record(ticker, decimalOut),
  example: { request: { ticker: 'USDT' }, response: { USDT: '50000' } },
})

export const collateralSummary = endpoint({
  ...reading,
  path: '/api/v4/collateral-account/balance-summary',
  summary: 'Balances of the collateral account, total and available',
  request: z.strictObject({ ticker: ticker.optional() }),
  response: z.array(
    z.object({
      asset: ticker,
      balance: decimalOut,
      borrow: decimalOut,
      availableWithoutBorrow: decimalOut,
      availableWithBorrow: decimalOut,
    }),
  ),
  reads: ['asset', 'balance'],
  example: {
    request: { ticker: 'USDT' },
    response: [
      {
        asset: 'USDT',
        balance: '1000',
        borrow: '0',
        availableWithoutBorrow: '800',
        availableWithBorrow: '4000',
      },
    ],
  },
})

export const accountSummary = endpoint({
  ...reading,
  path: '/api/v4/collateral-account/summary',
  summary: 'Equity, margin and profit of the collateral account',
  request: z.strictObject({}),
  response: z.object({
    equity: signedOut,
    margin: decimalOut,
    freeMargin: signedOut,
    unrealizedFunding: signedOut,
    pnl: signedOut,
    leverage: z.int(),
    marginFraction: decimalOut,
  }),
  reads: ['equity'],
  example: {
    request: {},
    response: {
      equity: '1000',
      margin: '200',
      freeMargin: '800',
      unrealizedFunding: '0',
      pnl: '12.5',
      leverage: 5,
      marginFraction: '0.2',
    },
  },
})

export const setLeverage = endpoint({
  ...setting,
  path: '/api/v4/collateral-account/leverage',
  summary: 'Set the leverage of the whole collateral account',
  request: z.strictObject({ leverage: z.literal(leverages) }),
  response: z.object({ leverage: z.int() }),
  errors: [30, 17],
  example: { request: { leverage: 5 }, response: { leverage: 5 } },
})

const mode = z.object({ hedgeMode: z.boolean() })

export const hedgeMode = endpoint({
  ...reading,
  path: '/api/v4/collateral-account/hedge-mode',
  summary: 'Whether the account has hedge mode (separate long and short positions)',
  request: z.strictObject({}),
  response: mode,
  example: { request: {}, response: { hedgeMode: false } },
})

export const setHedgeMode = endpoint({
  ...setting,
  path: '/api/v4/collateral-account/hedge-mode/update',
  summary: 'Turn hedge mode (separate long and short positions) on or off',
  request: z.strictObject({ hedgeMode: z.boolean() }),
  response: mode,
  errors: [30, 113],
  example: { request: { hedgeMode: true }, response: { hedgeMode: true } },
})
