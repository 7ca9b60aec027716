import { html } from 'hono/html'
import { moneyFigure, pairPartsOf } from './figures.ts'
import { number, toneOf } from './report-cells.ts'
import type { BacktestResult } from './result.ts'

/** Matched pairs apart from what is open, by strategy, and how they come to the net profit. */
export function pairSection(result: BacktestResult) {
  const parts = pairPartsOf(result)
  if (parts === undefined) return ''
  const rows = result.strategies.map(
    ({ strategy, pairs, gridProfit, floating }) =>
      html`<tr>
        <td class="name">${strategy}</td>
        <td class="number">${pairs}</td>
        <td class="number">${number(moneyFigure(gridProfit), toneOf(gridProfit))}</td>
        <td class="number">${number(moneyFigure(floating), toneOf(floating))}</td>
      </tr>`,
  )
  const sums = [...parts, ['net profit', result.summary.netProfit] as const].map(
    ([name, exact]) =>
      html`<tr>
        <td>${name}</td>
        <td class="number">${number(moneyFigure(exact), toneOf(exact))}</td>
      </tr>`,
  )
  return html`<section aria-labelledby="pairs-title">
    <h2 id="pairs-title">Grid profit and floating result</h2>
    <div class="wide" tabindex="0" role="region" aria-labelledby="pairs-title">
      <table id="pairs">
        <thead>
          <tr>
            <th>strategy</th>
            <th class="number">pairs</th>
            <th class="number">grid profit</th>
            <th class="number">floating</th>
          </tr>
        </thead>
        <tbody>
          ${rows}
        </tbody>
      </table>
    </div>
    <table id="pair-sums">
      <tbody>
        ${sums}
      </tbody>
    </table>
  </section>`
}
