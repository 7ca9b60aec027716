import { z } from 'zod'
import {
  baseAmount,
  count,
  duration,
  optionalDuration,
  flag,
  moneyLimit,
  move,
  name,
  somePercent,
  spans,
} from './quantities.ts'

const window = duration.refine((ms) => ms >= 60_000, { error: 'must be at least 1m\nwrite it like 1h' })
const dayMs = 86_400_000

/** A pause ends by itself; a halt lasts until an operator resumes. */
const pause = z
  .union([
    somePercent.transform((at) => ({ at, end: { by: 'for', ms: dayMs } as const })),
    z
      .strictObject({
        at: somePercent,
        for: optionalDuration().describe(
          'The pause ends this long after its start, and the loss is counted from zero',
        ),
        within: window.optional().describe('Only losses of this last period count'),
        reset: z.literal('daily').optional().describe('Only losses since 00:00 UTC count'),
      })
      .refine(({ for: least, within, reset }) => [least, within, reset].filter(Boolean).length <= 1, {
        error: 'takes one of for, within, reset',
      })
      .transform(({ at, for: least = dayMs, within, reset }) => {
        if (within !== undefined) return { at, end: { by: 'within', ms: within } as const }
        return { at, end: reset ? ({ by: 'daily' } as const) : ({ by: 'for', ms: least } as const) }
      }),
  ])
  .describe('Loss at which entries pause. Default end: after one day. 5%, or { at: 5%, for: 4h }')

/** Limits that no order may break, whatever a rule requests. */
export const riskSchema = z.strictObject({
  max_notional: z
    .record(name, moneyLimit)
    .meta({ examples: [{ total: '1000' }] })
    .describe(
      'Maximum notional of the position per market; total is the sum over all markets, net their difference',
    ),
  groups: z
    .record(
      name,
      z
        .strictObject({
          markets: z.array(name).min(1),
          max_notional: moneyLimit.optional().describe('Maximum notional of all positions of the group'),
          net: moneyLimit
            .optional()
            .describe('Maximum difference between long and short notional of the group'),
        })
        .refine(({ max_notional: most, net }) => most !== undefined || net !== undefined, {
          error: 'limits nothing\nadd max_notional, net or both',
        })
        .meta({ examples: [{ markets: ['btc', 'eth'], max_notional: '1000' }] }),
    )
    .optional()
    .describe('Groups of markets that share one limit, such as markets that move together'),
  max_position: z
    .record(name, baseAmount)
    .optional()
    .describe('Maximum position in base currency per market'),
  max_open_orders: count(10_000)
    .optional()
    .describe('Maximum number of open orders; default: four for each rung of all ladders'),
  order_rate: z
    .strictObject({ orders: count(10_000), per: duration })
    .optional()
    .describe('Maximum rate of orders; exits count, but only entries wait'),
  worst_case: z
    .strictObject({ move, max_loss: moneyLimit.meta({ examples: ['100'] }) })
    .describe('Assumes that the price moves this far, fills every entry on the way and stays there'),
  drawdown: z
    .strictObject({
      pause: pause.meta({ examples: ['5%'] }),
      halt: somePercent.meta({ examples: ['10%'] }),
      // oxlint-disable-next-line unicorn/no-thenable -- the word of the file; its value is text, which nothing awaits
      then: z
        .enum(['exits', 'flatten', 'freeze'])
        .default('exits')
        .describe(
          'After the halt: exits work, immediate orders close all positions (flatten), or exits are frozen, too (freeze)',
        ),
    })
    .refine(({ pause, halt }) => pause.at.lte(halt), {
      error:
        'must not be above the halt\nwrite a pause of at most the halt, such as { pause: 5%, halt: 10% }',
      path: ['pause'],
    })
    .describe(
      'Maximum loss from the best result, as shares of max_notional (total, or the sum of its markets)',
    ),
  daily_loss: moneyLimit.optional(),
  per_week: moneyLimit.optional().describe('Maximum money spent in seven days'),
  price_band: somePercent.optional().describe('Maximum distance of an order from the last price'),
  in_doubt: z
    .strictObject({
      block: z.enum(['level', 'ladder', 'market']).default('level'),
      halt_after: duration.prefault('60s'),
    })
    .prefault({})
    .describe('Scope that waits while an order has an unknown outcome'),
  deadman: z
    .strictObject({ heartbeat: duration, on_miss: z.literal('retire_all') })
    .optional()
    .describe(
      'Kill switch: the bot sends a heartbeat, and the venue cancels all orders after four missed ones; needs cancel',
    ),
  max_flex_per_day: moneyLimit.optional(),
})

export const submitSchema = z.strictObject({
  chunk: count(1000).prefault('20').describe('Orders in one request'),
  order: z
    .enum(['nearest_first', 'interleave'])
    .default('nearest_first')
    .describe('interleave takes one order of each ladder in turn'),
  stopOnFail: z
    .union([flag, z.record(name, flag)])
    .prefault('false')
    .describe('Whether a refused order stops the orders behind it; for all ladders, or by ladder'),
  on_reject: z
    .enum(['skip_level', 'halt_ladder'])
    .default('skip_level')
    .describe('Retry the level later and omit it if it breaks a market rule; or halt the whole ladder'),
  on_cross: z
    .enum(['slide', 'skip'])
    .default('slide')
    .describe(
      'After the venue refuses a maker-only entry (postOnly, rpi) that would take: slide places it again at once ' +
        'one tick behind the best opposite price; skip waits until it can rest at its own price',
    ),
  on_one_sided: z
    .literal('freeze_other')
    .optional()
    .describe('After a refused order of one ladder of a pair'),
  throttled: z
    .strictObject({ max: count(100).prefault('5'), backoff: spans.prefault('250ms..8s') })
    .prefault({})
    .describe('Number and delays of retries after the rate limit of the venue'),
  rate: z
    .strictObject({ requests: count(10_000).prefault('8'), per: duration.prefault('1s') })
    .prefault({})
    .describe('Maximum requests per second with entries; exits may use as many in addition'),
})
