import { z } from 'zod'
import {
  anchorParts,
  capital,
  count,
  drift,
  duration,
  expression,
  feeMultiple,
  flag,
  name,
  percent,
  plainNumber,
  positive,
  somePercent,
  unitMultiple,
} from './quantities.ts'

const levelsMax = 1000

const anchor = expression
  .transform((text) => ({ taken: anchorParts(text).taken }))
  .describe(
    'The price that the rungs are counted from: a number, or an expression. "mid at episode_start" freezes it for an ' +
      'episode, "mid at rule_start" takes it anew when a rule that ensures the ladder becomes true and nothing is held',
  )

const spacing = z
  .discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('arithmetic').describe('Equal steps, in percent of the anchor'),
      first: percent,
      step: percent,
    }),
    z.strictObject({
      kind: z
        .literal('geometric')
        .describe('Each step in percent of the price before it, wider by grow each time'),
      first: percent,
      step: percent,
      grow: positive.prefault('1'),
    }),
    z.strictObject({
      kind: z.literal('range').describe('Lines from one price to another; the anchor says which of them buy'),
      from: positive,
      to: positive,
      by: z.enum(['price', 'ratio']).default('price').describe('Equal steps in price, or equal ratios'),
    }),
    z.strictObject({
      kind: z.literal('offsets').describe('The distance of each level from the anchor'),
      at: z.array(percent).min(1).max(levelsMax),
    }),
    z.strictObject({
      kind: z.literal('volatility').describe('Steps in multiples of a measured unit, such as atr(h1, 14)'),
      unit: expression,
      first: plainNumber,
      step: plainNumber,
    }),
  ])
  .describe('Where the rungs stand')

const shape = z
  .union([
    z.enum(['flat', 'fibonacci', 'valley', 'mountain']),
    z
      .strictObject({
        linear: z
          .tuple([positive, positive])
          .optional()
          .describe('Weight of the nearest and of the farthest rung'),
        geometric: positive.optional().describe('Each rung weighs this many times the one before it'),
        list: z.array(positive).min(1).max(levelsMax).optional().describe('One weight a rung'),
      })
      .refine((shape) => Object.keys(shape).length === 1, {
        error: 'needs exactly one of linear, geometric, list',
      }),
  ])
  .default('flat')
  .describe('How the capital is spread, from the rung next to the anchor outwards')

const size = z
  .strictObject({
    total: capital.optional().describe('All of the ladder: 2100 quote, 0.05 base or 25% equity'),
    first: capital.optional().describe('The rung next to the anchor; the shape gives the others'),
    shape,
    cap: capital.optional().describe('The most that the whole ladder may cost'),
    leftover: z
      .enum(['keep', 'spread'])
      .default('keep')
      .describe(
        'Parts of a lot that rounding leaves: kept, or given back lot by lot to the rungs that lost most',
      ),
    scale_by: expression.optional().describe('A factor on all of it, such as clamp(0.012 / vol, 0.4, 1)'),
  })
  .refine(({ total, first }) => (total === undefined) !== (first === undefined), {
    error: 'needs either total or first',
  })

const touch = z.literal('on_touch_ioc').default('on_touch_ioc')
const exit = z.strictObject({
  mirror: count(10).optional().describe('A fill arms the other side so many levels away'),
  tp: z
    .strictObject({
      from: z.literal('avg_entry').default('avg_entry'),
      pct: percent,
      split: z
        .array(positive)
        .min(1)
        .max(10)
        .prefault(['1'])
        .describe('Parts of the position, adding up to 1'),
      gap: percent.prefault('0%').describe('How far each part lies behind the one before it'),
      mode: z.enum(['resting', 'on_touch_ioc']).default('on_touch_ioc'),
    })
    .optional()
    .describe('Take profit, from the average entry'),
  at: expression.optional().describe('Take profit at this price'),
  stop: z
    .strictObject({ from: z.literal('avg_entry').default('avg_entry'), pct: somePercent, mode: touch })
    .optional(),
  trail: z
    .strictObject({ activate: unitMultiple, retrace: unitMultiple })
    .optional()
    .describe('Follow the price once it is far enough, and leave when it turns back'),
  max_age: duration.optional().describe('Leave so long after the first fill of what is held'),
  cooldown: duration
    .optional()
    .describe(
      'After a stop, trail or max_age has closed the position, no entries for this time; then the ladder takes a new anchor',
    ),
})

export const ladderSchema = z.strictObject({
  market: name.describe('A name from markets'),
  side: z.enum(['buy', 'sell', 'both']),
  anchor,
  rebase: z
    .union([
      z.enum(['never', 'on_flat']),
      z.strictObject({ drift, min_gap: duration, hysteresis: drift.optional() }),
    ])
    .optional()
    .describe(
      'When the ladder is laid anew: never, when all that it held has gone (on_flat), or when its anchor has moved. ' +
        'Left out, it is laid anew when an exit other than the mirror has sold all. Moving rungs needs the capability cancel',
    ),
  levels: count(levelsMax).describe('Rungs on each side; with a range, lines in all'),
  spacing,
  size,
  resting: z
    .strictObject({ max: count(levelsMax).optional(), within: percent.optional() })
    .prefault({})
    .describe('Only the nearest rungs rest at the venue at once'),
  exit: exit.optional(),
  min_edge: feeMultiple
    .optional()
    .describe('A ladder with an exit that is nearer than this is refused, and not laid as long as it is so'),
  below_min: z
    .enum(['merge', 'drop', 'refuse'])
    .default('refuse')
    .describe('What comes of a rung that is too small for the market, or shares a tick'),
  flags: z.strictObject({ postOnly: flag.default(false), rpi: flag.default(false) }).prefault({}),
})

export type LadderFile = z.output<typeof ladderSchema>

/** Whether it leaves by a stop, a trailing exit or its age, which begin a cooldown where there is one. */
export function cutsLosses({ exit }: Pick<LadderFile, 'exit'>): boolean {
  return exit?.stop !== undefined || exit?.trail !== undefined || exit?.max_age !== undefined
}

/** Whether a ladder leaves as a whole, by any exit but the mirror: that ends its episodes. */
export function closes({ exit }: Pick<LadderFile, 'exit'>): boolean {
  const { mirror: _mirror, cooldown: _cooldown, ...closing } = exit ?? {}
  return Object.values(closing).some((each) => each !== undefined)
}
