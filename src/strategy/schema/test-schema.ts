import { z } from 'zod'
import { count, money, name, percent, plainNumber, price, signedNumber, text } from './quantities.ts'
import { dayNames } from '#src/strategy/file/schedule.ts'

const amount = plainNumber('an amount as a plain number', '0.05')
const plain = plainNumber('a plain number', '3')
const balances = z
  .record(z.string(), amount)
  .meta({ examples: [{ USDT: '1000' }] })
  .default({})

const feed = z.union([
  price.describe('Candles with a constant price'),
  z.array(price).min(1).max(5000).describe('Closes of candles'),
  z
    .strictObject({
      from: price.optional(),
      to: price.optional(),
      candles: count(5000)
        .optional()
        .describe(
          'Number of candles from the first to the second price; default: enough for every indicator',
        ),
      swing: percent.optional().describe('Distance of high and low from open and close'),
      after: z.array(price).min(1).max(5000).optional().describe('Following closes'),
      bid: price.optional(),
      ask: price.optional(),
    })
    .refine(({ from, bid, ask }) => (from === undefined) === (bid !== undefined && ask !== undefined), {
      error: 'needs from (candles), or bid and ask (book)',
    }),
])

const futures = z
  .strictObject({
    funding: signedNumber('a share of the position as a plain number', '0.0001').optional(),
    funding_hours: plain.optional(),
    mark: price.optional(),
    index: price.optional(),
    open_interest: amount.optional(),
  })
  .meta({ examples: [{ funding: '0.0001', funding_hours: '3', mark: '60000' }] })

const depth = z
  .strictObject({
    bid_volume: amount.optional(),
    ask_volume: amount.optional(),
    micro_price: price.optional(),
  })
  .meta({ examples: [{ bid_volume: '12', ask_volume: '8', micro_price: '60000' }] })

const trades = z
  .strictObject({
    buy_volume: amount.optional(),
    sell_volume: amount.optional(),
    trade_count: plain.optional(),
    volume_at: z.record(z.string(), amount).optional().describe('Amounts by price'),
  })
  .meta({ examples: [{ buy_volume: '12', sell_volume: '8', trade_count: '40' }] })

/** The input of a test. Missing values are unknown, except positions and fills: those are none. */
const givenSchema = z.strictObject({
  feeds: z.record(name, feed).default({}),
  signals: z
    .record(name, text)
    .meta({ examples: [{ trend: 'long' }] })
    .default({})
    .describe('The last value of each signal'),
  futures: z.record(name, futures).default({}).describe('The values of each feed of futures'),
  depth: z.record(name, depth).default({}).describe('The values of each feed of depth'),
  trades: z.record(name, trades).default({}).describe('The values of each feed of trades, for every span'),
  equity: money.optional(),
  balance: balances,
  main_balance: balances,
  position: z
    .record(name, signedNumber('a position as a plain number', '0.05'))
    .default({})
    .describe('Negative for a short position'),
  avg_entry: z.record(name, price).default({}),
  net_fills: z.record(name, amount).default({}),
  filled_levels: z.record(name, plain).default({}),
  open_hours: z.record(name, plain).default({}),
  time: z
    .string()
    .regex(/^(?:[01]\d|2[0-3]):[0-5]\d UTC$/, { error: 'must be a time in UTC\nwrite it like 12:00 UTC' })
    .meta({ examples: ['12:00 UTC'] })
    .optional(),
  day: z.enum(dayNames).optional(),
})

const rung = z
  .string()
  .regex(/^(?:buy|sell) \S+ at \S+$/, {
    error: 'must say side, amount and price\nwrite it like buy 0.001764 at 59500',
  })
  .meta({ examples: ['buy 0.001764 at 59500'] })

export const testSchema = z.strictObject({
  name: text,
  given: givenSchema,
  expect: z.strictObject({
    rules: z.record(name, z.enum(['true', 'false', 'unknown'])).default({}),
    rungs: z
      .record(
        name,
        z.union([
          z.array(rung).describe('Every rung, in order'),
          z.strictObject({
            count: plain.optional(),
            first: rung.optional(),
            last: rung.optional(),
            unused: amount.optional(),
          }),
        ]),
      )
      .default({}),
  }),
})
