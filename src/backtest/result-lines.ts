import { z } from 'zod'
import { BotError } from '#src/errors/bot-error.ts'
import { Decimal } from '#src/money/decimal.ts'
import { signedPattern } from '#src/money/text.ts'
import type { BacktestFill, BacktestResult } from './result.ts'

/** What the program that counted adds: the only number that differs from one time to the next. */
type Elapsed = { elapsedMs: number }
type LastLine = BacktestResult['summary'] & Omit<BacktestResult, 'summary' | 'fills'> & Elapsed

const money = z.string().regex(signedPattern).describe('A decimal number with all its digits')
const count = z.int().nonnegative()
const time = z.int().describe('Unix milliseconds')
const ratio = z
  .number()
  .nullable()
  .describe('From daily returns, annualised with 365 days; null for fewer than 7 days')
const share = z.number().nonnegative()

const fillSchema = z.strictObject({
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
  pairs: count.describe('Entry orders that were closed in full'),
  gridProfit: money.describe('Of matched pairs: the sales less the purchases, less the fees of both'),
  floating: money.describe('What is open at its last price, less what it has cost with its fees'),
}

export const summarySchema = z.strictObject({
  fills: count,
  orders: count.describe('Sent to the venue'),
  netProfit: money.describe('endEquity less startEquity'),
  fees: money.describe('Paid; below zero where rebates were more'),
  funding: money.describe('Received; below zero where it was paid'),
  maxDrawdown: money.describe(
    'The largest drawdown of all strategies together: the highest equity so far less the equity now, at each price, ' +
      'before and after each fill, rounded up to 8 decimals',
  ),
  maxDrawdownShare: share.describe('The deepest fall as a share of the highest equity before it'),
  liquidations: count,
  halts: count.describe('How often a strategy was halted: after that it places no entries any more'),
  sharpe: ratio,
  sortino: ratio,
  exposure: share.describe('The share of the time in which something was held'),
  holdingMs: z
    .number()
    .nonnegative()
    .nullable()
    .describe('How long an amount was held on average, in milliseconds; null where none was'),
  events: count.describe('Points of the market that passed'),
  from: time,
  to: time,
  startEquity: money,
  endEquity: money,
  ...z.object(pairFields).partial().shape,
}) satisfies z.ZodType<BacktestResult['summary']>

const lastSchema = summarySchema.extend({
  equity: z
    .strictObject({
      at: z.array(time),
      value: z.array(z.number()),
      position: z.array(z.number()).describe('What is held of the first market'),
    })
    .describe('At the close of each of at most some 2000 periods, for charts'),
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
      price: z.string().describe('The average of its fills; of its last order where it has none'),
      orders: count,
      fills: count,
      amount: money,
      profit: money.describe('Realised by its fills against the average entry, before fees'),
      fees: money,
      ...z.object({ ...pairFields, open: money.describe('Below zero for what was sold first') }).partial()
        .shape,
    }),
  ),
  strategies: z
    .array(
      z.strictObject({
        strategy: z.string(),
        ...pairFields,
        maxDrawdown: money.optional().describe('Of this strategy alone, at mid prices and without funding'),
      }),
    )
    .default([])
    .describe(
      'gridProfit and floating, with funding, are the net profit; what that lacks was lost in liquidations. ' +
        'Results of 0.3.2 and older lack all three',
    ),
  held: z
    .array(
      z.strictObject({
        strategy: z.string(),
        market: z.string(),
        amount: money.describe('Below zero where it is short'),
        entry: money.describe('The average price it was entered at, rounded to 8 decimals'),
        mark: money.describe('The last price'),
        unrealised: money.describe('amount × mark, less what it has cost'),
      }),
    )
    .describe(
      'At the end. The profits of all rungs and what is unrealised, less fees, with funding, are the net profit; ' +
        'what that lacks was lost in liquidations',
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
        rule: z.string().nullable().describe('Of the file; null where the bot itself did it'),
        reason: z.string().describe('Of the first time'),
        times: count,
        first: time,
        last: time.describe('When it began for the last time'),
        resumed: time.nullable().describe('When it ended for the last time; null where it lasts to the end'),
      }),
    )
    .describe('Halts and pauses. A strategy that is halted places no entries any more; its exits work'),
  alerts: z
    .strictObject({
      count,
      texts: z.array(
        z.strictObject({ strategy: z.string().nullable(), text: z.string(), count, first: time }),
      ),
    })
    .describe('How many there were, and the first texts of them'),
  blocked: z
    .array(
      z.strictObject({
        strategy: z.string(),
        ladder: z.string(),
        reason: z.string().describe('Of the first time'),
        count: count.describe('How often it was told: whenever this limit began to stand in the way'),
        first: time,
      }),
    )
    .describe('What limits of the strategies kept back'),
  invested: z
    .array(
      z.strictObject({
        strategy: z.string(),
        currency: z.string(),
        outcome: z.string(),
        message: z.string().nullable().describe('Why it was not accepted'),
        count,
        amount: money.describe('Of all of them'),
      }),
    )
    .describe('What flex_invest offered to flexible plans'),
  market: z.array(
    z.strictObject({
      symbol: z.string(),
      print: z.string().describe('SHA-256 of what was read'),
      kind: z.string(),
      gaps: count,
      funding: z.string().nullable().describe('SHA-256 of the file with its funding; null without one'),
    }),
  ),
  assumptions: z.array(z.string()).describe('What the numbers rest on, in words'),
  elapsedMs: z
    .number()
    .nonnegative()
    .describe('How long it took; the only value that is not the same every time'),
}) satisfies z.ZodType<LastLine>

/** What `--json` prints, for programs that read it. */
export function resultJsonSchema(): object {
  const schema = z.toJSONSchema(z.union([fillSchema, lastSchema]))
  return {
    title: 'A line of what rungs backtest --json prints: each fill is one, and the last one is the result',
    ...schema,
  }
}

/** A line for each fill, and one for all the rest. */
export function* resultLines(
  { summary, fills, ...rest }: BacktestResult,
  elapsedMs: number,
): Generator<string> {
  for (const fill of fills) yield JSON.stringify(fill)
  yield JSON.stringify({ ...summary, ...rest, elapsedMs } satisfies LastLine)
}

/** The way back, from a file that somebody kept. */
export function readResultLines(path: string, text: string): BacktestResult & Elapsed {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  if (lines.length === 0) throw broken(`${path} is empty`)
  const fills = lines.slice(0, -1).map((line, index) => read(fillSchema, line, `${path}:${index + 1}`))
  const last = read(lastSchema, lines.at(-1) ?? '', `${path}:${lines.length}`)
  const { equity, candles, rungs, strategies, held, rules, rejected, ...others } = last
  const { stops, alerts, blocked, invested, market, assumptions, elapsedMs, ...summary } = others
  if (summary.fills !== fills.length) {
    throw broken(`${path} has ${fills.length} fills, its last line says ${summary.fills}`)
  }
  const { netProfit, startEquity, endEquity } = summary
  if (!new Decimal(endEquity).minus(startEquity).eq(netProfit)) {
    throw broken(`${path} was edited: from ${startEquity} to ${endEquity} is no net profit of ${netProfit}`)
  }
  const told = { rules, rejected, stops, alerts, blocked, invested }
  return { summary, fills, equity, candles, rungs, strategies, held, ...told, market, assumptions, elapsedMs }
}

function read<T>(schema: z.ZodType<T>, line: string, place: string): T {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    throw broken(`${place} is no JSON`)
  }
  const { data, error } = schema.safeParse(value)
  if (data !== undefined) return data
  const { path = [], message = '' } = error?.issues[0] ?? {}
  throw broken(`${place} ${path.join('.')}: ${message}`)
}

function broken(seen: string): BotError {
  return new BotError('FILE_INVALID', {
    seen,
    fix: 'Keep what rungs backtest --json prints as it is, all lines of it',
  })
}
