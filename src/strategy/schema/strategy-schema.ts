import { z } from 'zod'
import { leverages } from '#src/venues/whitebit/contract/trading/leverages.ts'
import { riskSchema, submitSchema } from './risk-schema.ts'
import { onExits } from './on-exit.ts'
import { ladderSchema } from './ladder-schema.ts'
import { depthEveryMs, futuresEveryMs, tradesEveryMs } from './poll-times.ts'
import {
  count,
  duration,
  durationText,
  expression,
  functionKey,
  name,
  oneNumberOf,
  somePercent,
} from './quantities.ts'
import { forEachSchema, marketName, marketSchema } from './market-schema.ts'
import { parametersSchema } from './parameter-schema.ts'
import { ruleSchema } from './rule-schema.ts'
import { signalSchema } from './signal-schema.ts'
import { baseName } from '#src/strategy/file/base-files.ts'
import { testSchema } from './test-schema.ts'

/** Optional capabilities of a venue. A strategy lists those that it needs, and is refused if one is missing. */
export const capabilities = [
  'bulk',
  'history',
  'balance',
  'cancel',
  'amend',
  'open_orders',
  'market_data',
  'streams',
  'flex',
  'position_side_short',
  'conditional_orders',
] as const
export type Capability = (typeof capabilities)[number]

/** How long polled values count; a shorter time would make them unknown between two polls. */
function polledAge(what: string, everyMs: number, example: string) {
  const least = durationText(2 * everyMs)
  const error = `must be at least ${least}: the bot reads ${what} every ${durationText(everyMs)}\nwrite it like ${example}`
  return duration.refine((ms) => ms >= 2 * everyMs, { error }).optional()
}

const feed = z.discriminatedUnion('source', [
  z.strictObject({
    source: z.literal('candles'),
    market: marketName,
    interval: z.enum(['1m', '3m', '5m', '15m', '30m', '1h', '2h', '4h', '6h', '12h', '1d', '1w']),
    stale_after: duration
      .optional()
      .describe('Maximum age of a value; an older value is stale, and a strategy never trades on it'),
  }),
  z.strictObject({
    source: z.literal('book'),
    market: marketName,
    depth: count(100).prefault('1'),
    stale_after: duration.optional(),
  }),
  signalSchema,
  z.strictObject({
    source: z.literal('futures'),
    market: marketName,
    stale_after: polledAge('futures', futuresEveryMs, '30s'),
  }),
  z
    .strictObject({
      source: z.literal('depth'),
      market: marketName,
      within: somePercent
        .refine((value) => value.lt(1), { error: 'must be below 100%\nwrite it like 0.1%' })
        .optional()
        .describe('How far from the best price of a side its amounts count'),
      levels: count(100, '5').optional().describe('How many of the best prices of a side count'),
      stale_after: polledAge('order books', depthEveryMs, '5s'),
    })
    .refine(({ within, levels }) => (within === undefined) !== (levels === undefined), {
      error: 'needs either within or levels\nwrite within: 0.1% or levels: 5',
    }),
  z.strictObject({
    source: z.literal('trades'),
    market: marketName,
    stale_after: polledAge('trades', tradesEveryMs, '5s'),
  }),
])

/** The schema of a strategy file. Every value arrives as text and is converted to its type. */
export const strategySchema = z.strictObject({
  version: z.literal('1'),
  name: name.meta({ examples: ['my_grid'] }).describe('Name of the strategy and prefix of all its order ids'),
  /** For editors only: after merging, the key is gone. */
  extends: z
    .string()
    .regex(baseName)
    .optional()
    .describe('A file in the same folder with the values that this file omits'),
  /** For editors only: the defaults are written where values refer to them, and the key is gone. */
  parameters: parametersSchema
    .optional()
    .describe('Values with a name, and the values that a sweep tries; $name is the value'),
  needs: z
    .array(z.enum(capabilities))
    .min(1)
    .optional()
    .describe('Capabilities that the venue must have; default: those that the file uses'),
  for_each: forEachSchema
    .default({})
    .describe(
      'Loops over markets: an entry whose name contains $m is written once for each market of the loop m',
    ),
  markets: z.record(name, marketSchema).meta({ examples: [{ btc: 'BTC_PERP' }] }),
  leverage: oneNumberOf(leverages)
    .optional()
    .describe('Leverage that the whole collateral account must have; default: whatever it has'),
  feeds: z.record(name, feed).default({}),
  functions: z
    .record(functionKey, expression)
    .default({})
    .describe('Functions with a name, which expressions of this file can call'),
  let: z.record(name, expression).default({}).describe('Named values, computed in this order'),
  ladder: z.record(name, ladderSchema),
  rules: z.array(ruleSchema).min(1).max(100),
  risk: riskSchema,
  submit: submitSchema.prefault({}),
  on_exit: z
    .enum(onExits)
    .default('leave')
    .describe('What the bot does with open entries and positions when it ends in order'),
  tests: z.array(testSchema).max(100).default([]).describe('Tests that rungs check runs'),
})

/** The content of a file. `withDefaults` adds the values that depend on the rest of the file. */
export type WrittenStrategy = z.output<typeof strategySchema>
type WrittenFeed = WrittenStrategy['feeds'][string]
export type SignalFeed = Extract<WrittenFeed, { source: 'signal' }>
type FuturesFeed = Extract<WrittenFeed, { source: 'futures' }>
type DepthFeed = Extract<WrittenFeed, { source: 'depth' }>
type TradesFeed = Extract<WrittenFeed, { source: 'trades' }>
export type PolledFeed = FuturesFeed | DepthFeed | TradesFeed
type MarketFeed = Exclude<WrittenFeed, SignalFeed | PolledFeed>
/** The feeds of a file, by their sources. */
export type Strategy = Omit<WrittenStrategy, 'feeds'> & {
  feeds: Record<string, MarketFeed>
  signals: Record<string, SignalFeed>
  futures: Record<string, FuturesFeed>
  depth: Record<string, DepthFeed>
  trades: Record<string, TradesFeed>
  needs: readonly Capability[]
  risk: { max_open_orders: number }
}

/** The feeds that the bot polls, by name. */
export function polledIn({
  futures,
  depth,
  trades,
}: Pick<Strategy, 'futures' | 'depth' | 'trades'>): Record<string, PolledFeed> {
  return { ...futures, ...depth, ...trades }
}

export type StrategyTest = Strategy['tests'][number]
export type Given = StrategyTest['given']
