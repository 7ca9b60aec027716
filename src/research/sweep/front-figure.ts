import { html } from 'hono/html'
import { measureNames, type RankMeasure } from './measure-names.ts'
import { scoreOf } from './ranking.ts'
import type { FoldResult } from './sweep.ts'

const width = 640
const height = 360
const border = { left: 76, right: 16, top: 16, bottom: 44 }

type Shown = { x: number; y: number; isOnFront: boolean; place: number }
type Scale = ReturnType<typeof axis>

/** The variants by the first two measures, with those of the Pareto front in colour; nothing for one measure. */
export function frontFigure([across, up]: readonly RankMeasure[], { rows }: FoldResult) {
  if (across === undefined || up === undefined) return ''
  const points = rows
    .map(({ learned, isOnFront = false }, place): Shown => {
      return { x: scoreOf(learned, across), y: scoreOf(learned, up), isOnFront, place: place + 1 }
    })
    .filter(({ x, y }) => Number.isFinite(x) && Number.isFinite(y))
  if (points.length === 0) return ''
  const [xs, ys] = [points.map(({ x }) => x), points.map(({ y }) => y)]
  const scales = [
    axis(xs, border.left, width - border.right),
    axis(ys, height - border.bottom, border.top),
  ] as const
  const caption = `Pareto front in-sample: ${measureNames[up]} by ${measureNames[across]}`
  return html`<div class="maps">
    <figure tabindex="0">
      <figcaption>${caption}; the best variants are at the top right</figcaption>
      <svg
        role="img"
        aria-label="${caption}"
        width="${width}"
        height="${height}"
        viewBox="0 0 ${width} ${height}"
      >
        ${frame(scales, [across, up])} ${dots(points, scales, [across, up])}
      </svg>
    </figure>
  </div>`
}

function frame([atX, atY]: readonly [Scale, Scale], [across, up]: readonly [RankMeasure, RankMeasure]) {
  const below = [atX.low, atX.high].map(
    (value, end) =>
      html`<text x="${atX.place(value)}" y="${height - 26}" text-anchor="${end === 0 ? 'start' : 'end'}">
        ${shown(value, across)}
      </text>`,
  )
  const beside = [atY.low, atY.high].map(
    (value, end) =>
      html`<text x="${border.left - 8}" y="${atY.place(value) + (end === 0 ? 0 : 10)}" text-anchor="end">
        ${shown(value, up)}
      </text>`,
  )
  return html`<rect
      class="plot"
      x="${border.left}"
      y="${border.top}"
      width="${width - border.left - border.right}"
      height="${height - border.top - border.bottom}"
    ></rect>
    ${below} ${beside}
    <text x="${(border.left + width) / 2}" y="${height - 8}" text-anchor="middle"
      >${measureNames[across]}</text
    >
    <text x="${border.left}" y="12">${measureNames[up]}</text>`
}

/** Those of the front are last, above the others. */
function dots(
  points: readonly Shown[],
  [atX, atY]: readonly [Scale, Scale],
  [across, up]: readonly [RankMeasure, RankMeasure],
) {
  const order = points.toSorted((a, b) => Number(a.isOnFront) - Number(b.isOnFront))
  return order.map(({ x, y, isOnFront, place }) => {
    const [left, top] = [atX.place(x).toFixed(1), atY.place(y).toFixed(1)]
    return html`<circle class="${isOnFront ? 'front' : 'behind'}" cx="${left}" cy="${top}" r="4">
      <title>Place ${place}: ${shown(x, across)}, ${shown(y, up)}</title>
    </circle>`
  })
}

/** A larger score is farther from the start. */
function axis(scores: readonly number[], start: number, end: number) {
  const [low, high] = [Math.min(...scores), Math.max(...scores)]
  const place = (score: number) => start + (end - start) * (high > low ? (score - low) / (high - low) : 0.5)
  return { low, high, place }
}

/** A drawdown is a score below zero. */
function shown(score: number, measure: RankMeasure): string {
  return short(measure === 'drawdown' ? -score : score)
}

export function short(score: number): string {
  return Math.abs(score) >= 1000 ? score.toFixed(0) : score.toFixed(2)
}
