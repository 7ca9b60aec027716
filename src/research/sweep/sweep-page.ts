import { html } from 'hono/html'
import { htmlPage } from '#src/research/backtest/report/html-page.ts'
import { cellColour, heatMapOf, type Cell, type HeatMap } from './heat-map.ts'
import { frontFigure, short } from './front-figure.ts'
import { measureNames, measuresText } from './measure-names.ts'
import type { FoldResult, SweepResult } from './sweep.ts'
import { luckTexts, pairCells, pairHeads, periodText } from './result-texts.ts'

const rowsShownMax = 200
const cellWidths = { value: 78, band: 130 }
const cellHeight = 34
const headHeight = 52
const letterWidth = 7

const styleUrls = [
  new URL('../backtest/page/report.css', import.meta.url),
  new URL('page/sweep.css', import.meta.url),
]

/** All results on a page without scripts. */
export function sweepPage(title: string, { variations, by, folds }: SweepResult): Promise<string> {
  const tried = folds[0]?.rows.length ?? 0
  return htmlPage({
    title: `${title} · sweep`,
    styles: styleUrls,
    scripts: [],
    body: html`<header>
        <h1>${title}</h1>
        <p class="muted">
          ${tried} variants of ${variations.map(({ path }) => path).join(', ')}, ranked by ${measuresText(by)}
        </p>
      </header>
      <main>${folds.map((fold, number) => foldSection(variations, by, fold, [number, folds.length]))}</main>
      <footer><p>Made by Rungs. This page is one file and loads nothing from the network.</p></footer>`,
  })
}

function foldSection(
  variations: SweepResult['variations'],
  by: SweepResult['by'],
  fold: FoldResult,
  [number, count]: readonly [number, number],
) {
  const heading = count === 1 ? 'Results' : `Step ${number + 1} of ${count}`
  return html`<section aria-label="${heading}">
    <h2>${heading}</h2>
    <p class="muted">In-sample: ${periodText(fold.learn)}. Out-of-sample (OOS): ${periodText(fold.prove)}.</p>
    ${luckTexts(fold).map((text) => html`<p>${text}</p>`)}
    ${fold.doubts.map((doubt) => html`<p class="doubt" role="note">${doubt}</p>`)} ${frontFigure(by, fold)}
    ${heatMaps(variations, by, fold)} ${table(variations, fold, heading)}
  </section>`
}

/** Maps of the first two parameters with several values. */
function heatMaps(
  variations: SweepResult['variations'],
  [by = 'profit']: SweepResult['by'],
  fold: FoldResult,
) {
  const [down, across] = variations.flatMap(({ values }, number) => (values.length > 1 ? [number] : []))
  if (down === undefined || across === undefined) return ''
  const figures = (['learned', 'proved'] as const).map((side) => {
    const map = heatMapOf(variations, [down, across], fold, side, by)
    const when = side === 'learned' ? 'in-sample' : 'out-of-sample'
    return map ? figure(map, `${measureNames[by]} ${when}: mean of all variants with these two values`) : ''
  })
  return html`<div class="maps">${figures}</div>`
}

function figure(map: HeatMap, caption: string) {
  const { rows, columns, cells } = map
  const longest = Math.max(rows.path.length, ...rows.bands.map(({ label }) => label.length))
  const left = longest * letterWidth + 16
  const cellWidth = cellWidthOf(columns)
  const [width, height] = [
    left + Math.max(columns.bands.length * cellWidth, columns.path.length * letterWidth),
    headHeight + rows.bands.length * cellHeight,
  ]
  const middle = (column: number) => left + column * cellWidth + cellWidth / 2 - 1
  const heads = columns.bands.map(
    ({ label }, column) => html`<text x="${middle(column)}" y="42" text-anchor="middle">${label}</text>`,
  )
  const lines = rows.bands.map(
    ({ label }, row) =>
      html`<text x="${left - 8}" y="${headHeight + row * cellHeight + 21}" text-anchor="end">${label}</text>`,
  )
  return html`<figure tabindex="0">
    <figcaption>${caption}</figcaption>
    <svg
      role="img"
      aria-label="${caption}"
      width="${width}"
      height="${height}"
      viewBox="0 0 ${width} ${height}"
    >
      <text x="${left}" y="16">${columns.path}</text>
      <text x="${left - 8}" y="42" text-anchor="end">${rows.path}</text>
      ${heads} ${lines}
      ${cells.map((line, row) => line.map((cell, column) => box(map, cell, [row, column], left)))}
    </svg>
  </figure>`
}

function cellWidthOf({ bands }: HeatMap['columns']): number {
  return bands.some(({ values }) => values.size > 1) ? cellWidths.band : cellWidths.value
}

function box(
  { rows, columns, most }: HeatMap,
  { score, count }: Cell,
  [row, column]: readonly [number, number],
  left: number,
) {
  const cellWidth = cellWidthOf(columns)
  const [x, y] = [left + column * cellWidth, headHeight + row * cellHeight]
  const value = count === 0 ? 'none' : short(score)
  return html`<g>
    <title>
      ${rows.path} ${rows.bands[row]?.label}, ${columns.path} ${columns.bands[column]?.label}: ${value}
      (${count} tried)
    </title>
    <rect
      x="${x}"
      y="${y}"
      width="${cellWidth - 2}"
      height="${cellHeight - 2}"
      rx="3"
      fill="${cellColour(score, most)}"
    ></rect>
    <text class="cell" x="${x + cellWidth / 2 - 1}" y="${y + 21}" text-anchor="middle">${value}</text>
  </g>`
}

function table(variations: SweepResult['variations'], { rows }: FoldResult, heading: string) {
  const left = rows.length - rowsShownMax
  return html`<div class="wide" tabindex="0" role="region" aria-label="${heading}: all variants">
      <table>
        <thead>
          <tr>
            <th scope="col">place</th>
            ${rows[0]?.isOnFront === undefined ? '' : html`<th scope="col">Pareto front</th>`}
            ${variations.map(({ path }) => html`<th scope="col">${path}</th>`)}
            ${pairHeads.map((name) => html`<th scope="col" class="number">${name}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${rows.slice(0, rowsShownMax).map(({ choice, learned, proved, isOnFront }, place) => {
            return html`<tr>
              <td>${place + 1}</td>
              ${isOnFront === undefined ? '' : html`<td>${isOnFront ? 'yes' : ''}</td>`}
              ${choice.map((value) => html`<td>${value}</td>`)}
              ${pairCells(learned, proved).map((cell) => html`<td class="number">${cell}</td>`)}
            </tr>`
          })}
        </tbody>
      </table>
    </div>
    ${left > 0 ? html`<p class="hint muted">And ${left} more.</p>` : ''}`
}
