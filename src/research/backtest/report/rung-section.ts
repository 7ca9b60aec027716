import { html } from 'hono/html'
import { Decimal } from '#src/core/money/decimal.ts'
import { amountFigure, moneyFigure } from '#src/research/backtest/result/figures.ts'
import { bar, money, number } from './table-cells.ts'
import { section, wideTable } from './report-tables.ts'
import type { BacktestResult } from '#src/research/backtest/result/result.ts'

const rungsShownMax = 400

const columns = [
  ['name', 'rung'],
  ['', 'side'],
  ['number', 'mean price'],
  ['number', 'orders'],
  ['number', 'fills'],
  ['number', 'amount'],
  ['number', 'profit before fees'],
  ['number', 'fees'],
  ['number', 'pairs'],
  ['number', 'grid profit'],
  ['number', 'open'],
  ['number', 'floating'],
] as const

export function rungSection({ rungs }: BacktestResult) {
  const most = Decimal.max(0, ...rungs.map(({ profit }) => new Decimal(profit).abs()))
  const shown = rungs.slice(0, rungsShownMax)
  const rows = shown.map(
    ({ id, side, price, orders, fills, amount, profit, fees, pairs, gridProfit, open, floating }) => [
      id,
      side,
      number({ text: price, exact: price }),
      orders,
      fills,
      number(amountFigure(amount)),
      html`${money(profit)}${bar(most.isZero() ? 0 : new Decimal(profit).div(most).toNumber())}`,
      number(moneyFigure(fees)),
      pairs ?? '',
      maybe(gridProfit, money),
      maybe(open, (text) => number(amountFigure(text))),
      maybe(floating, money),
    ],
  )
  const left = rungs.length - shown.length
  const content = html`${wideTable('rungs', columns, rows)}
  ${rungs.length === 0 ? html`<p class="hint muted">No rung was placed.</p>` : ''}
  ${left > 0 ? html`<p class="hint muted">${left} more are in the JSON.</p>` : ''}`
  return section({ id: 'rungs', title: 'Rungs, most fills first', classes: 'long', content })
}

/** A result of 0.3.2 or older has no pairs. */
function maybe(exact: string | undefined, shown: (exact: string) => ReturnType<typeof number>) {
  return exact === undefined || exact === '0' ? '' : shown(exact)
}
