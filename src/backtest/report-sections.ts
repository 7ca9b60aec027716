import { html } from 'hono/html'
import { Decimal } from '#src/money/decimal.ts'
import { amountFigure, moneyFigure, type NamedFigure, partsOf, timeText } from './figures.ts'
import { grouped, number, toneOf } from './report-cells.ts'
import type { Told } from './happening-words.ts'
import type { BacktestResult } from './result.ts'

export function sumTile({ name, about, ...figure }: NamedFigure) {
  const tone = name === 'net profit' ? toneOf(String(figure.exact)) : ''
  return html`<div>
    <dt>${name}</dt>
    <dd class="figure">${number(figure, tone)}</dd>
    <dd class="about">${grouped(about)}</dd>
  </div>`
}

export function chartSection() {
  return html`<section aria-labelledby="chart-title">
    <div class="tools">
      <h2 id="chart-title">Prices, rungs and fills</h2>
      <label><input type="checkbox" id="show-rungs" checked /> rungs</label>
      <label><input type="checkbox" id="show-fills" checked /> fills</label>
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
  const rows = rules.map(
    ({ rule, strategy, fired, first, last }) =>
      html`<tr>
        <td class="name">${rule}</td>
        <td class="name">${strategy}</td>
        <td class="number">${fired}</td>
        <td class="when">${momentText(first)}</td>
        <td class="when">${momentText(last)}</td>
      </tr>`,
  )
  return html`<section aria-labelledby="rules-title">
    <h2 id="rules-title">Rules</h2>
    <div class="wide" tabindex="0" role="region" aria-labelledby="rules-title">
      <table id="rules">
        <thead>
          <tr>
            <th>rule</th>
            <th>strategy</th>
            <th class="number">fired</th>
            <th>first</th>
            <th>last</th>
          </tr>
        </thead>
        <tbody>
          ${rows}
        </tbody>
      </table>
    </div>
  </section>`
}

function momentText(at: number | null): string {
  return at === null ? '' : timeText(at)
}

export function heldSection({ held }: BacktestResult) {
  const rows = held.map(
    ({ strategy, market, amount, entry, mark, unrealised }) =>
      html`<tr>
        <td class="name">${strategy}</td>
        <td>${market}</td>
        <td class="number">${number(amountFigure(amount))}</td>
        <td class="number">${number(amountFigure(entry))}</td>
        <td class="number">${number({ text: mark, exact: mark })}</td>
        <td class="number">${number(moneyFigure(unrealised), toneOf(unrealised))}</td>
      </tr>`,
  )
  return html`<section aria-labelledby="held-title">
    <h2 id="held-title">Held at the end</h2>
    <div class="wide" tabindex="0" role="region" aria-labelledby="held-title">
      <table id="held">
        <thead>
          <tr>
            <th>strategy</th>
            <th>market</th>
            <th class="number">amount</th>
            <th class="number">average entry</th>
            <th class="number">last price</th>
            <th class="number">profit before fees</th>
          </tr>
        </thead>
        <tbody>
          ${rows}
        </tbody>
      </table>
    </div>
    ${held.length === 0 ? html`<p class="hint muted">Nothing.</p>` : ''}
  </section>`
}

/** Where the profit comes from, at the average cost. */
export function moneySection(result: BacktestResult) {
  const { netProfit, fees, funding, liquidations } = result.summary
  const { closed, open, liquidated } = partsOf(result)
  const paid = new Decimal(fees).neg().toFixed()
  const rows = [
    ['closed by rungs', closed],
    ['still held, at its last price', open],
    ...(liquidations > 0 ? [['lost in liquidations', liquidated]] : []),
    ['fees', paid],
    ['funding', funding],
    ['net profit', netProfit],
  ].map(
    ([name = '', exact = '']) =>
      html`<tr>
        <td>${name}</td>
        <td class="number">${number(moneyFigure(exact), toneOf(exact))}</td>
      </tr>`,
  )
  return html`<section aria-labelledby="money-title">
    <h2 id="money-title">At the average cost</h2>
    <table id="money">
      <tbody>
        ${rows}
      </tbody>
    </table>
  </section>`
}

export function refusedSection({ rejected }: BacktestResult) {
  if (rejected.length === 0) return ''
  const rows = rejected.map(
    ({ reason, count }) =>
      html`<tr>
        <td class="name">${reason}</td>
        <td class="number">${count}</td>
      </tr>`,
  )
  return html`<section aria-labelledby="refused-title">
    <h2 id="refused-title">Refused by the venue</h2>
    <table id="refused">
      <tbody>
        ${rows}
      </tbody>
    </table>
  </section>`
}

export function happeningSections(told: readonly Told[]) {
  return told.map(({ id, title, rows }) => {
    const lines = rows.map(
      ([lead, text]) =>
        html`<tr>
          <td class="name">${lead}</td>
          <td class="name">${text}</td>
        </tr>`,
    )
    return html`<section aria-labelledby="${id}-title">
      <h2 id="${id}-title">${title}</h2>
      <div class="wide" tabindex="0" role="region" aria-labelledby="${id}-title">
        <table id="${id}">
          <tbody>
            ${lines}
          </tbody>
        </table>
      </div>
    </section>`
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
  return html`<section aria-labelledby="assumptions-title">
    <h2 id="assumptions-title">What these numbers rest on</h2>
    <ul id="assumptions">
      ${assumptions.map((text) => html`<li>${text}</li>`)}${read}
    </ul>
  </section>`
}
