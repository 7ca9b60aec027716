import { html } from 'hono/html'
import { Decimal } from '#src/money/decimal.ts'
import { amountFigure, moneyFigure } from './figures.ts'
import { number, toneOf } from './report-cells.ts'
import type { BacktestResult } from './result.ts'

const rungsShownMax = 400
const barWidth = 36

export function rungSection({ rungs }: BacktestResult) {
  const most = Decimal.max(0, ...rungs.map(({ profit }) => new Decimal(profit).abs()))
  const shown = rungs.slice(0, rungsShownMax)
  const rows = shown.map(
    ({ id, side, price, orders, fills, amount, profit, fees, pairs, gridProfit, open, floating }) =>
      html`<tr>
        <td class="name">${id}</td>
        <td>${side}</td>
        <td class="number">${number({ text: price, exact: price })}</td>
        <td class="number">${orders}</td>
        <td class="number">${fills}</td>
        <td class="number">${number(amountFigure(amount))}</td>
        <td class="number">${number(moneyFigure(profit), toneOf(profit))}${bar(profit, most)}</td>
        <td class="number">${number(moneyFigure(fees))}</td>
        <td class="number">${pairs ?? ''}</td>
        <td class="number">${maybe(gridProfit, (text) => number(moneyFigure(text), toneOf(text)))}</td>
        <td class="number">${maybe(open, (text) => number(amountFigure(text)))}</td>
        <td class="number">${maybe(floating, (text) => number(moneyFigure(text), toneOf(text)))}</td>
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
            <th class="number">pairs</th>
            <th class="number">grid profit</th>
            <th class="number">open</th>
            <th class="number">floating</th>
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

/** A result of 0.3.2 or older has no pairs. */
function maybe(exact: string | undefined, shown: (exact: string) => ReturnType<typeof number>) {
  return exact === undefined || exact === '0' ? '' : shown(exact)
}
