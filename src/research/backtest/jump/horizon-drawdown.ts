import { numberOf } from '#src/core/money/decimal.ts'
import type { Compiled } from '#src/engine/rules/compiled-strategy.ts'
import { resultSum } from '#src/engine/holdings/result-bounds.ts'
import { narrow, type PriceBand } from '#src/engine/state/price-bands.ts'
import { middleOf } from './price-bands.ts'
import type { State, StrategyState } from '#src/engine/state/state.ts'
import { lossLimits } from '#src/engine/holdings/profit-and-loss.ts'

/**
 * Adds price bands within which the strategy cannot reach a limit of its drawdown, whatever path prices take and also from a
 * new best result. If the result depends on several prices, each band gets its share of the distance. False if a limit is
 * reached, or if there is no such band.
 */
export function ruinOf(
  state: State,
  compiled: Compiled,
  own: StrategyState,
  bands: Map<string, PriceBand>,
): boolean {
  const { base, amounts } = resultSum(compiled.strategy, own)
  const limits = lossLimits(compiled.strategy, own)
  if (amounts.size === 0 || limits.length === 0) return true
  const held: { symbol: string; amount: number; price: number }[] = []
  for (const [symbol, amount] of amounts) {
    const price = middleOf(state, symbol)
    if (price === undefined) return false
    held.push({ symbol, amount, price })
  }
  const worth = held.reduce((sum, { amount, price }) => sum + amount * price, base)
  for (const { most, best } of limits) {
    const peak = Math.max(Number(best), worth)
    const room = numberOf(most) - (peak - worth)
    if (room <= 0) return false
    for (const change of [-room / 2, peak - worth + room / 2])
      for (const { symbol, amount, price } of held)
        narrow(bands, symbol, price, price + change / held.length / amount)
  }
  return true
}
