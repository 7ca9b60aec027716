import { html } from 'hono/html'
import { Decimal } from '#src/money/decimal.ts'
import { amountFigure, type Figure, moneyFigure, type NamedFigure, partsOf, timeText } from './figures.ts'
import type { Told } from './happening-words.ts'
import type { BacktestResult } from './result.ts'

const rungsShownMax = 400
const barWidth = 36

/** Digits in threes, for the eye; the number itself stands beside it, for programs. */
function number({ text, exact }: Figure, tone = '') {
  return html`<data class="${tone}" value="${exact ?? ''}">${grouped(text)}</data>`
}

/** Of each number its whole part. */
function grouped(text: string): string {
  return text.replaceAll(/(?<![\d.])\d+/g, (whole) => whole.replaceAll(/\B(?=(?:\d{3})+$)/g, '\u202f'))
}

function toneOf(exact: string): string {
  const value = new Decimal(exact)
  if (value.isZero()) return 'muted'
  return value.gt(0) ? 'gain' : 'loss'
}

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

export function rungSection({ rungs }: BacktestResult) {
  const most = Decimal.max(0, ...rungs.map(({ profit }) => new Decimal(profit).abs()))
  const shown = rungs.slice(0, rungsShownMax)
  const rows = shown.map(
    ({ id, side, price, orders, fills, amount, profit, fees }) =>
      html`<tr>
        <td class="name">${id}</td>
        <td>${side}</td>
        <td class="number">${number({ text: price, exact: price })}</td>
        <td class="number">${orders}</td>
        <td class="number">${fills}</td>
        <td class="number">${number(amountFigure(amount))}</td>
        <td class="number">${number(moneyFigure(profit), toneOf(profit))}${bar(profit, most)}</td>
        <td class="number">${number(moneyFigure(fees))}</td>
      </tr>`,
  )
  const left = rungs.length - shown.length
  return html`<section class="long" aria-labelledby="rungs-title">
    <h2 id="rungs-title">Rungs, the busiest first</h2>
    <div class="wide" tabindex="0" role="region" aria-labelledby="rungs-title">
      <table id="rungs">
        <thead>
          <tr>
            <th>rung</th>
            <th>side</th>
            <th class="number">price</th>
            <th class="number">orders</th>
            <th class="number">fills</th>
            <th class="number">amount</th>
            <th class="number">profit before fees</th>
            <th class="number">fees</th>
          </tr>
        </thead>
        <tbody>
          ${rows}
        </tbody>
      </table>
    </div>
    ${rungs.length === 0 ? html`<p class="hint muted">None was laid.</p>` : ''}
    ${left > 0 ? html`<p class="hint muted">${left} more are in the JSON.</p>` : ''}
  </section>`
}

/** A profit as a bar to the right of the middle, a loss to the left. */
function bar(profit: string, most: Decimal) {
  const share = most.isZero() ? 0 : new Decimal(profit).div(most).toNumber()
  const width = Math.abs(share) * barWidth
  const x = share < 0 ? barWidth - width : barWidth
  return html`<svg viewBox="0 0 72 10" aria-hidden="true">
    <rect class="zero" x="${barWidth - 0.5}" y="0" width="1" height="10" />
    <rect
      class="${share < 0 ? 'loss' : 'gain'}"
      x="${x.toFixed(1)}"
      y="1"
      width="${width.toFixed(1)}"
      height="8"
      rx="1"
    />
  </svg>`
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

/** Where the profit comes from. */
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
    <h2 id="money-title">Fees and funding</h2>
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
