import { z } from 'zod'
import { endpoint } from '#src/venues/whitebit/contract/endpoint.ts'
import { decimalOut, market, signedOut, ticker, unixSeconds } from '#src/venues/whitebit/contract/fields.ts'
import { inEnvelope, publicRow } from '#src/venues/whitebit/contract/public-row.ts'

/** What seldom changes: whether the venue works, what it trades, and by which rules. */
const shared = { ...publicRow, section: 'beyond.reference-data', request: z.strictObject({}) }

export const time = endpoint({
  ...shared,
  path: '/api/v4/public/time',
  summary: 'Server time of the venue, in whole seconds',
  response: z.object({ time: unixSeconds }),
  example: { request: {}, response: { time: 1_790_000_000 } },
})

export const platformStatus = endpoint({
  ...shared,
  path: '/api/v4/public/platform/status',
  summary: 'Status of the venue: operational or maintenance',
  // The digits are what older venues of the family say.
  response: z.object({ status: z.enum(['system operational', 'system maintenance', '1', '0']) }),
  example: { request: {}, response: { status: 'system operational' } },
})

const bounds = z.record(z.string(), z.object({ min: decimalOut.optional(), max: decimalOut.optional() }))
const names = z.array(z.string())

export const assets = endpoint({
  ...shared,
  path: '/api/v4/public/assets',
  summary: 'All currencies with their functions, networks and limits',
  response: z.record(
    ticker,
    z.object({
      name: z.string(),
      unified_cryptoasset_id: z.int(),
      can_withdraw: z.boolean(),
      can_deposit: z.boolean(),
      min_withdraw: decimalOut,
      max_withdraw: decimalOut,
      min_deposit: decimalOut,
      max_deposit: decimalOut,
      maker_fee: signedOut.optional().describe('In percent, of the spot markets of the currency'),
      taker_fee: signedOut.optional(),
      currency_precision: z.int(),
      is_memo: z.boolean(),
      networks: z
        .object({
          deposits: names.optional(),
          withdraws: names.optional(),
          default: z.string().optional(),
        })
        .optional(),
      limits: z.object({ deposit: bounds.optional(), withdraw: bounds.optional() }).optional(),
      /** Of money that no chain carries. */
      providers: z.object({ deposits: names, withdraws: names }).optional(),
    }),
  ),
  reads: ['name', 'can_withdraw', 'can_deposit'],
  example: {
    request: {},
    response: {
      BTC: {
        name: 'BTC',
        unified_cryptoasset_id: 0,
        can_withdraw: false,
        can_deposit: true,
        min_withdraw: '0',
        max_withdraw: '0',
        min_deposit: '0.0001',
        max_deposit: '0',
        maker_fee: '0.1',
        taker_fee: '0.1',
        currency_precision: 18,
        is_memo: false,
        networks: { deposits: ['BTC', 'LN'], default: 'BTC' },
        limits: { deposit: { BTC: { min: '0.0001' }, LN: { min: '0.0001' } } },
      },
    },
  },
})

/** Whole numbers that travel as text. */
const digits = z.string().regex(/^\d{1,2}$/)

export const markets = endpoint({
  ...shared,
  path: '/api/v4/public/markets',
  summary: 'All markets with steps, minimums and fees in percent',
  response: z.array(
    z.object({
      name: market,
      stock: ticker,
      money: ticker,
      stockPrec: digits,
      moneyPrec: digits,
      feePrec: digits,
      makerFee: signedOut.describe('Negative for a rebate'),
      takerFee: signedOut,
      minAmount: decimalOut,
      minTotal: decimalOut,
      maxTotal: decimalOut,
      tradesEnabled: z.boolean(),
      isCollateral: z.boolean(),
      type: z.enum(['spot', 'futures', 'tradfiFutures']),
      isTradFiFutures: z.boolean().optional(),
      delistedAt: unixSeconds.nullish(),
      tickSize: z.string().optional().describe('Price step'),
      stepSize: z.string().optional().describe('Amount step'),
    }),
  ),
  reads: [
    'name',
    'money',
    'stockPrec',
    'moneyPrec',
    'makerFee',
    'takerFee',
    'minAmount',
    'minTotal',
    'maxTotal',
    'tickSize',
    'stepSize',
  ],
  example: {
    request: {},
    response: [
      {
        name: 'BTC_PERP',
        stock: 'BTC',
        money: 'USDT',
        stockPrec: '3',
        moneyPrec: '1',
        feePrec: '18',
        makerFee: '0.01',
        takerFee: '0.035',
        minAmount: '0.001',
        minTotal: '5',
        maxTotal: '10000000',
        tradesEnabled: true,
        isCollateral: true,
        type: 'futures',
        isTradFiFutures: false,
        delistedAt: null,
        tickSize: '0.1',
        stepSize: '0.001',
      },
    ],
  },
})

export const collateralMarkets = endpoint({
  ...shared,
  path: '/api/v4/public/collateral/markets',
  summary: 'Markets for collateral orders',
  response: inEnvelope(z.array(market)),
  example: {
    request: {},
    response: { success: true, message: null, result: ['BTC_USDT', 'BTC_PERP'] },
  },
})

/** Where money comes through providers, theirs stand under their names instead. */
const charges = z.looseObject({
  max_amount: decimalOut.optional(),
  min_amount: decimalOut.optional(),
  fixed: decimalOut.nullish(),
  flex: z.object({ percent: decimalOut, min_fee: decimalOut, max_fee: decimalOut }).nullish(),
})

export const fee = endpoint({
  ...shared,
  path: '/api/v4/public/fee',
  summary: 'Deposit and withdrawal fees of each currency',
  response: z.record(
    // Live venues have one more for every further network: `USDT (TRC20)`.
    z.string().min(1),
    z.object({
      ticker: z.string(),
      name: z.string(),
      providers: names,
      is_depositable: z.boolean().optional(),
      is_withdrawal: z.boolean().optional(),
      is_api_depositable: z.boolean().optional(),
      is_api_withdrawal: z.boolean().optional(),
      deposit: charges,
      withdraw: charges,
    }),
  ),
  example: {
    request: {},
    response: {
      BTC: {
        ticker: 'BTC',
        name: 'BTC',
        providers: [],
        is_depositable: true,
        is_withdrawal: false,
        is_api_depositable: true,
        is_api_withdrawal: false,
        deposit: { max_amount: '0', min_amount: '0.0001', fixed: null, flex: null },
        withdraw: { max_amount: '0', min_amount: '0', fixed: null, flex: null },
      },
    },
  },
})
