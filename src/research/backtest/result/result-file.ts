import type { z } from 'zod'
import { BotError } from '#src/core/errors/bot-error.ts'
import { Decimal } from '#src/core/money/decimal.ts'
import { jsonIn } from '#src/core/objects/json.ts'
import type { BacktestResult } from './result.ts'
import { fillSchema, lastSchema, type Elapsed, type LastLine } from './result-schema.ts'

/** A line for each fill, and one for the rest. */
export function* resultLines(
  { summary, fills, ...rest }: BacktestResult,
  elapsedMs: number,
): Generator<string> {
  for (const fill of fills) yield JSON.stringify(fill)
  yield JSON.stringify({ ...summary, ...rest, elapsedMs } satisfies LastLine)
}

/** Reads a stored result. */
export function readResultLines(path: string, text: string): BacktestResult & Elapsed {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  if (lines.length === 0) throw broken(`${path} is empty`)
  const fills = lines.slice(0, -1).map((line, index) => read(fillSchema, line, `${path}:${index + 1}`))
  const last = read(lastSchema, lines.at(-1) ?? '', `${path}:${lines.length}`)
  const { equity, months, parameters, candles, rungs, strategies, held, rules, rejected, ...others } = last
  const { stops, alerts, blocked, invested, market, assumptions, elapsedMs, ...summary } = others
  if (summary.fills !== fills.length) {
    throw broken(`${path} has ${fills.length} fills, its last line says ${summary.fills}`)
  }
  const { netProfit, startEquity, endEquity } = summary
  if (!new Decimal(endEquity).minus(startEquity).eq(netProfit)) {
    throw broken(
      `${path} was edited: a change from ${startEquity} to ${endEquity} is not a net profit of ${netProfit}`,
    )
  }
  const told = { rules, rejected, stops, alerts, blocked, invested }
  const series = { equity, ...(months && { months }), ...(parameters && { parameters }), candles }
  return { summary, fills, ...series, rungs, strategies, held, ...told, market, assumptions, elapsedMs }
}

function read<T>(schema: z.ZodType<T>, line: string, place: string): T {
  const value = jsonIn(line)
  if (value === undefined) throw broken(`${place} is not JSON`)
  const { data, error } = schema.safeParse(value)
  if (data !== undefined) return data
  const { path = [], message = '' } = error?.issues[0] ?? {}
  throw broken(`${place} ${path.join('.')}: ${message}`)
}

function broken(seen: string): BotError {
  return new BotError('FILE_INVALID', {
    seen,
    fix: 'Use the complete output of rungs backtest --json',
  })
}
