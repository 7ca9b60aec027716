import { scoreOf, type RankMeasure } from './ranking.ts'
import type { FoldResult } from './sweep.ts'
import type { Variation } from './variation.ts'

export type Cell = { score: number; count: number }
export type HeatMap = { rows: Variation; columns: Variation; cells: Cell[][]; most: number }

/** Map of two parameters. Each cell is the mean of all variants with these two values: the best one could be luck. */
export function heatMapOf(
  variations: readonly Variation[],
  [down, across]: readonly [number, number],
  { rows }: FoldResult,
  side: 'learned' | 'proved',
  by: RankMeasure,
): HeatMap | undefined {
  const [first, second] = [variations[down], variations[across]]
  if (!first || !second) return undefined
  const cells = first.values.map((value) =>
    second.values.map((other): Cell => {
      const scores = rows
        .filter(({ choice }) => choice[down] === value && choice[across] === other)
        .map((row) => scoreOf(row[side], by))
        .filter(Number.isFinite)
      return { score: scores.reduce((sum, score) => sum + score, 0) / scores.length, count: scores.length }
    }),
  )
  const sizes = cells.flat().flatMap(({ score, count }) => (count > 0 ? [Math.abs(score)] : []))
  return { rows: first, columns: second, cells, most: Math.max(0, ...sizes) }
}

/** Losses are red and gains green, zero is neutral. The colours are light enough for black text in both colour schemes. */
export function cellColour(score: number, most: number): string {
  if (!Number.isFinite(score)) return '#b9bdc1'
  const share = most > 0 ? Math.abs(score) / most : 0
  const [saturation, lightness] = [share * 60, 94 - share * 26]
  return `hsl(${score < 0 ? 12 : 168} ${saturation.toFixed(1)}% ${lightness.toFixed(1)}%)`
}
