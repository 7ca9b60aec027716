import type { Compiled } from '#src/engine/rules/compiled-strategy.ts'
import { pairsOf } from '#src/engine/holdings/pair-matching.ts'
import { rungPairsOf } from '#src/engine/holdings/pair-sums.ts'
import { heldPrice } from '#src/engine/holdings/profit-and-loss.ts'
import type { State, StrategyState } from '#src/engine/state/state.ts'
import type { HoldingRow, PairRow } from './tables.ts'

type Rows = { holdings: Record<string, HoldingRow>; pairs: Record<string, PairRow> }

/** Adds the holdings of a strategy and the matched pairs of its rungs, at the current price. */
export function addHoldings(
  state: State,
  strategy: string,
  { holdings }: StrategyState,
  compiled: Compiled | undefined,
  rows: Rows,
): void {
  for (const [name, holding] of Object.entries(holdings)) {
    const { position, entry, realized, fees } = holding
    const market = compiled?.strategy.markets[name]?.symbol ?? name
    const price = compiled && heldPrice(state, compiled.strategy, market, holding)
    const worth = position === '0' ? '0' : (price?.times(position).toFixed() ?? null)
    rows.holdings[`${strategy}.${name}`] = { strategy, name, market, position, entry, realized, fees, worth }
    for (const [key, rung] of rungPairsOf(pairsOf(holding), price))
      rows.pairs[`${strategy}.${key}`] = Object.assign({ strategy, market }, rung)
  }
}
