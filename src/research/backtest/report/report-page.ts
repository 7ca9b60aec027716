import { html, raw } from 'hono/html'
import { spanText, strategiesOf, sumsOf } from '#src/research/backtest/result/figures.ts'
import { eventSectionsOf } from '#src/research/backtest/result/event-texts.ts'
import { htmlPage, textOf } from './html-page.ts'
import { reportDataOf } from './chart-data.ts'
import {
  assumptionSection,
  chartSection,
  happeningSections,
  heldSection,
  moneySection,
  refusedSection,
  ruleSection,
  sumTile,
} from './report-sections.ts'
import { inputSection, measureSection, monthSection } from './measure-sections.ts'
import { pairSection } from './pair-section.ts'
import type { BacktestResult } from '#src/research/backtest/result/result.ts'
import { rungSection } from './rung-section.ts'

/** A result as one page: interactive charts, and below them every number as text. */
export function reportPage(result: BacktestResult): Promise<string> {
  const library = import.meta.resolve('lightweight-charts')
  const name = strategiesOf(result).join(', ')
  const { stops, others } = eventSectionsOf(result)
  const data = JSON.stringify(reportDataOf(result)).replaceAll('<', '\\u003c')
  return htmlPage({
    title: `${name} · backtest`,
    styles: [new URL('../page/report.css', import.meta.url)],
    scripts: [
      new URL('lightweight-charts.standalone.production.js', library),
      new URL('../page/report.js', import.meta.url),
    ],
    body: html`<header>
        <h1>${name}</h1>
        <p class="muted">${marketsText(result)} · ${spanText(result)}</p>
        <dl class="sums">${sumsOf(result).map(sumTile)}</dl>
      </header>
      <main>
        ${happeningSections(stops)} ${chartSection()}
        <div class="pair">${measureSection(result)}${monthSection(result)}</div>
        ${rungSection(result)} ${pairSection(result)}
        <div class="pair">${heldSection(result)}${moneySection(result)}</div>
        <div class="pair">${ruleSection(result)}${refusedSection(result)}</div>
        ${happeningSections(others)} ${inputSection(result)} ${assumptionSection(result)}
      </main>
      <footer>
        <p>Made by Rungs. This page is one file and loads nothing from the network.</p>
        <p>
          Charts: TradingView Lightweight Charts™, copyright © 2026 TradingView, Inc.,
          <a href="https://www.tradingview.com/" rel="noreferrer">https://www.tradingview.com/</a>, under the
          Apache License 2.0.
        </p>
        <details>
          <summary>The licence of the charts</summary>
          <pre>${textOf(new URL('../LICENSE', library))}</pre>
        </details>
      </footer>
      <script type="application/json" id="data">
        ${raw(data)}
      </script>`,
  })
}

function marketsText({ market }: BacktestResult): string {
  return market.map(({ symbol, kind }) => `${symbol}, ${kind}`).join(' · ')
}
