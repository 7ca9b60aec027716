import { z } from 'zod'
import {
  count,
  duration,
  optionalDuration,
  expression,
  flag,
  moneyLimit,
  name,
  somePercent,
  text,
} from './quantities.ts'

/** A condition: an expression, or a tree of them. An unknown condition never acts. */
type ConditionFile =
  | string
  | {
      all?: ConditionFile[] | undefined
      any?: ConditionFile[] | undefined
      not?: ConditionFile | undefined
      crosses_above?: [string, string] | undefined
      crosses_below?: [string, string] | undefined
      rises?: Trend | undefined
      falls?: Trend | undefined
    }

type Trend = string | { of: string; candles: number }

/** YAML ends an expression at its comma, so an expression with a two-argument function arrives in pieces. */
const pair = z.tuple([expression, expression], {
  error: ({ code }) =>
    code === 'too_big' || code === 'too_small'
      ? 'needs exactly two expressions; a comma ends one that has no quotes\nwrite it like ["rsi(px, 14)", 30]'
      : undefined,
})
const lookBackMax = 500
const trend = z.union([expression, z.strictObject({ of: expression, candles: count(lookBackMax) })])
const condition: z.ZodType<ConditionFile> = z.lazy(() =>
  z
    .union([
      expression,
      z
        .strictObject({
          all: z.array(condition).min(1).max(20).optional(),
          any: z.array(condition).min(1).max(20).optional(),
          not: condition.optional(),
          crosses_above: pair
            .optional()
            .describe('True now, and false at the previous close of the shortest candles it reads'),
          crosses_below: pair
            .optional()
            .describe('Below it now, and not below at the previous close of the shortest candles it reads'),
          rises: trend
            .optional()
            .describe(
              'Higher than one candle ago, or this number of candles; of the shortest candles it reads',
            ),
          falls: trend
            .optional()
            .describe(
              'Lower than one candle ago, or this number of candles; of the shortest candles it reads',
            ),
        })
        .refine((tree) => Object.keys(tree).length === 1, {
          error: 'needs exactly one of all, any, not, crosses_above, crosses_below, rises, falls',
        }),
    ])
    .meta({ examples: ['last(px) > 60000'] }),
)

const closing = z.strictObject({
  of: name,
  slippage: somePercent
    .optional()
    .describe('How much worse than the best price the closing order may trade; default: 0.5%'),
  share: somePercent.optional().describe('The part of the position to close; default: all of it'),
  how: z
    .enum(['ioc', 'post'])
    .default('ioc')
    .describe(
      'ioc: immediate orders. post: maker-only orders at the best price of the own side, replaced when a better price is there',
    ),
  post_for: optionalDuration().describe(
    'With how: post, the time after which immediate orders close the rest; default: no end',
  ),
  daily_loss: moneyLimit
    .optional()
    .describe('With share: the most that such closes may lose in a day; then the rule waits until 00:00 UTC'),
})

const action = z
  .strictObject({
    ensure: name.optional().describe('Place the rungs of this ladder: a name from ladder'),
    freeze: name.optional().describe('Place no new orders; keep open orders'),
    retire: name.optional().describe('Cancel the orders of the ladder; needs the capability cancel'),
    close: z
      .union([name.transform((of) => closing.parse({ of })), closing])
      .optional()
      .describe(
        'Cancel the orders of a ladder, or of all ladders of a market, and close the position; needs cancel. ' +
          'With share: only close this share of the position, once each time the rule acts',
      ),
    pause_entries: text.optional().describe('Block new entries, with this reason'),
    halt: text
      .optional()
      .describe(
        'Stop the entries of this strategy until an operator resumes it, with this reason; exits work',
      ),
    alert: text.optional().describe('Send an alert'),
    flex_invest: z
      .strictObject({
        ticker: z
          .string()
          .regex(/^[A-Z0-9]{1,20}$/, { error: 'must be a currency' })
          .meta({ examples: ['USDT'] }),
        amount: expression,
        reinvest: flag.default(false),
      })
      .optional()
      .describe('Invest idle money; needs the capability flex'),
  })
  .refine((action) => Object.keys(action).length === 1, {
    error: 'needs exactly one action\nwrite it like ensure: dip',
  })
  .meta({ examples: [{ ensure: 'dip' }] })

const actionsMax = 20
const days = 'daily|(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)(?:,(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun))*'
const time = String.raw`(?:[01]\d|2[0-3]):[0-5]\d`

export const ruleSchema = z
  .strictObject({
    id: name.meta({ examples: ['place'] }),
    when: condition.optional(),
    for: optionalDuration().describe(
      'The condition must be true for this time, and never unknown; with a schedule, at its time',
    ),
    cooldown: optionalDuration().describe(
      'Minimum time between two actions; what it froze or cancelled stays so until then, and while it is true',
    ),
    once: z
      .enum(['episode', 'ever'])
      .optional()
      .describe('Act once; what it froze or cancelled stays so until the condition is false'),
    schedule: z
      .string()
      .regex(new RegExp(`^(?:${days}) ${time}(?:,${time}){0,23} UTC$`), {
        error:
          'must be days and times in UTC\n' +
          'write it like daily 01:00 UTC or Mon,Tue,Wed,Thu,Fri 12:00,18:00 UTC, with at most 24 times',
      })
      .meta({ examples: ['Mon,Tue,Wed,Thu,Fri 12:00,18:00 UTC'] })
      .optional(),
    missed: z
      .strictObject({ run_once_within: duration })
      .optional()
      .describe('If the bot did not run at the scheduled time: act once, at most this late'),
    do: z
      .array(action)
      .min(1, { error: 'must have at least one action' })
      .max(actionsMax, {
        error: `must have at most ${actionsMax} actions\nsplit the rule: write the others in a second rule`,
      }),
  })
  .meta({ examples: [{ id: 'place', when: 'last(px) > 60000', do: [{ ensure: 'dip' }] }] })
  .refine(({ when, schedule }) => when !== undefined || schedule !== undefined, {
    error: 'needs when, schedule or both\nadd when: last(px) > 60000, or schedule: daily 01:00 UTC',
    path: ['when'],
  })
