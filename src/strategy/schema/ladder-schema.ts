import { z } from 'zod'
import { isRecord } from '#src/core/objects/objects.ts'
import type { WeightShape, WordShape } from '#src/market/ladder/plan.ts'
import { exitSchema } from './exit-schema.ts'
import {
  anchorParts,
  capital,
  count,
  drift,
  duration,
  optionalDuration,
  expression,
  factor,
  feeMultiple,
  flag,
  name,
  percent,
  plainNumber,
  price,
  riskedMoney,
  size as sizeQuantity,
  weight,
} from './quantities.ts'

const levelsMax = 1000
/**
 * How many orders of a strategy are amended at once, one request each: to cancel and to place takes two requests for any number
 * of them.
 */
export const amendMost = 2

const anchor = expression
  .transform((text) => ({ taken: anchorParts(text).taken }))
  .describe(
    'Reference price of the rungs: a number or an expression. "mid at episode_start" keeps it for an ' +
      'episode; "mid at rule_start" reads it when a rule that ensures the ladder becomes true and the position is flat',
  )

const first = percent.meta({ examples: ['0.5%'] })
const step = percent.meta({ examples: ['1%'] })
const units = plainNumber('a multiple of the unit as a plain number', '0.5')
const spacing = z
  .discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('arithmetic').describe('Equal steps, in percent of the anchor'),
      first,
      step,
    }),
    z.strictObject({
      kind: z
        .literal('geometric')
        .describe('Steps in percent of the price before, each wider by the factor grow'),
      first,
      step,
      grow: factor.prefault('1'),
    }),
    z.strictObject({
      kind: z
        .literal('range')
        .describe('Lines from one price to another; lines below the anchor buy, lines above it sell'),
      from: price,
      to: price,
      by: z.enum(['price', 'ratio']).default('price').describe('Equal price steps, or equal ratios'),
    }),
    z.strictObject({
      kind: z.literal('offsets').describe('The distance of each level from the anchor'),
      at: z.array(percent).min(1).max(levelsMax),
    }),
    z.strictObject({
      kind: z.literal('volatility').describe('Steps in multiples of a measured unit, such as atr(h1, 14)'),
      unit: expression,
      first: units,
      step: units,
    }),
  ])
  .describe('Distances of the rungs')

/** The type makes `tsc` report a word that is missing here. */
const shapeWords: { [Kind in WordShape]: Kind } = {
  flat: 'flat',
  fibonacci: 'fibonacci',
  valley: 'valley',
  mountain: 'mountain',
}

const shape = z
  .union([
    z.enum(shapeWords),
    z
      .strictObject({
        linear: z.tuple([weight, weight]).optional().describe('Weights of the nearest and the farthest rung'),
        geometric: factor.optional().describe('Weight of each rung as a multiple of the rung before it'),
        list: z.array(weight).min(1).max(levelsMax).optional().describe('One weight per rung'),
      } satisfies { [Kind in Exclude<WeightShape['kind'], WordShape>]: z.ZodType })
      .refine((shape) => Object.keys(shape).length === 1, {
        error: 'needs exactly one of linear, geometric, list',
      }),
  ])
  .default('flat')
  .transform((shape): WeightShape => {
    if (typeof shape === 'string') return { kind: shape }
    const { linear, geometric, list = [] } = shape
    if (linear) return { kind: 'linear', from: linear[0], to: linear[1] }
    return geometric ? { kind: 'geometric', ratio: geometric } : { kind: 'list', weights: list }
  })
  .describe('Distribution of the capital, from the rung next to the anchor outwards')

const size = z
  .strictObject({
    total: sizeQuantity
      .optional()
      .describe(
        'Capital of the whole ladder: 2100 quote, 0.05 base or 25% equity, or an expression with the unit quote or base',
      ),
    first: sizeQuantity
      .optional()
      .describe('Capital of the rung next to the anchor; the shape gives the others'),
    risk: riskedMoney
      .optional()
      .describe(
        'Loss with fees if all rungs fill and exit.stop closes at its price: 50 quote or 1% equity. It gives the capital',
      ),
    shape,
    cap: capital.optional().describe('Maximum cost of the whole ladder'),
    update: z
      .enum(['ladder', 'rung'])
      .default('ladder')
      .describe(
        'When the size is computed: with the ladder, or also for each rung that is placed again after its mirror',
      ),
    leftover: z
      .enum(['keep', 'spread'])
      .default('keep')
      .describe('Lots that remain after rounding: kept, or distributed to the rungs that lost most'),
    scale_by: expression.optional().describe('Factor on the capital, such as clamp(0.012 / vol, 0.4, 1)'),
  })
  .refine((size) => [size.total, size.first, size.risk].filter(Boolean).length === 1, {
    error: 'takes exactly one of total, first and risk\nwrite it like { total: 1000 quote }',
  })
  .meta({ examples: [{ total: '1000 quote' }] })

export const ladderSchema = z.strictObject({
  market: name.meta({ examples: ['btc'] }).describe('A name from markets'),
  side: z.enum(['buy', 'sell', 'both']),
  anchor,
  rebase: z
    .union(
      [
        z.enum(['never', 'on_flat', 'on_fill']),
        z.strictObject({
          drift,
          min_gap: duration,
          hysteresis: drift.optional(),
          min_life: optionalDuration('5s').describe(
            'How long an order rests before an order at the new price of its rung replaces it',
          ),
          amend: flag
            .default(false)
            .describe(
              `Amend a moved order in place: one request, if at most ${amendMost} orders of the strategy move at once. ` +
                'More orders are cancelled and placed together. Needs the capability amend',
            ),
          on_fill: flag.default(false).describe('Also after each fill of the strategy'),
        }),
      ],
      { error: ({ input }) => (isOnFillAlone(input) ? onFillAlone : undefined) },
    )
    .optional()
    .describe(
      'When to recompute the ladder: never, when the position is flat (on_flat), after each fill of the strategy ' +
        '(on_fill), or after a move of its anchor. ' +
        'Default: recompute after an exit other than mirror closed the position. Moving rungs needs the capability cancel',
    ),
  levels: count(levelsMax).describe('Rungs per side; with a range, all lines'),
  spacing,
  size,
  resting: z
    .strictObject({ max: count(levelsMax).optional(), within: percent.optional() })
    .prefault({})
    .describe('Place only the rungs nearest to the price'),
  exit: exitSchema.optional(),
  min_edge: feeMultiple
    .optional()
    .describe(
      'Minimum edge of an exit: check refuses the ladder below it, and the engine places no rung while it is below',
    ),
  below_min: z
    .enum(['merge', 'drop', 'refuse'])
    .default('refuse')
    .describe('Handling of a rung that is below the minimum of the market, or on the tick of another'),
  flags: z.strictObject({ postOnly: flag.default(false), rpi: flag.default(false) }).prefault({}),
})

export type LadderFile = z.output<typeof ladderSchema>

const onFillAlone =
  'on_fill: true needs drift and min_gap beside it\n' +
  'write rebase: on_fill to follow fills alone, or add drift: 1 step, min_gap: 10m'

function isOnFillAlone(given: unknown): boolean {
  return isRecord(given) && Object.keys(given).join() === 'on_fill'
}

/** Whether each fill of the strategy makes the ladder due again. */
export function followsFills({ rebase }: Pick<LadderFile, 'rebase'>): boolean {
  return typeof rebase === 'object' ? rebase.on_fill : rebase === 'on_fill'
}
