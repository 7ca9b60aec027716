import type { ASTNode } from '@marcbachmann/cel-js'
import { durationIn } from './quantities.ts'
import type { StrategyFault } from '#src/strategy/file/strategy-fault.ts'

/** Functions of a feed of trades: their last argument is the span of time. */
export const functionsOfTrades: ReadonlySet<string> = new Set([
  'buy_volume',
  'sell_volume',
  'trade_count',
  'volume_between',
])

/** Trades are summed by whole seconds. The bot keeps each second of the longest span. */
const secondMs = 1000
const longestMs = 4 * 3_600_000

const known = new Map<string, number | undefined>()

/** Undefined if the text is no span of whole seconds; cached, because each evaluation reads it. */
export function tradesSpanMs(text: string): number | undefined {
  if (!known.has(text)) {
    const ms = durationIn(text)
    known.set(text, ms !== undefined && ms % secondMs === 0 && ms <= longestMs ? ms : undefined)
  }
  return known.get(text)
}

/** Only a literal span is allowed, so that the engine knows which windows to sum. The type checker reports missing arguments. */
export function spanFault(
  name: string,
  given: readonly ASTNode[],
): (Omit<StrategyFault, 'path'> & { start: number }) | undefined {
  const node = given.at(-1)
  if (!functionsOfTrades.has(name) || given.length < 2 || node === undefined) return undefined
  const { op, args, start } = node
  if (op === 'value' && typeof args === 'string' && tradesSpanMs(args) !== undefined) return undefined
  const message = 'this is not a span of trades: whole seconds, at most 4h'
  return { start, message, hint: 'write a span such as "30s", "5m" or "1h"' }
}
