import { html } from 'hono/html'
import { pairPartsOf } from '#src/research/backtest/result/figures.ts'
import { money } from './table-cells.ts'
import { plainTable, section, wideTable } from './report-tables.ts'
import type { BacktestResult } from '#src/research/backtest/result/result.ts'

/** Matched pairs and open amounts by strategy, and how they add up to the net profit. */
export function pairSection(result: BacktestResult) {
  const parts = pairPartsOf(result)
  if (parts === undefined) return ''
  const rows = result.strategies.map(({ strategy, pairs, gridProfit, floating }) => {
    return [strategy, pairs, money(gridProfit), money(floating)]
  })
  const sums = [...parts, ['net profit', result.summary.netProfit] as const].map(([name, exact]) => [
    name,
    money(exact),
  ])
  const columns = [
    ['name', 'strategy'],
    ['number', 'pairs'],
    ['number', 'grid profit'],
    ['number', 'floating'],
  ] as const
  const content = html`${wideTable('pairs', columns, rows)} ${plainTable('pair-sums', ['', 'number'], sums)}`
  return section({ id: 'pairs', title: 'Grid profit and floating', content })
}
