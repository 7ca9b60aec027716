import type { VariantOutcome } from '../ranking.ts'
import {
  effectiveTrials,
  expectedMaximum,
  momentsOf,
  probabilisticSharpe,
  sharpeOf,
} from './deflated-sharpe.ts'
import { luckOnShuffled, type MonteCarlo } from './monte-carlo.ts'

/** How likely it is that the best of several variants is good by luck alone. */
export type Luck = {
  /** From 0 to 1: the larger one of that of the Sharpe ratio and that of shuffled paths, if there are any. */
  probability: number
  /** Why the result cannot be judged; then the probability is 1. */
  reason?: 'no profit' | 'few fills'
  /** Valid variants, and the number of independent ones that are as many. */
  variants: number
  independent: number
  /** Sharpe ratio of one part of the period, and the largest one to expect of the variants without an edge. */
  sharpe: number
  expected: number
}

/** With fewer fills, a single one can decide the Sharpe ratio. */
const fillsMin = 20

/** Undefined if a variant has no returns: then its result is of an earlier version. */
export function luckOf(
  outcomes: readonly VariantOutcome[],
  best: number,
  random?: MonteCarlo,
): Luck | undefined {
  const chosen = outcomes[best]
  const valid = outcomes.flatMap((outcome) => ('summary' in outcome ? [outcome] : []))
  const returns = valid.flatMap((outcome) => (outcome.returns ? [outcome.returns] : []))
  if (!chosen || 'refused' in chosen || !chosen.returns || returns.length < valid.length) return undefined
  const moments = momentsOf(chosen.returns)
  const independent = effectiveTrials(returns)
  const ratios = returns.map((each) => sharpeOf(momentsOf(each)))
  const expected = ratios.length > 1 ? expectedMaximum(independent, momentsOf(ratios).variance) : 0
  const reason = reasonOf(chosen.summary)
  const deflated = reason ? 1 : 1 - probabilisticSharpe(moments, expected)
  return {
    probability: Math.max(deflated, random ? luckOnShuffled(random, independent) : 0),
    ...(reason && { reason }),
    variants: valid.length,
    independent,
    sharpe: sharpeOf(moments),
    expected,
  }
}

function reasonOf({ netProfit, fills }: { netProfit: string; fills: number }): Luck['reason'] {
  if (!(Number(netProfit) > 0)) return 'no profit'
  return fills < fillsMin ? 'few fills' : undefined
}
