import { numberOf } from '#src/core/money/decimal.ts'
import type { Compiled } from '#src/engine/rules/compiled-strategy.ts'
import { lossPause, pauseBest } from '#src/engine/rules/pauses.ts'
import { middleOf, narrow, type PriceBand } from './price-bands.ts'
import { exposureOf } from './result-watch.ts'
import type { State, StrategyState } from '#src/engine/state/state.ts'
import { limitsOf } from '#src/engine/holdings/profit-and-loss.ts'

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
  const { base, amounts } = exposureOf(compiled, own)
  if (amounts.size === 0 || own.halted !== null) return true
  const held: { symbol: string; amount: number; price: number }[] = []
  for (const [symbol, amount] of amounts) {
    const price = middleOf(state, symbol)
    if (price === undefined) return false
    held.push({ symbol, amount, price })
  }
  const worth = held.reduce((sum, { amount, price }) => sum + amount * price, base)
  const { pause, halt } = limitsOf(compiled.strategy)
  const limits = [{ limit: halt, best: own.worth.peak }]
  if (own.pauses[lossPause] === undefined) limits.push({ limit: pause, best: pauseBest(own.worth) })
  for (const { limit, best } of limits) {
    const peak = Math.max(Number(best), worth)
    const room = numberOf(limit) - (peak - worth)
    if (room <= 0) return false
    for (const change of [-room / 2, peak - worth + room / 2])
      for (const { symbol, amount, price } of held)
        narrow(bands, symbol, price, price + change / held.length / amount)
  }
  return true
}
