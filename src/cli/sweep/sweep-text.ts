import { measuresText } from '#src/research/sweep/measure-names.ts'
import type { FoldResult, SweepResult } from '#src/research/sweep/sweep.ts'
import { luckTexts, pairCells, pairHeads, periodText } from '#src/research/sweep/result-texts.ts'
import { columns, counted } from '#src/cli/words/text.ts'

const rowsShown = 10
const frontShown = 30
const reasonsShown = 5

/** Prints a sweep for people: the best variants, the doubts about them, and how to try one. */
export function sweepText(result: SweepResult): string {
  const { folds } = result
  return folds.map((fold, number) => foldText(result, fold, folds.length > 1 ? number + 1 : 0)).join('\n\n')
}

function foldText({ variations, by }: SweepResult, fold: FoldResult, step: number): string {
  const front = fold.rows.filter(({ isOnFront }) => isOnFront === true).length
  const heads = ['', ...variations.map(({ path }) => path)]
  const rows = fold.rows
    .slice(0, Math.max(rowsShown, Math.min(front, frontShown)))
    .map(({ choice, learned, proved }, place) =>
      [String(place + 1)].concat(choice, pairCells(learned, proved)),
    )
  const lines = columns([[...heads, ...pairHeads], ...rows])
  const left = fold.rows.length - rows.length
  return [
    ...(step > 0 ? [`Step ${step}`] : []),
    `Ranked by ${measuresText(by)}, ${periodText(fold.learn)}. Out-of-sample (OOS): ${periodText(fold.prove)}.`,
    ...(by.length > 1
      ? [`Pareto front: the first ${counted(front, 'variant')}; no other variant is better in each measure.`]
      : []),
    '',
    ...lines,
    ...(left > 0 ? [`and ${left} more`] : []),
    ...refusalLines(fold),
    '',
    ...luckTexts(fold),
    ...(fold.doubts.length > 0 ? ['', 'Warnings:', ...fold.doubts.map((doubt) => `- ${doubt}`)] : []),
  ].join('\n')
}

/** Why some variants are no valid strategies: each reason once. */
function refusalLines({ rows }: FoldResult): string[] {
  const counts = new Map<string, number>()
  for (const { learned, proved } of rows) {
    const outcome = 'refused' in learned ? learned : proved
    if ('refused' in outcome) counts.set(outcome.refused, (counts.get(outcome.refused) ?? 0) + 1)
  }
  if (counts.size === 0) return []
  const reasons = [...counts].slice(0, reasonsShown)
  return [
    '',
    'Invalid variants:',
    ...reasons.map(([reason, count]) => `- ${count} of ${rows.length}: ${reason}`),
  ]
}
