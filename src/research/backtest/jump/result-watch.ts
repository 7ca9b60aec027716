import { boundsOf, resultSum, type ResultSum } from '#src/engine/holdings/result-bounds.ts'
import { recordPassed } from '#src/engine/holdings/profit-and-loss.ts'
import type { Compiled } from '#src/engine/rules/compiled-strategy.ts'
import type { State } from '#src/engine/state/state.ts'

/** The result of a strategy. From `low` to `high` it is neither a new best one nor a deeper drawdown. */
export type ResultWatch = ResultSum & { strategy: string; low: number; high: number }
type Known = ReadonlyMap<string, Compiled>

/** For strategies that run and hold something. */
export function resultWatches({ running, strategies }: State, known: Known): ResultWatch[] {
  const watches: ResultWatch[] = []
  for (const name of running) {
    const [compiled, own] = [known.get(name), strategies[name]]
    if (!compiled || !own) continue
    const sum = resultSum(compiled.strategy, own)
    if (sum.amounts.size > 0) watches.push({ strategy: name, ...sum, ...boundsOf(own, sum.base) })
  }
  return watches
}

/** Records the result at mid prices that a backtest passed without events. */
export function passPrices(
  { strategies }: State,
  known: Known,
  watch: ResultWatch,
  { prices, at }: { prices: ReadonlyMap<string, number>; at: number },
): void {
  const [compiled, own] = [known.get(watch.strategy), strategies[watch.strategy]]
  if (!compiled || !own) return
  recordPassed(compiled.strategy, own, prices, at)
  Object.assign(watch, boundsOf(own, watch.base))
}
