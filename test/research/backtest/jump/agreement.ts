import { isDeepStrictEqual } from 'node:util'
import { loopedInput } from './random/random-loops.ts'
import { randomInput, type RandomParts } from './random/random-strategy.ts'
import type { BacktestResult } from '#src/research/backtest/result/result.ts'
import { tickOf } from './naive-path.ts'
import { everywhere, played } from './step-everywhere.ts'

/**
 * Compares a jump and a walk of the same random strategy: undefined if their orders, times, events and results are equal,
 * otherwise the first difference, with the seed.
 */
export async function differenceOf(
  seed: number,
  parts: RandomParts & { loops?: boolean } = {},
): Promise<{ seed: number; what: string } | undefined> {
  const input = () => (parts.loops === true ? loopedInput(seed) : randomInput(seed, parts))
  const [jump, walk] = [await played(input()), await played(input(), everywhere)]
  for (const part of ['sent', 'notes'] as const) {
    const [jumped, walked] = [jump[part], walk[part]]
    const count = Math.max(jumped.length, walked.length)
    const index = Array.from({ length: count }).findIndex(
      (_, at) => !isDeepStrictEqual(jumped[at], walked[at]),
    )
    if (index === -1) continue
    const [one, other] = [jumped[index], walked[index]].map((each) => JSON.stringify(each) ?? 'nothing')
    return { seed, what: `${part} ${index}: the jump ${one}, the walk ${other}` }
  }
  const tolerance = roundingOf(jump.result)
  const jumped = new Map(Object.entries({ ...jump.result, worth: jump.worth }))
  for (const [key, walked] of Object.entries({ ...walk.result, worth: walk.worth })) {
    const value = jumped.get(key)
    if (isDeepStrictEqual(value, walked)) continue
    const isRounded = key === 'strategies' || key === 'worth'
    if (isRounded && isDeepStrictEqual(rounded(value, walked, tolerance), walked)) continue
    return { seed, what: `${key}: the jump ${JSON.stringify(value)}, the walk ${JSON.stringify(walked)}` }
  }
  return undefined
}

/**
 * A strategy in several markets at once: inside bars, a walk sees sums of prices that are each rounded to a tick, a jump those at
 * the ends of the lines. So a result may differ by half a tick of each position, and a drawdown, which compares two results, by a
 * tick. The sum over all fills is at least the position.
 */
function roundingOf({ fills, market: files }: BacktestResult): number {
  if (new Set(fills.map(({ market }) => market)).size < 2) return 0
  const bars = new Set(files.flatMap(({ kind, symbol }) => (kind === 'bars' ? [symbol] : [])))
  const inBars = fills.filter(({ market }) => bars.has(market))
  return inBars.reduce((sum, { market, amount }) => sum + Number(amount) * tickOf(market), 0)
}

/** The value, with results of the other one where they differ by no more than the tolerance. */
function rounded(value: unknown, other: unknown, tolerance: number): unknown {
  if (typeof value !== 'object' || value === null || typeof other !== 'object' || other === null) return value
  const others = new Map<string, unknown>(Object.entries(other))
  const entries = Object.entries(value).map(([key, each]: [string, unknown]) => {
    const found = others.get(key)
    const isResult = key === 'peak' || key === 'maxDrawdown'
    if (isResult && Math.abs(Number(each) - Number(found)) <= tolerance) return [key, found] as const
    return [key, rounded(each, found, tolerance)] as const
  })
  return Array.isArray(value) ? entries.map(([, each]) => each) : Object.fromEntries(entries)
}
