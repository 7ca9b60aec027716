import { numberOf } from '#src/money/decimal.ts'
import type { Compiled } from './compiled.ts'
import { middleOf } from './horizon-edges.ts'
import { pauseBest } from './pausing.ts'
import { narrow, type Band } from './price-bands.ts'
import type { State, StrategyState } from './state.ts'
import { judgePassed, limitsOf, numbersOf } from './worth.ts'

/**
 * Adds price bands within which the strategy cannot reach a limit of its drawdown, whatever path prices take and also from a
 * new best result. If the result depends on several prices, each band gets its share of the distance. False if a limit is
 * reached, or if there is no such band.
 */
export function ruinOf(
  state: State,
  compiled: Compiled,
  own: StrategyState,
  bands: Map<string, Band>,
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
  if (own.pauses['drawdown'] === undefined) limits.push({ limit: pause, best: pauseBest(own.worth) })
  for (const { limit, best } of limits) {
    const peak = Math.max(Number(best), worth)
    const room = numberOf(limit) - (peak - worth)
    if (room <= 0) return false
    // `passed` gives the extremes of one market, but not the prices of several at one time: these need an evaluation.
    const gain = held.length > 1 ? Math.max(leastBest(own) - worth, 0) : peak - worth + room / 2
    for (const change of [-room / 2, gain])
      for (const { symbol, amount, price } of held)
        narrow(bands, symbol, price, price + change / held.length / amount)
  }
  return true
}

/** The result of a strategy as a sum: `base`, plus an amount times the price for each market with a position. */
function exposureOf(
  { strategy }: Compiled,
  { holdings }: StrategyState,
): { base: number; amounts: ReadonlyMap<string, number> } {
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

/** A result above this one is kept as a best one. */
function leastBest({ worth: { bests, peak } }: StrategyState): number {
  return Number(bests?.at(-1)?.result ?? peak)
}

/** Raises the best result of strategies by the prices that a backtest skipped. */
export function passWorth(
  { at, running, strategies }: State,
  known: ReadonlyMap<string, Compiled>,
  symbol: string,
  { lowest, highest }: { lowest: number; highest: number },
): void {
  for (const name of running) {
    const [compiled, own] = [known.get(name), strategies[name]]
    if (!compiled || !own) continue
    const { base, amounts } = exposureOf(compiled, own)
    const amount = amounts.get(symbol)
    if (amount === undefined || amounts.size > 1) continue
    const best = amount > 0 ? highest : lowest
    if (base + amount * best > leastBest(own)) judgePassed(compiled.strategy, own, symbol, best, at)
  }
}
