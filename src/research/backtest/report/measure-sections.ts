import { html } from 'hono/html'
import { Decimal } from '#src/core/money/decimal.ts'
import {
  moneyFigure,
  notMeaningful,
  percentFigure,
  timeText,
  type Figure,
} from '#src/research/backtest/result/figures.ts'
import { measuresOf } from '#src/research/backtest/result/measure-figures.ts'
import type { BacktestResult } from '#src/research/backtest/result/result.ts'
import { bar, grouped, number, toneOf } from './table-cells.ts'
import { plainTable, section, wideTable } from './report-tables.ts'

export function measureSection(result: BacktestResult) {
  const rows = measuresOf(result).map(({ name, about, ...figure }) => [
    name,
    number(figure),
    aboutText(about),
  ])
  if (rows.length === 0) return ''
  const content = plainTable('measures', ['', 'number', 'about'], rows)
  return section({ id: 'measures', title: 'Measures', content })
}

/** What is beside a figure; the mark of a ratio without meaning stands out. */
export function aboutText(about: string) {
  return about === notMeaningful ? html`<em class="mark">${about}</em>` : grouped(about)
}

export function monthSection({ months = [] }: BacktestResult) {
  if (months.length === 0) return ''
  const most = Math.max(...months.map(({ return: gain }) => Math.abs(gain ?? 0)))
  const rows = months.map(({ month, profit, return: gain }) => [
    month,
    profit === undefined ? '' : number(moneyFigure(profit), toneOf(profit)),
    html`${number(percentFigure(gain), toneOf(String(gain ?? 0)))}${bar(most > 0 ? (gain ?? 0) / most : 0)}`,
  ])
  const columns = [
    ['', 'month'],
    ['number', 'profit'],
    ['number', 'return'],
  ] as const
  return section({ id: 'months', title: 'Months', content: wideTable('months', columns, rows) })
}

export function inputSection(result: BacktestResult) {
  const rows = parametersOf(result).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : number(value),
  ])
  const texts = result.strategies.map(({ strategy, text }) =>
    text === undefined
      ? ''
      : html`<details>
          <summary>Strategy file of ${strategy}</summary>
          <pre tabindex="0">${text}</pre>
        </details>`,
  )
  if (rows.length === 0) return ''
  const content = html`${plainTable('parameters', ['', 'name'], rows)} ${texts}`
  return section({ id: 'parameters', title: 'Parameters and strategies', content })
}

/** How the backtest was run. */
function parametersOf({ parameters, summary, strategies }: BacktestResult): [string, Figure | string][] {
  if (parameters === undefined) return []
  const { fill, latencyMs, leverage, seed, fees } = parameters
  return [
    ['from', timeText(summary.from)],
    ['to', timeText(summary.to)],
    ['strategies', strategies.map(({ strategy }) => strategy).join(', ')],
    ['start equity', moneyFigure(summary.startEquity)],
    ...fees.map(({ market, maker, taker }): [string, string] => [
      `fees of ${market}`,
      `maker ${percentOf(maker)}, taker ${percentOf(taker)}`,
    ]),
    ['fill model', fill],
    ['latency', `${latencyMs} ms`],
    ['leverage', String(leverage)],
    ['seed', seed],
  ]
}

function percentOf(share: string): string {
  return `${new Decimal(share).times(100).toFixed()}%`
}
