import { numberOf } from '#src/money/decimal.ts'
import type { Compiled } from './compiled.ts'
import { pauseBest } from './pausing.ts'
import { narrow, type Band } from './price-bands.ts'
import type { State, StrategyState } from './state.ts'
import { judgePassed, limitsOf, numbersOf } from './worth.ts'

/**
 * Where a price would let the strategy lose so much of its best result that it pauses or halts. Within the band no way that
 * prices take can do that, even from a new best result on. False where several prices would have to be looked at.
 */
export function ruinOf(
  state: State,
  compiled: Compiled,
  own: StrategyState,
  bands: Map<string, Band>,
): boolean {
  const line = worthLine(compiled, own)
  if (line === null) return true
  if (line === 'several') return false
  const quote = state.quotes[line.symbol]
  if (own.halted !== null) return true
  if (!quote || quote.bid === null || quote.ask === null) return false
  const { pause, halt } = limitsOf(compiled.strategy)
  const price = (quote.bid + quote.ask) / 2
  const worth = line.base + line.amount * price
  const limits = [{ limit: halt, best: own.worth.peak }]
  if (own.pauses['drawdown'] === undefined) limits.push({ limit: pause, best: pauseBest(own.worth) })
  for (const { limit, best } of limits) {
    const peak = Math.max(Number(best), worth)
    const room = numberOf(limit) - (peak - worth)
    if (room <= 0) return false
    for (const edge of [worth - room / 2, peak + room / 2])
      narrow(bands, line.symbol, price, (edge - line.base) / line.amount)
  }
  return true
}

/** What the strategy has made as a function of the one price that it depends on; null where it depends on none. */
function worthLine(
  { strategy }: Compiled,
  { holdings }: StrategyState,
): { symbol: string; base: number; amount: number } | null | 'several' {
  let base = 0
  let amount = 0
  let found: string | undefined
  for (const market in holdings) {
    const holding = holdings[market]
    if (!holding) continue
    const { position, paid } = numbersOf(holding).roughly
    base += paid
    if (position === 0) continue
    const symbol = strategy.markets[market]?.symbol
    if (symbol === undefined || (found !== undefined && found !== symbol)) return 'several'
    found = symbol
    amount += position
  }
  return found === undefined || amount === 0 ? null : { symbol: found, base, amount }
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
    const line = worthLine(compiled, own)
    if (!line || line === 'several' || line.symbol !== symbol) continue
    const best = line.amount > 0 ? highest : lowest
    const least = own.worth.bests?.at(-1)?.result ?? own.worth.peak
    if (line.base + line.amount * best > Number(least)) judgePassed(compiled.strategy, own, symbol, best, at)
  }
}
