import { z } from 'zod'
import { count, duration, flag, move, name, positive, somePercent, spans } from './quantities.ts'

const window = duration.refine((ms) => ms >= 60_000, { error: 'must be at least 1m' })
const dayMs = 86_400_000

/** A pause ends by itself; a halt is what lasts until an operator resumes. */
const pause = z
  .union([
    somePercent.transform((at) => ({ at, end: { by: 'for', ms: dayMs } as const })),
    z
      .strictObject({
        at: somePercent,
        for: duration.optional().describe('It ends so long after it began, and the loss counts anew'),
        within: window.optional().describe('Only what was lost in so long until now counts'),
        reset: z.literal('daily').optional().describe('Only what was lost since 00:00 UTC counts'),
      })
      .refine(({ for: least, within, reset }) => [least, within, reset].filter(Boolean).length <= 1, {
        error: 'takes one of for, within, reset',
      })
      .transform(({ at, for: least = dayMs, within, reset }) => {
        if (within !== undefined) return { at, end: { by: 'within', ms: within } as const }
        return { at, end: reset ? ({ by: 'daily' } as const) : ({ by: 'for', ms: least } as const) }
      }),
  ])
  .describe('Entries pause at this loss. For a day where nothing else is said: 5%, or { at: 5%, for: 4h }')

const limits = z.record(name, positive)

/** What no order may break, whatever a rule says. */
export const riskSchema = z.strictObject({
  max_notional: limits.describe('Money at work, for each market; total is all of them, net their difference'),
  max_position: limits.optional().describe('Of the base currency, for each market'),
  max_open_orders: count(10_000),
  order_rate: z
    .strictObject({ orders: count(10_000), per: duration })
    .optional()
    .describe('Orders sent lately; exits count, and only entries are kept back by it'),
  worst_case: z
    .strictObject({ move, max_loss: positive })
    .describe('All entries that such a move reaches fill, and the price stays where it ends'),
  drawdown: z
    .strictObject({
      pause,
      halt: somePercent,
      // oxlint-disable-next-line unicorn/no-thenable -- the word of the file; its value is text, which nothing awaits
      then: z
        .enum(['exits', 'flatten', 'freeze'])
        .default('exits')
        .describe(
          'After the halt: exits work, immediate orders close all positions (flatten), or exits are frozen, too (freeze)',
        ),
    })
    .refine(({ pause, halt }) => pause.at.lte(halt), { error: 'must pause before it halts' })
    .describe(
      'What may be lost since the best result: shares of max_notional, of its total or all of its markets',
    ),
  daily_loss: positive.optional(),
  per_week: positive.optional().describe('Money spent in seven days'),
  price_band: somePercent.optional().describe('No order farther from the last price than this'),
  in_doubt: z
    .strictObject({ block: z.enum(['level', 'ladder', 'market']), halt_after: duration })
    .describe('What waits while the fate of an order is unknown'),
  deadman: z
    .strictObject({ heartbeat: duration, on_miss: z.literal('retire_all') })
    .optional()
    .describe(
      'A sign each heartbeat: the venue withdraws everything after four without one; needs the capability cancel',
    ),
  max_flex_per_day: positive.optional(),
})

export const submitSchema = z.strictObject({
  chunk: count(1000).describe('Orders in one request'),
  order: z.enum(['nearest_first', 'interleave']).describe('interleave takes one of each ladder in turn'),
  stopOnFail: z
    .union([flag, z.record(name, flag)])
    .describe('Whether a refused order keeps the ones behind it back; for all, or by ladder'),
  on_reject: z
    .enum(['skip_level', 'halt_ladder'])
    .describe(
      'Its level is tried again later, or left out where it breaks a rule; or the whole ladder halts',
    ),
  on_cross: z
    .enum(['slide', 'skip'])
    .default('slide')
    .describe(
      'After the venue refuses an entry that must rest (postOnly, rpi) because it would take: slide places it again at once ' +
        'on the tick behind the best opposite price; skip waits until it can rest at its own price',
    ),
  on_one_sided: z.literal('freeze_other').optional().describe('When one ladder of a pair is refused'),
  throttled: z
    .strictObject({ max: count(100), backoff: spans })
    .describe('How often, and how long apart, to try again what was too much for the venue'),
  rate: z
    .strictObject({ requests: count(10_000), per: duration })
    .describe('Requests with entries; those with exits may be as many on top'),
})
