import { measureNames } from '#src/sweep/ranking.ts'
import type { FoldResult, SweepResult } from '#src/sweep/sweep.ts'
import { pairCells, pairHeads, spanText } from '#src/sweep/words.ts'
import { columns } from './text.ts'

const rowsShown = 10

/** What a sweep came to, for people: the best variants, what speaks against them, and how to try one. */
export function sweepText(result: SweepResult): string {
  const { folds } = result
  return folds.map((fold, number) => foldText(result, fold, folds.length > 1 ? number + 1 : 0)).join('\n\n')
}

function foldText({ variations, by }: SweepResult, fold: FoldResult, step: number): string {
  const heads = ['', ...variations.map(({ path }) => path)]
  const rows = fold.rows
    .slice(0, rowsShown)
    .map(({ choice, learned, proved }, place) =>
      [String(place + 1)].concat(choice, pairCells(learned, proved)),
    )
  const lines = columns([[...heads, ...pairHeads], ...rows])
  const left = fold.rows.length - rows.length
  return [
    ...(step > 0 ? [`Step ${step}`] : []),
    `Ranked by ${measureNames[by]} from ${spanText(fold.learn)}; "after" is from ${spanText(fold.prove)}.`,
    '',
    ...lines,
    ...(left > 0 ? [`and ${left} more`] : []),
    ...(fold.doubts.length > 0
      ? ['', 'What speaks against it:', ...fold.doubts.map((doubt) => `- ${doubt}`)]
      : []),
  ].join('\n')
}
