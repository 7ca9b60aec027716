import { numberOf } from '#src/money/decimal.ts'
import type { Compiled } from './compiled.ts'
import { middleOf } from './horizon-edges.ts'
import { pauseBest } from './pausing.ts'
import { narrow, type Band } from './price-bands.ts'
import type { State, StrategyState } from './state.ts'
import { judgePassed, limitsOf, numbersOf } from './worth.ts'

/**
 * Where a price would let the strategy lose so much of its best result that it pauses or halts. Within the bands no way that
 * prices take can do that, even from a new best result on: where the result depends on several prices, each of them may take
 * its part of what is left. False where that cannot be told, or a limit is reached.
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
    // Of one price it is known how far it went, of several not where they were at one time: a new best result is looked at.
    const gain = held.length > 1 ? Math.max(leastBest(own) - worth, 0) : peak - worth + room / 2
    for (const change of [-room / 2, gain])
      for (const { symbol, amount, price } of held)
        narrow(bands, symbol, price, price + change / held.length / amount)
  }
  return true
}

/** What the strategy has made is `base`, and with each market that it holds something in, so many times its price. */
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

/** A result above this one is remembered as a best one. */
function leastBest({ worth: { bests, peak } }: StrategyState): number {
  return Number(bests?.at(-1)?.result ?? peak)
}

/** What prices on their way may have made the best result of a strategy, which was not asked at that moment. */
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
