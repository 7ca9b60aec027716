import { z } from 'zod'
import { endpoint } from '#src/venues/whitebit/contract/endpoint.ts'
import { emptyList, market, unixSeconds } from '#src/venues/whitebit/contract/fields.ts'
import { tradeRead, tradeWrite } from '#src/venues/whitebit/contract/private-row.ts'
import { orderLimit } from '#src/venues/whitebit/contract/rate-limits.ts'
import { orderKinds } from './order-changes.ts'

/** Timers that withdraw a market's orders unless they are set again in time. */
const switching = {
  section: 'beyond.kill-switch',
  limit: orderLimit,
  errors: [30, 1, 31],
  beyond: true,
} as const

const timer = z.object({
  market,
  startTime: unixSeconds,
  cancellationTime: unixSeconds,
  types: z.array(z.enum(orderKinds)),
})

const shown = {
  market: 'BTC_PERP',
  startTime: 1_790_000_000,
  cancellationTime: 1_790_000_060,
  types: ['futures'],
} as const

export const killSwitch = endpoint({
  ...tradeWrite,
  ...switching,
  path: '/api/v4/order/kill-switch',
  summary: 'Set a kill switch: cancel the orders of a market after a time, unless the call is repeated',
  request: z.strictObject({
    market,
    timeout: z
      .string('Timeout field should be a number of seconds in a string, or null.')
      .regex(/^(?:[5-9]|[1-9]\d|[1-5]\d\d|600)$/, 'Timeout should be at least 5 and at most 600.')
      .nullable()
      .describe('Seconds as text, 5 to 600; null removes the timer'),
    types: z.array(z.enum(orderKinds)).min(1).max(3).nullish().describe('Default: all kinds'),
  }),
  response: z.union([timer, emptyList]),
  reads: ['market', 'cancellationTime'],
  example: { request: { market: 'BTC_PERP', timeout: '60', types: ['futures'] }, response: shown },
})

export const killSwitches = endpoint({
  ...tradeRead,
  ...switching,
  path: '/api/v4/order/kill-switch/status',
  summary: 'The active kill switches of the account',
  request: z.strictObject({ market: market.optional() }),
  response: z.array(timer),
  reads: ['market', 'cancellationTime'],
  example: { request: {}, response: [shown] },
})
