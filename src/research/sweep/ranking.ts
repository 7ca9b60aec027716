import { Decimal } from '#src/core/money/decimal.ts'
import type { BacktestResult } from '#src/research/backtest/result/result.ts'

/** What came of one backtest; or why this variant is no strategy. */
export type VariantOutcome = { summary: BacktestResult['summary'] } | { refused: string }
/** What is ranked by, and what it is called. */
export const measureNames = {
  profit: 'net profit',
  calmar: 'profit per unit of drawdown',
  sharpe: 'Sharpe ratio',
  sortino: 'Sortino ratio',
}
export type Measure = keyof typeof measureNames

/** Higher is better. A ratio that cannot be told stands behind all that can. */
export function scoreOf(outcome: VariantOutcome, by: Measure): number {
  if ('refused' in outcome) return -Infinity
  const { summary } = outcome
  if (by === 'profit') return Number(summary.netProfit)
  if (by !== 'calmar') return summary[by] ?? -Infinity
  const drawdown = Number(summary.maxDrawdown)
  // Nothing lost and nothing won is no merit; something won without a loss is the best there is.
  return drawdown === 0
    ? Number(summary.netProfit) > 0
      ? Infinity
      : 0
    : Number(summary.netProfit) / drawdown
}

/** The numbers of the outcomes, the best first; of equals the one that was tried first. */
export function rankOf(outcomes: readonly VariantOutcome[], by: Measure): number[] {
  const scores = outcomes.map((outcome) => scoreOf(outcome, by))
  return outcomes.map((_, number) => number).sort((a, b) => down(scores[a], scores[b]) || a - b)
}

function down(a = -Infinity, b = -Infinity): number {
  return a === b ? 0 : b > a ? 1 : -1
}

const agreeing = 0.3
const luckTries = 20

/**
 * Why a result may owe more to the past that it was chosen by than to the strategy. Empty when nothing speaks for that,
 * which proves nothing.
 */
export function doubtsOf(
  learned: readonly VariantOutcome[],
  proved: readonly VariantOutcome[],
  by: Measure,
): string[] {
  const [best] = rankOf(learned, by)
  const [then, later] = [learned[best ?? -1], proved[best ?? -1]]
  if (!then || !later || 'refused' in then || 'refused' in later) return []
  const doubts: string[] = []
  const [won, kept] = [then.summary, later.summary].map(({ netProfit }) => new Decimal(netProfit))
  if (won?.gt(0) && kept?.lte(0)) {
    doubts.push(
      `The best variant gained ${then.summary.netProfit} in-sample and ${later.summary.netProfit} out-of-sample.`,
    )
  }
  if (won?.lt(0)) {
    const others = learned.some((each) => 'summary' in each && new Decimal(each.summary.netProfit).gt(0))
    const which = others ? 'The best variant by this measure' : 'Even the best variant'
    doubts.push(`${which} lost ${won.neg().toFixed()} in-sample.`)
  }
  const halted = [then, later].flatMap(({ summary }, index) =>
    summary.halts > 0 ? [['in-sample', 'out-of-sample'][index] ?? ''] : [],
  )
  if (halted.length > 0) {
    doubts.push(`The best variant was halted ${halted.join(' and ')}: it placed no entries after the halt.`)
  }
  const agreement = agreementOf(learned, proved, by)
  if (agreement !== null && agreement < agreeing) {
    doubts.push(
      `The in-sample and out-of-sample ranks of the variants correlate by only ${agreement.toFixed(2)} (1: the same, 0: none): ` +
        'use another measure or parameter.',
    )
  }
  if (then.summary.fills < luckTries) {
    doubts.push(`The best variant has only ${then.summary.fills} fills, which can be luck.`)
  }
  return doubts
}

/** Spearman's: how far two orders of the same variants agree. Null where there is none to compare. */
export function agreementOf(
  learned: readonly VariantOutcome[],
  proved: readonly VariantOutcome[],
  by: Measure,
): number | null {
  const both = learned.flatMap((outcome, number) => {
    const scores = [scoreOf(outcome, by), scoreOf(proved[number] ?? { refused: '' }, by)]
    return scores.every(Number.isFinite) ? [scores] : []
  })
  const [one, other] = [0, 1].map((side) => placesOf(both.map((scores) => scores[side] ?? 0)))
  if (both.length < 3 || !one || !other) return null
  const middle = (both.length - 1) / 2
  let [together, ones, others] = [0, 0, 0]
  for (const [index, place] of one.entries()) {
    const [a, b] = [place - middle, (other[index] ?? 0) - middle]
    together += a * b
    ones += a * a
    others += b * b
  }
  return ones === 0 || others === 0 ? null : together / Math.sqrt(ones * others)
}

/** Equals share the middle of their places. */
function placesOf(values: readonly number[]): number[] {
  const sorted = values.toSorted((a, b) => a - b)
  return values.map((value) => (sorted.indexOf(value) + sorted.lastIndexOf(value)) / 2)
}
