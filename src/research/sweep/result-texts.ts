import { moneyFigure, timeText } from '#src/research/backtest/result/figures.ts'
import { luckMost } from './luck/luck-limit.ts'
import type { Luck } from './luck/luck.ts'
import { shuffledMin, type MonteCarlo } from './luck/monte-carlo.ts'
import type { SweepPeriod } from './plan.ts'
import type { VariantOutcome } from './ranking.ts'
import type { FoldResult } from './sweep.ts'

export const pairHeads = ['profit', 'OOS profit', 'drawdown', 'OOS drawdown', 'fills', 'OOS fills']

/** In-sample and out-of-sample figures of a variant, side by side. */
export function pairCells(learned: VariantOutcome, proved: VariantOutcome): string[] {
  const after = outcomeCells(proved)
  return outcomeCells(learned).flatMap((cell, index) => [cell, after[index] ?? ''])
}

function outcomeCells(outcome: VariantOutcome): [string, string, string] {
  if ('refused' in outcome) return ['invalid', '', '']
  const { netProfit, maxDrawdown, fills, halts } = outcome.summary
  const profit = `${moneyFigure(netProfit).text}${halts > 0 ? ' halted' : ''}`
  return [profit, moneyFigure(maxDrawdown).text, String(fills)]
}

/** How likely it is that the best result is luck, in one sentence, and what random runs of it gave. */
export function luckTexts({ luck, monteCarlo }: FoldResult): string[] {
  return [luckText(luck), ...(monteCarlo ? monteCarloTexts(monteCarlo, luck?.independent ?? 1) : [])]
}

function luckText(luck: Luck | undefined): string {
  if (!luck)
    return (
      'Whether the best result is luck was not computed: results of an earlier version lack the returns. ' +
      'Use a new results file.'
    )
  const { probability, reason, variants, independent } = luck
  if (reason === 'no profit') return 'The best result shows no edge: it is no profit.'
  if (reason === 'few fills') return 'The best result may be luck: it has too few fills to say more.'
  const verdict = probability > luckMost ? 'may be luck' : 'is probably more than luck'
  const count =
    variants === 1
      ? 'one variant'
      : `the best of ${variants} variants (as many as ${independent.toFixed(1)} independent ones)`
  return `The best result ${verdict}: without an edge, ${count} would be as good with a probability of ${shareText(probability)}.`
}

function monteCarloTexts({ runs, asGood, paths, starts }: MonteCarlo, independent: number): string[] {
  const least = shuffledMin(independent)
  const few = runs < least ? ` At least ${least} paths are needed to show more than luck.` : ''
  const spread = ({ low, middle, high, losses }: MonteCarlo['paths']) =>
    `median ${middle.toFixed(2)}, from ${low.toFixed(2)} to ${high.toFixed(2)} in 90% of the runs, a loss in ${shareText(losses)}`
  return [
    `On ${runs} shuffled paths of the market, it is as good in ${shareText(asGood)}.${few}`,
    `On ${runs} random paths made of parts of the market: ${spread(paths)}.`,
    `From ${runs} random start times, for half of the period: ${spread(starts)}.`,
  ]
}

function shareText(share: number): string {
  return share > 0 && share < 0.001 ? 'less than 0.1%' : `${(share * 100).toFixed(1)}%`
}

export function periodText({ from, to }: SweepPeriod): string {
  return `${timeText(from)} to ${timeText(to)}`
}
