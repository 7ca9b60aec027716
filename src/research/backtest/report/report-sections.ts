import { html } from 'hono/html'
import { Decimal } from '#src/core/money/decimal.ts'
import { amountFigure, type NamedFigure, partsOf, timeText } from '#src/research/backtest/result/figures.ts'
import { aboutText } from './measure-sections.ts'
import { money, number, toneOf } from './table-cells.ts'
import { boxOf, plainTable, section, wideTable } from './report-tables.ts'
import type { EventSection } from '#src/research/backtest/result/event-texts.ts'
import type { BacktestResult } from '#src/research/backtest/result/result.ts'

export function sumTile({ name, about, ...figure }: NamedFigure) {
  const tone = name === 'net profit' ? toneOf(String(figure.exact)) : ''
  return html`<div>
    <dt>${name}</dt>
    <dd class="figure">${number(figure, tone)}</dd>
    <dd class="about">${aboutText(about)}</dd>
  </div>`
}

export function chartSection() {
  return html`<section aria-labelledby="chart-title">
    <div class="tools">
      <h2 id="chart-title">Prices, rungs and fills</h2>
      <label><input type="checkbox" id="show-rungs" checked /> rungs</label>
      <label><input type="checkbox" id="show-fills" checked /> fills</label>
      <label><input type="checkbox" id="show-hold" checked /> buy and hold</label>
      <button type="button" id="zoom-out" aria-label="Zoom out">−</button>
      <button type="button" id="zoom-in" aria-label="Zoom in">+</button>
      <button type="button" id="zoom-all">All</button>
    </div>
    <p id="legend"></p>
    <div
      id="chart"
      tabindex="0"
      role="group"
      aria-label="Candles with rungs and fills, equity, drawdown and position over time"
      aria-describedby="chart-hint"
    ></div>
    <p class="hint muted" id="chart-hint">
      Drag or use the arrow keys to move, the wheel or + and − to zoom, 0 to see all. Times are UTC.
    </p>
  </section>`
}

export function ruleSection({ rules }: BacktestResult) {
  const rows = rules.map(({ rule, strategy, fired, first, last }) => {
    return [rule, strategy, fired, momentText(first), momentText(last)]
  })
  const columns = [
    ['name', 'rule'],
    ['name', 'strategy'],
    ['number', 'fired'],
    ['when', 'first'],
    ['when', 'last'],
  ] as const
  return section({ id: 'rules', title: 'Rules', content: wideTable('rules', columns, rows) })
}

function momentText(at: number | null): string {
  return at === null ? '' : timeText(at)
}

export function heldSection({ held }: BacktestResult) {
  const rows = held.map(({ strategy, market, amount, entry, mark, unrealised }) => [
    strategy,
    market,
    number(amountFigure(amount)),
    number(amountFigure(entry)),
    number({ text: mark, exact: mark }),
    money(unrealised),
  ])
  const columns = [
    ['name', 'strategy'],
    ['', 'market'],
    ['number', 'amount'],
    ['number', 'average entry'],
    ['number', 'last price'],
    ['number', 'profit before fees'],
  ] as const
  const none = held.length === 0 ? html`<p class="hint muted">None.</p>` : ''
  const content = html`${wideTable('held', columns, rows)} ${none}`
  return section({ id: 'held', title: 'Positions at the end', content })
}

/** Parts of the profit, at the average cost. */
export function moneySection(result: BacktestResult) {
  const { netProfit, fees, funding, liquidations } = result.summary
  const { closed, open, liquidated } = partsOf(result)
  const rows = [
    ['closed by rungs', closed],
    ['positions at the last price', open],
    ...(liquidations > 0 ? [['lost in liquidations', liquidated]] : []),
    ['fees', new Decimal(fees).neg().toFixed()],
    ['funding', funding],
    ['net profit', netProfit],
  ].map(([name = '', exact = '']) => [name, money(exact)])
  const content = plainTable('money', ['', 'number'], rows)
  return section({ id: 'money', title: 'At average cost', content })
}

export function refusedSection({ rejected }: BacktestResult) {
  if (rejected.length === 0) return ''
  const rows = rejected.map(({ reason, count }) => [reason, count])
  const content = plainTable('refused', ['name', 'number'], rows)
  return section({ id: 'refused', title: 'Refused by the venue', content })
}

export function happeningSections(told: readonly EventSection[]) {
  return told.map(({ id, title, rows }) => {
    return section({ id, title, content: boxOf(id, plainTable(id, ['name', 'name'], rows)) })
  })
}

export function assumptionSection({ assumptions, market }: BacktestResult) {
  const read = market.map(
    ({ symbol, kind, gaps, print, funding }) =>
      html`<li>
          ${symbol} was read from ${kind} with ${gaps === 1 ? '1 gap' : `${gaps} gaps`}, SHA-256
          <code>${print}</code>
        </li>
        ${funding === null ? '' : html`<li>The funding of ${symbol} has SHA-256 <code>${funding}</code></li>`}`,
  )
  const content = html`<ul id="assumptions">
    ${assumptions.map((text) => html`<li>${text}</li>`)}${read}
  </ul>`
  return section({ id: 'assumptions', title: 'Assumptions', content })
}
