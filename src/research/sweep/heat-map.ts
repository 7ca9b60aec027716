import { scoreOf, type RankMeasure } from './ranking.ts'
import type { FoldResult } from './sweep.ts'
import type { Variation } from './variation.ts'

export type Cell = { score: number; count: number }
export type HeatMap = { rows: Variation; columns: Variation; cells: Cell[][]; low: number; high: number }

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
  const scores = cells.flat().flatMap(({ score, count }) => (count > 0 ? [score] : []))
  return { rows: first, columns: second, cells, low: Math.min(...scores), high: Math.max(...scores) }
}

/** Losses are red, gains green, zero yellow. The colours are light enough for black text in both colour schemes. */
export function cellColour(score: number, low: number, high: number): string {
  if (!Number.isFinite(score)) return '#b9bdc1'
  const most = Math.max(Math.abs(low), Math.abs(high))
  const share = most > 0 ? score / most : 0
  return `hsl(${Math.round(zeroHue + share * (share < 0 ? zeroHue : gainHue - zeroHue))} 55% 74%)`
}

const zeroHue = 55
const gainHue = 150
