import { z } from 'zod'
import { endpoint } from '#src/venues/whitebit/contract/endpoint.ts'
import {
  decimalOut,
  emptyList,
  market,
  page,
  positionSide,
  signedOut,
  unixFraction,
  unixSeconds,
} from '#src/venues/whitebit/contract/fields.ts'
import { tradeRead, tradeWrite } from '#src/venues/whitebit/contract/private-row.ts'

/** Positions of the collateral account: those that are open, what happened to them, and what funding they paid. */
const reading = {
  ...tradeRead,
  section: 'beyond.positions',
  errors: [30, 1, 31],
  beyond: true,
} as const

const period = {
  startDate: unixSeconds.optional().describe('Unix seconds, included'),
  endDate: unixSeconds.optional().describe('Unix seconds, included'),
}

const liquidationState = z.enum(['margin_call', 'liquidation']).nullable()

export const openPositions = endpoint({
  ...reading,
  path: '/api/v4/collateral-account/positions/open',
  summary: 'Your open positions',
  request: z.strictObject({
    market: market.optional(),
    symbol: market.optional().describe('Has no effect'),
  }),
  response: z.array(
    z.object({
      positionId: z.int(),
      market,
      openDate: unixFraction,
      modifyDate: unixFraction,
      amount: signedOut.describe('Negative for a short position'),
      basePrice: decimalOut.describe('Average, truncated to 8 decimals'),
      liquidationPrice: decimalOut.nullable(),
      liquidationState,
      pnl: signedOut,
      pnlPercent: signedOut,
      unrealizedPnl: signedOut,
      margin: decimalOut,
      freeMargin: signedOut,
      funding: signedOut,
      unrealizedFunding: signedOut,
      tpsl: z
        .object({
          takeProfitId: z.int().nullable(),
          takeProfit: decimalOut.nullable(),
          stopLossId: z.int().nullable(),
          stopLoss: decimalOut.nullable(),
        })
        .nullable(),
      positionSide,
    }),
  ),
  reads: ['market', 'amount'],
  example: {
    request: { market: 'BTC_PERP' },
    response: [
      {
        positionId: 5100,
        market: 'BTC_PERP',
        openDate: 1_790_000_000.25,
        modifyDate: 1_790_000_042.5,
        amount: '0.02',
        basePrice: '60000',
        liquidationPrice: '48000',
        liquidationState: null,
        pnl: '1.5',
        pnlPercent: '0.62',
        unrealizedPnl: '1.5',
        margin: '240',
        freeMargin: '760',
        funding: '0',
        unrealizedFunding: '0',
        tpsl: {
          takeProfitId: 1_000_000_000_003,
          takeProfit: '66000',
          stopLossId: 1_000_000_000_004,
          stopLoss: '54000',
        },
        positionSide: 'BOTH',
      },
    ],
  },
})

export const closePosition = endpoint({
  ...reading,
  ...tradeWrite,
  path: '/api/v4/collateral-account/position/close',
  summary: 'Close a position with a market order',
  request: z.strictObject({ positionId: z.int().min(1), market, positionSide: positionSide.optional() }),
  response: emptyList,
  errors: [30, 1, 31, 104, 113, 114, 115, 10, 12],
  example: { request: { positionId: 5100, market: 'BTC_PERP' }, response: [] },
})

export const positionHistory = endpoint({
  ...reading,
  path: '/api/v4/collateral-account/positions/history',
  summary: 'Events of your positions, newest first',
  request: z.strictObject({
    market: market.optional(),
    positionId: z.int().min(1).optional(),
    ...period,
    ...page(100, 50),
  }),
  response: z.array(
    z.object({
      positionId: z.int(),
      market,
      openDate: unixFraction,
      modifyDate: unixFraction,
      amount: signedOut.describe('After the event'),
      basePrice: decimalOut,
      realizedFunding: signedOut,
      liquidationPrice: z.literal(null),
      liquidationState,
      orderDetail: z.object({
        id: z.int(),
        tradeAmount: decimalOut,
        price: decimalOut,
        tradeFee: signedOut,
        fundingFee: signedOut.nullable(),
        realizedPnl: signedOut,
      }),
      side: z.enum(['LONG', 'SHORT']),
      isHedge: z.boolean(),
    }),
  ),
  reads: ['positionId', 'market', 'modifyDate', 'amount'],
  example: {
    request: { market: 'BTC_PERP', limit: 10 },
    response: [
      {
        positionId: 5100,
        market: 'BTC_PERP',
        openDate: 1_790_000_000.25,
        modifyDate: 1_790_000_000.25,
        amount: '0.02',
        basePrice: '60000',
        realizedFunding: '0',
        liquidationPrice: null,
        liquidationState: null,
        orderDetail: {
          id: 1_000_000_000_001,
          tradeAmount: '0.02',
          price: '60000',
          tradeFee: '0.42',
          fundingFee: null,
          realizedPnl: '-0.42',
        },
        side: 'LONG',
        isHedge: false,
      },
    ],
  },
})

export const closedPositions = endpoint({
  ...reading,
  path: '/api/v4/collateral-account/positions/closed-pnl',
  summary: 'Profit and loss of your closed positions, the last closed first',
  request: z.strictObject({ ...period, ...page(100, 50) }),
  response: z.array(
    z.object({
      positionId: z.int(),
      market,
      grossPnl: signedOut.describe('After fees, before funding'),
      netPnl: signedOut.describe('grossPnl less totalFunding'),
      totalTradeFee: signedOut,
      totalFunding: signedOut.describe('Positive if paid'),
      avgEntryPrice: decimalOut,
      avgExitPrice: decimalOut,
      closedSize: decimalOut,
      amount: z.literal('0'),
      side: positionSide,
      isHedge: z.boolean(),
      openDate: z.int().describe('Unix seconds'),
      closeDate: z.int().describe('Unix seconds'),
    }),
  ),
  reads: ['positionId', 'market', 'netPnl', 'closeDate'],
  example: {
    request: { limit: 10 },
    response: [
      {
        positionId: 5100,
        market: 'BTC_PERP',
        grossPnl: '19.15',
        netPnl: '19.03',
        totalTradeFee: '0.85',
        totalFunding: '0.12',
        avgEntryPrice: '60000',
        avgExitPrice: '61000',
        closedSize: '0.02',
        amount: '0',
        side: 'BOTH',
        isHedge: false,
        openDate: 1_790_000_000,
        closeDate: 1_790_040_000,
      },
    ],
  },
})

export const fundingHistory = endpoint({
  ...reading,
  path: '/api/v4/collateral-account/funding-history',
  summary: 'Funding that your positions paid and received, newest first',
  request: z.strictObject({
    market,
    ...period,
    ...page(100, 100),
  }),
  response: z.object({
    records: z.array(
      z.object({
        market,
        fundingTime: z.string(),
        fundingRate: signedOut,
        fundingAmount: signedOut.describe('Negative if paid'),
        positionAmount: signedOut,
        settlementPrice: decimalOut,
        rateCalculatedTime: z.string(),
      }),
    ),
    limit: z.int(),
    offset: z.int(),
  }),
  reads: ['records', 'market', 'fundingTime', 'fundingAmount'],
  example: {
    request: { market: 'BTC_PERP' },
    response: {
      records: [
        {
          market: 'BTC_PERP',
          fundingTime: '1790006400',
          fundingRate: '0.0001',
          fundingAmount: '-0.12',
          positionAmount: '0.02',
          settlementPrice: '60000',
          rateCalculatedTime: '1790006400',
        },
      ],
      limit: 100,
      offset: 0,
    },
  },
})
