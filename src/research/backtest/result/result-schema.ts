import { z } from 'zod'
import { signedPattern } from '#src/core/money/decimal-text.ts'
import type { BacktestFill, BacktestResult } from './result.ts'

/** Speed of the run: the only number that differs between two runs. */
export type Elapsed = { elapsedMs: number }
export type LastLine = BacktestResult['summary'] & Omit<BacktestResult, 'summary' | 'fills'> & Elapsed

const money = z.string().regex(signedPattern).describe('A decimal number with all its digits')
const count = z.int().nonnegative()
const time = z.int().describe('Unix milliseconds')
const ratio = z
  .number()
  .nullable()
  .describe('From daily returns, annualised with 365 days; null for fewer than 7 days')
const share = z.number().nonnegative()

export const fillSchema = z.strictObject({
  at: time,
  order: z.string().describe('The client_order_id: strategy.ladder.level.generation'),
  strategy: z.string(),
  ladder: z.string(),
  level: z.string(),
  market: z.string(),
  side: z.enum(['buy', 'sell']),
  price: money,
  amount: money,
  fee: money,
  maker: z.boolean(),
  profit: money.describe('Realised by this fill against the average entry, before fees'),
}) satisfies z.ZodType<BacktestFill>

const pairFields = {
  pairs: count.describe('Entry orders whose fills were closed completely'),
  gridProfit: money.describe('Profit of matched pairs: sales less purchases, less the fees of both'),
  floating: money.describe('Open amounts at their last price, less their cost with fees'),
}

const dayReturn = z.number().nullable().describe('Return of a day of 24 hours; null without a whole day')

const measureFields = {
  ratiosMeaningful: z
    .boolean()
    .describe('False for fewer than 30 days: sharpe, sortino, cagr and calmar say little'),
  cagr: z
    .number()
    .nullable()
    .describe('(endEquity / startEquity) ^ (365 days / duration) - 1; null for fewer than 7 days'),
  calmar: z.number().nullable().describe('cagr / maxDrawdownShare; null without a cagr or a drawdown'),
  buyAndHold: money.describe(
    'Profit if the start equity buys all markets in equal parts at their first prices, without fees; rounded down to 8 decimals',
  ),
  longestDrawdownMs: z
    .number()
    .nonnegative()
    .describe(
      'Longest time in milliseconds from a highest equity.value to the next one that is not lower, or to the end',
    ),
  bestDay: dayReturn,
  bestDayAt: time.nullable().describe('Start of this day'),
  worstDay: dayReturn,
  worstDayAt: time.nullable().describe('Start of this day'),
  roundTrips: count.describe(
    'Amounts that were opened and closed completely: of a rung, or of a ladder that exits as a whole',
  ),
  winRate: share
    .nullable()
    .describe('Share of the round trips with a profit after fees; null without round trips'),
  profitFactor: share
    .nullable()
    .describe('Sum of all profits of round trips / sum of all losses; null without a loss'),
  expectancy: money
    .nullable()
    .describe('Mean profit of a round trip after fees, rounded down to 8 decimals; null without round trips'),
}

export const summarySchema = z.strictObject({
  fills: count,
  orders: count.describe('Time of sending'),
  netProfit: money.describe('endEquity less startEquity'),
  fees: money.describe('Paid fees; negative if rebates were larger'),
  funding: money.describe('Received funding; negative if paid'),
  maxDrawdown: money.describe(
    'Maximum drawdown of all strategies together: the highest equity so far less the current equity, at each price, ' +
      'before and after each fill, rounded up to 8 decimals',
  ),
  maxDrawdownShare: share.describe('Maximum drawdown as a share of the highest equity before it'),
  liquidations: count,
  halts: count.describe('Number of halts of a strategy; a halted strategy places no entries'),
  sharpe: ratio,
  sortino: ratio,
  exposure: share.describe('Share of the time with a position'),
  holdingMs: z
    .number()
    .nonnegative()
    .nullable()
    .describe('Average holding time of an amount in milliseconds; null without a position'),
  events: count.describe('Processed points of the market'),
  from: time,
  to: time,
  startEquity: money,
  endEquity: money,
  ...z.object(pairFields).partial().shape,
  ...z.object(measureFields).partial().shape,
}) satisfies z.ZodType<BacktestResult['summary']>

export const lastSchema = summarySchema.extend({
  equity: z
    .strictObject({
      at: z.array(time),
      value: z.array(z.number()),
      position: z.array(z.number()).describe('Position in the first market'),
      hold: z.array(z.number()).optional().describe('Equity of buying and holding, see buyAndHold'),
    })
    .describe('At the close of each of at most about 2000 periods, for charts'),
  months: z
    .array(
      z.strictObject({
        month: z.string().describe('Calendar month in UTC, such as 2026-01'),
        profit: money.optional().describe('Change of the equity in this month'),
        return: z.number().nullable().describe('Change of the equity in this month / equity at its start'),
      }),
    )
    .optional()
    .describe('Results of older versions lack months, parameters, equity.hold and the text of strategies'),
  parameters: z
    .strictObject({
      fill: z.enum(['touch', 'through', 'queue']),
      latencyMs: z.number().nonnegative(),
      leverage: z.number().positive(),
      seed: z.string(),
      fees: z
        .array(z.strictObject({ market: z.string(), maker: money, taker: money }))
        .describe('As shares of the money, before fee tiers'),
    })
    .optional(),
  candles: z
    .array(
      z.strictObject({ at: time, open: z.number(), high: z.number(), low: z.number(), close: z.number() }),
    )
    .describe('The same periods, of the first market'),
  rungs: z.array(
    z.strictObject({
      id: z.string().describe('strategy.ladder.level'),
      ladder: z.string(),
      side: z.string(),
      price: z.string().describe('Average price of its fills; without fills, price of its last order'),
      orders: count,
      fills: count,
      amount: money,
      profit: money.describe('Realised by its fills against the average entry, before fees'),
      fees: money,
      ...z
        .object({ ...pairFields, open: money.describe('Negative for an amount that was sold first') })
        .partial().shape,
    }),
  ),
  strategies: z
    .array(
      z.strictObject({
        strategy: z.string(),
        ...pairFields,
        maxDrawdown: money.optional().describe('Of this strategy alone, at mid prices and without funding'),
        text: z.string().optional().describe('Strategy file, with its base files'),
      }),
    )
    .default([])
    .describe(
      'gridProfit, floating and funding add up to the net profit; a difference was lost in liquidations. ' +
        'Results of 0.3.2 and older lack all three',
    ),
  held: z
    .array(
      z.strictObject({
        strategy: z.string(),
        market: z.string(),
        amount: money.describe('Negative for a short position'),
        entry: money.describe('Average entry, rounded to 8 decimals'),
        mark: money.describe('The last price'),
        unrealised: money.describe('amount × mark, less the cost'),
      }),
    )
    .describe(
      'At the end. Profits of all rungs plus unrealised, less fees, plus funding, are the net profit; ' +
        'a difference was lost in liquidations',
    ),
  rules: z.array(
    z.strictObject({
      rule: z.string(),
      strategy: z.string(),
      fired: count,
      first: time.nullable(),
      last: time.nullable(),
    }),
  ),
  rejected: z.array(z.strictObject({ reason: z.string(), count })),
  stops: z
    .array(
      z.strictObject({
        strategy: z.string(),
        kind: z.enum(['halted', 'paused']),
        rule: z.string().nullable().describe('Rule of the file; null if the bot itself did it'),
        reason: z.string().describe('First time'),
        times: count,
        first: time,
        last: time.describe('Start of the last one'),
        resumed: time.nullable().describe('End of the last one; null if it lasts to the end'),
      }),
    )
    .describe('Halts and pauses. A halted strategy places no entries; its exits work'),
  alerts: z
    .strictObject({
      count,
      texts: z.array(
        z.strictObject({ strategy: z.string().nullable(), text: z.string(), count, first: time }),
      ),
    })
    .describe('Their number, and the first texts'),
  blocked: z
    .array(
      z.strictObject({
        strategy: z.string(),
        ladder: z.string(),
        reason: z.string().describe('First time'),
        count: count.describe('How often the limit started to block orders'),
        totalMs: count
          .optional()
          .describe(
            'How long it blocked entries, or closes with daily_loss; results of 0.3.2 and older lack it',
          ),
        first: time,
      }),
    )
    .describe('Entries, and closes with daily_loss, that limits of the strategies blocked'),
  invested: z
    .array(
      z.strictObject({
        strategy: z.string(),
        currency: z.string(),
        outcome: z.string(),
        message: z.string().nullable().describe('Reason of the refusal'),
        count,
        amount: money.describe('Sum of all offers'),
      }),
    )
    .describe('Offers of flex_invest to flexible plans'),
  market: z.array(
    z.strictObject({
      symbol: z.string(),
      print: z.string().describe('SHA-256 of the input'),
      kind: z.string(),
      gaps: count,
      funding: z.string().nullable().describe('SHA-256 of the funding file; null without one'),
      depth: z.string().optional().describe('SHA-256 of the file of order books, if there is one'),
      futures: z.string().optional().describe('SHA-256 of the file of --futures, if there is one'),
    }),
  ),
  assumptions: z.array(z.string()).describe('Assumptions of the result, in words'),
  elapsedMs: z
    .number()
    .nonnegative()
    .describe('Run time of the backtest; the only value that differs between runs'),
}) satisfies z.ZodType<LastLine>

/** The output of `--json`. */
export function resultJsonSchema(): object {
  const schema = z.toJSONSchema(z.union([fillSchema, lastSchema]))
  return {
    title: 'A line of rungs backtest --json: each fill is a line, and the last line is the result',
    ...schema,
  }
}
