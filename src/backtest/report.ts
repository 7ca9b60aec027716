import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { html, raw } from 'hono/html'
import { spanText, strategiesOf, sumsOf } from './figures.ts'
import { reportDataOf } from './report-data.ts'
import {
  assumptionSection,
  chartSection,
  moneySection,
  refusedSection,
  ruleSection,
  rungSection,
  sumTile,
} from './report-sections.ts'
import type { BacktestResult } from './result.ts'

const textOf = (url: string | URL) => readFileSync(new URL(url), 'utf8').trim()

/** One page that holds all it needs: it asks nobody for anything, and lets nothing in it act but these two scripts. */
export async function reportPage(result: BacktestResult): Promise<string> {
  const libraryUrl = import.meta.resolve('lightweight-charts')
  const library = textOf(new URL('lightweight-charts.standalone.production.js', libraryUrl))
  const licence = textOf(new URL('../LICENSE', libraryUrl))
  const script = textOf(new URL('page/report.js', import.meta.url))
  const style = textOf(new URL('page/report.css', import.meta.url))
  const policy = [
    "default-src 'none'",
    `script-src ${printOf(library)} ${printOf(script)}`,
    `style-src ${printOf(style)}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ')
  const name = strategiesOf(result).join(', ')
  const data = JSON.stringify(reportDataOf(result)).replaceAll('<', '\\u003c')
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content="${policy}" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="referrer" content="no-referrer" />
        <title>${name} · backtest</title>
        ${asItIs('style', style)}
      </head>
      <body>
        <header>
          <h1>${name}</h1>
          <p class="muted">${marketsText(result)} · ${spanText(result)}</p>
          <dl class="sums">${sumsOf(result).map(sumTile)}</dl>
        </header>
        <main>
          ${chartSection()} ${rungSection(result)}
          <div class="pair">${ruleSection(result)}${moneySection(result)}</div>
          <div class="pair">${refusedSection(result)}${assumptionSection(result)}</div>
        </main>
        <footer>
          <p>Made by Rungs. This page is one file and asks nobody for anything.</p>
          <p>
            Charts: TradingView Lightweight Charts™, copyright © 2026 TradingView, Inc.,
            <a href="https://www.tradingview.com/" rel="noreferrer">https://www.tradingview.com/</a>, under
            the Apache License 2.0.
          </p>
          <details>
            <summary>The licence of the charts</summary>
            <pre>${licence}</pre>
          </details>
        </footer>
        <script type="application/json" id="data">
          ${raw(data)}
        </script>
        ${asItIs('script', library)} ${asItIs('script', script)}
      </body>
    </html>`
  return `${String(await page)}\n`
}

/** Its hash stands in the policy: not a blank may come between. */
function asItIs(tag: 'style' | 'script', text: string) {
  return raw(`<${tag}>${text}</${tag}>`)
}

function printOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`
}

function marketsText({ market }: BacktestResult): string {
  return market.map(({ symbol, kind }) => `${symbol}, ${kind}`).join(' · ')
}
