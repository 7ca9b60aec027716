import type { RankMeasure } from './measure-names.ts'
import { scoreOf } from './ranking.ts'
import type { FoldResult } from './sweep.ts'
import type { Variation } from './variation.ts'

export type Cell = { score: number; count: number }
/** One value of a parameter, or neighbouring ones. */
type Band = { label: string; values: ReadonlySet<string> }
type Axis = { path: string; bands: Band[] }
export type HeatMap = { rows: Axis; columns: Axis; cells: Cell[][]; most: number }

/** With more values, a map would not fit on a page. */
const bandsMost = 16

/** Map of two parameters. Each cell is the mean of all variants with these values: the best one could be luck. */
export function heatMapOf(
  variations: readonly Variation[],
  [down, across]: readonly [number, number],
  { rows }: FoldResult,
  side: 'learned' | 'proved',
  by: RankMeasure,
): HeatMap | undefined {
  const [first, second] = [variations[down], variations[across]]
  if (!first || !second) return undefined
  const axes = { rows: axisOf(first), columns: axisOf(second) }
  const cells = axes.rows.bands.map(({ values }) =>
    axes.columns.bands.map(({ values: others }): Cell => {
      const scores = rows
        .filter(({ choice }) => values.has(choice[down] ?? '') && others.has(choice[across] ?? ''))
        .map((row) => scoreOf(row[side], by))
        .filter(Number.isFinite)
      return { score: scores.reduce((sum, score) => sum + score, 0) / scores.length, count: scores.length }
    }),
  )
  const sizes = cells.flat().flatMap(({ score, count }) => (count > 0 ? [Math.abs(score)] : []))
  return { ...axes, cells, most: Math.max(0, ...sizes) }
}

function axisOf({ path, values }: Variation): Axis {
  const count = Math.min(values.length, bandsMost)
  const bands = Array.from({ length: count }, (_, band): Band => {
    const [from, to] = [band, band + 1].map((end) => Math.floor((end * values.length) / count))
    const own = values.slice(from, to)
    return { label: own.length === 1 ? (own[0] ?? '') : `${own[0]} to ${own.at(-1)}`, values: new Set(own) }
  })
  return { path, bands }
}

/** Losses are red and gains green, zero is neutral. The colours are light enough for black text in both colour schemes. */
export function cellColour(score: number, most: number): string {
  if (!Number.isFinite(score)) return '#b9bdc1'
  const share = most > 0 ? Math.abs(score) / most : 0
  const [saturation, lightness] = [share * 60, 94 - share * 26]
  return `hsl(${score < 0 ? 12 : 168} ${saturation.toFixed(1)}% ${lightness.toFixed(1)}%)`
}
