import { seededChance, type SweepPeriod } from '../plan.ts'
import type { VariantOutcome } from '../ranking.ts'
import { luckMost } from './luck-limit.ts'
import type { PathDraw } from './resampled-market.ts'

/** How often each kind of random run is made, and the shortest part of a path: a bar, or a minute. */
export type MonteCarloSettings = { runs: number; seed: string; partMs: number }
export type RandomRun = { period: SweepPeriod; draw?: PathDraw }
type RandomRuns = Record<'shuffled' | 'paths' | 'starts', RandomRun[]>

/** Net profits of several runs: the 5 % quantile, the median and the 95 % quantile, and the share of runs with a loss. */
type ProfitSpread = { low: number; middle: number; high: number; losses: number }
export type MonteCarlo = {
  runs: number
  /** The share of the shuffled paths on which the variant is at least as good. */
  asGood: number
  paths: ProfitSpread
  starts: ProfitSpread
}

/** Parts of a path that is drawn with replacement: long enough to keep what the market does within hours. */
const partsOfPath = 20

/**
 * Random runs of one variant in a period. A shuffled path has the smallest parts, so that no pattern of the market is left. A
 * drawn path keeps patterns within its parts. The runs of `starts` begin at random times and last half of the period.
 */
export function randomRuns(
  { from, to }: SweepPeriod,
  { runs, seed, partMs }: MonteCarloSettings,
): RandomRuns {
  const period = { from, to }
  const half = Math.floor((to - from) / 2)
  const partsEach = Math.max(1, Math.round((to - from) / partsOfPath / partMs))
  const chance = seededChance(`${seed} starts`)
  const numbers = Array.from({ length: runs }, (_, number) => number)
  return {
    shuffled: numbers.map((number) => {
      return { period, draw: { kind: 'shuffle', partMs, seed: `${seed} ${number}` } }
    }),
    paths: numbers.map((number) => {
      return { period, draw: { kind: 'bootstrap', partMs: partsEach * partMs, seed: `${seed} ${number}` } }
    }),
    starts: numbers.map(() => {
      const start = from + Math.floor(chance() * half)
      return { period: { from: start, to: start + half } }
    }),
  }
}

/** Of the outcomes of `randomRuns`, and the scores of the shuffled ones. */
export function monteCarloOf(
  outcomes: Record<keyof RandomRuns, readonly VariantOutcome[]>,
  isAsGood: (outcome: VariantOutcome) => boolean,
): MonteCarlo {
  const { shuffled, paths, starts } = outcomes
  return {
    runs: shuffled.length,
    asGood: shuffled.filter(isAsGood).length / shuffled.length,
    paths: spreadOf(paths),
    starts: spreadOf(starts),
  }
}

function spreadOf(outcomes: readonly VariantOutcome[]): ProfitSpread {
  const profits = outcomes.flatMap((each) => ('summary' in each ? [Number(each.summary.netProfit)] : []))
  const sorted = profits.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.round(share * (sorted.length - 1))] ?? 0
  const losses = profits.filter((profit) => profit < 0).length / Math.max(1, profits.length)
  return { low: at(0.05), middle: at(0.5), high: at(0.95), losses }
}

/** The number of shuffled paths that can show more than luck, if the variant is better on each of them. */
export function shuffledMin(independent: number): number {
  return Math.ceil(1 / (1 - (1 - luckMost) ** (1 / independent))) - 1
}

/**
 * The probability that the best of so many independent variants is as good on a shuffled path, if one variant is with this share.
 * The market's own path counts as one of the shuffled ones.
 */
export function luckOnShuffled({ runs, asGood }: MonteCarlo, independent: number): number {
  return 1 - (1 - (asGood * runs + 1) / (runs + 1)) ** independent
}
