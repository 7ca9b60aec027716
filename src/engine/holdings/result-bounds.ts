import { numberOf } from '#src/core/money/decimal.ts'
import type { Compiled } from '#src/engine/rules/compiled-strategy.ts'
import type { Strategy } from '#src/strategy/schema/strategy-schema.ts'
import { nearPriceOf } from '#src/engine/state/prices.ts'
import { relativeTolerance } from '#src/core/money/bounded.ts'
import type { State, StrategyState } from '#src/engine/state/state.ts'
import { lossLimits, numbersOf, recordNow } from './profit-and-loss.ts'

/** The result of a strategy as a sum: `base`, plus an amount times the mid price for each market with a position. */
export type ResultSum = { base: number; amounts: ReadonlyMap<string, number> }

export function resultSum(strategy: Strategy, { holdings }: StrategyState): ResultSum {
  let base = 0
  const amounts = new Map<string, number>()
  for (const market in holdings) {
    const holding = holdings[market]
    if (!holding) continue
    const { position, paid } = numbersOf(holding).roughly
    base += paid
    const symbol = strategy.markets[market]?.symbol
    if (symbol === undefined) continue
    const amount = (amounts.get(symbol) ?? 0) + position
    if (amount === 0) amounts.delete(symbol)
    else amounts.set(symbol, amount)
  }
  return { base, amounts }
}

/** A quote has changed: true if it reaches a drawdown limit of the strategy. */
export function reachesLimit(state: State, compiled: Compiled, own: StrategyState, symbol: string): boolean {
  const { strategy } = compiled
  const { base, amounts } = resultSum(strategy, own)
  if (!amounts.has(symbol)) return false
  let result = base
  for (const [each, amount] of amounts) {
    const price = nearPriceOf(state, strategy, each)
    if (!price) return false
    result += amount * price.value
  }
  const { low, high } = boundsOf(own, base)
  const room = result - toleranceOf(own, base)
  const isFar = lossLimits(strategy, own).every(({ most, best }) => room > Number(best) - numberOf(most))
  // Decimals are computed only where a double is not enough.
  if (result >= low && result <= high && isFar) return false
  return recordNow(state, strategy, own)
}

/** A result from `low` to `high` is neither a new best one nor a deeper drawdown. */
export function boundsOf(own: StrategyState, base: number): { low: number; high: number } {
  const { peak, maxDrawdown, bests } = own.worth
  const tolerance = toleranceOf(own, base)
  return {
    low: Number(peak) - Number(maxDrawdown ?? 0) + tolerance,
    high: Number(bests?.at(-1)?.result ?? peak) - tolerance,
  }
}

function toleranceOf({ worth }: StrategyState, base: number): number {
  return relativeTolerance * 1e-3 * (Math.abs(base) + Math.abs(Number(worth.peak)))
}
