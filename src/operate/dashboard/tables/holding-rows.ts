import type { Compiled } from '#src/engine/rules/compiled-strategy.ts'
import { pairsOf } from '#src/engine/holdings/pair-matching.ts'
import { rungPairsOf } from '#src/engine/holdings/pair-sums.ts'
import { heldPrice } from '#src/engine/holdings/profit-and-loss.ts'
import type { Decimal } from '#src/core/money/decimal.ts'
import { percentOf } from '#src/operate/dashboard/history/trade-row.ts'
import type { AccountReport } from '#src/venue/port.ts'
import type { Account, Holding, State, StrategyState } from '#src/engine/state/state.ts'
import type { BalanceRow, HoldingRow, PairRow } from './tables.ts'

type Rows = { holdings: Record<string, HoldingRow>; pairs: Record<string, PairRow> }

/** Adds the holdings of a strategy and the matched pairs of its rungs, at the current price. */
export function addHoldings(
  state: State,
  strategy: string,
  { holdings }: StrategyState,
  { compiled, report }: { compiled: Compiled | undefined; report: AccountReport | undefined },
  rows: Rows,
): void {
  for (const [name, holding] of Object.entries(holdings)) {
    const { position, entry, realized, fees } = holding
    const market = compiled?.strategy.markets[name]?.symbol ?? name
    const price = compiled && heldPrice(state, compiled.strategy, market, holding)
    const own = { strategy, name, market, position, entry, realized, fees }
    rows.holdings[`${strategy}.${name}`] = {
      ...own,
      ...atPrice(holding, price),
      ...reported(report, market, position),
    }
    for (const [key, rung] of rungPairsOf(pairsOf(holding), price))
      rows.pairs[`${strategy}.${key}`] = Object.assign({ strategy, market }, rung)
  }
}

function atPrice({ position, cost }: Holding, price: Decimal | undefined) {
  const mark = price?.toFixed() ?? null
  if (position === '0') return { mark, worth: '0', unrealized: '0', percent: null }
  const worth = price?.times(position)
  if (!worth) return { mark, worth: null, unrealized: null, percent: null }
  const unrealized = worth.minus(cost).toFixed()
  return { mark, worth: worth.toFixed(), unrealized, percent: percentOf(unrealized, cost) }
}

function reported(report: AccountReport | undefined, market: string, position: string) {
  if (position === '0') return { liquidation: null, leverage: null }
  const side = position.startsWith('-') ? 'short' : 'long'
  return { liquidation: report?.liquidation[`${market} ${side}`] ?? null, leverage: report?.leverage ?? null }
}

/** Without the currencies of which the account has nothing. */
export function balanceRows(account: Account | null): Record<string, BalanceRow> {
  if (!account) return {}
  const { available, freeze, main } = account
  const rows: Record<string, BalanceRow> = {}
  for (const name of new Set([...Object.keys(available), ...Object.keys(freeze), ...Object.keys(main)])) {
    const row = { available: available[name] ?? '0', frozen: freeze[name] ?? '0', main: main[name] ?? '0' }
    if (Object.values(row).some((amount) => Number(amount) !== 0)) rows[name] = row
  }
  return rows
}
