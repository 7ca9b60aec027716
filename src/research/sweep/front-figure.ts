import { html } from 'hono/html'
import { measureNames, type RankMeasure } from './measure-names.ts'
import { scoreOf } from './ranking.ts'
import type { FoldResult } from './sweep.ts'

const width = 640
const height = 360
const border = { left: 76, right: 16, top: 16, bottom: 44 }

/** The variants by the first two measures, with those of the Pareto front in colour; nothing for one measure. */
export function frontFigure([across, up]: readonly RankMeasure[], { rows }: FoldResult) {
  if (across === undefined || up === undefined) return ''
  const points = rows
    .map(({ learned, isOnFront = false }, place) => {
      return { x: scoreOf(learned, across), y: scoreOf(learned, up), isOnFront, place: place + 1 }
    })
    .filter(({ x, y }) => Number.isFinite(x) && Number.isFinite(y))
  if (points.length === 0) return ''
  const [atX, atY] = [
    axis(
      points.map(({ x }) => x),
      border.left,
      width - border.right,
    ),
    axis(
      points.map(({ y }) => y),
      height - border.bottom,
      border.top,
    ),
  ]
  const caption = `Pareto front in-sample: ${measureNames[up]} by ${measureNames[across]}`
  return html`<figure tabindex="0">
    <figcaption>${caption}; the best variants are at the top right</figcaption>
    <svg
      role="img"
      aria-label="${caption}"
      width="${width}"
      height="${height}"
      viewBox="0 0 ${width} ${height}"
    >
      <rect
        class="plot"
        x="${border.left}"
        y="${border.top}"
        width="${width - border.left - border.right}"
        height="${height - border.top - border.bottom}"
      ></rect>
      ${[atX.low, atX.high].map(
        (value, end) =>
          html`<text x="${atX.place(value)}" y="${height - 26}" text-anchor="${end === 0 ? 'start' : 'end'}">
            ${shown(value, across)}
          </text>`,
      )}
      ${[atY.low, atY.high].map(
        (value, end) =>
          html`<text x="${border.left - 8}" y="${atY.place(value) + (end === 0 ? 0 : 10)}" text-anchor="end">
            ${shown(value, up)}
          </text>`,
      )}
      <text x="${(border.left + width) / 2}" y="${height - 8}" text-anchor="middle">
        ${measureNames[across]}
      </text>
      <text x="${border.left}" y="12">${measureNames[up]}</text>
      ${points
        .toSorted((a, b) => Number(a.isOnFront) - Number(b.isOnFront))
        .map(
          ({ x, y, isOnFront, place }) =>
            html`<circle
              class="${isOnFront ? 'front' : 'behind'}"
              cx="${atX.place(x).toFixed(1)}"
              cy="${atY.place(y).toFixed(1)}"
              r="4"
            >
              <title>Place ${place}: ${shown(x, across)}, ${shown(y, up)}</title>
            </circle>`,
        )}
    </svg>
  </figure>`
}

/** A larger score is farther from the start. */
function axis(scores: readonly number[], start: number, end: number) {
  const [low, high] = [Math.min(...scores), Math.max(...scores)]
  const place = (score: number) => start + (end - start) * (high > low ? (score - low) / (high - low) : 0.5)
  return { low, high, place }
}

/** A drawdown is a score below zero. */
function shown(score: number, measure: RankMeasure): string {
  const value = measure === 'drawdown' ? -score : score
  return Math.abs(value) >= 1000 ? value.toFixed(0) : value.toFixed(2)
}
