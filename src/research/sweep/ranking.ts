import { Decimal, moneyText } from '#src/core/money/decimal.ts'
import { areRatiosMeaningful, meaningfulDaysMin } from '#src/research/backtest/measures/period-returns.ts'
import type { BacktestResult } from '#src/research/backtest/result/result.ts'

/** The result of one backtest, or why the variant is invalid. */
export type VariantOutcome = { summary: BacktestResult['summary'] } | { refused: string }
export const measureNames = {
  profit: 'net profit',
  calmar: 'profit per unit of drawdown',
  sharpe: 'Sharpe ratio',
  sortino: 'Sortino ratio',
}
export type RankMeasure = keyof typeof measureNames

/** Higher is better. An undefined ratio ranks last. */
export function scoreOf(outcome: VariantOutcome, by: RankMeasure): number {
  if ('refused' in outcome) return -Infinity
  const { summary } = outcome
  if (by === 'profit') return Number(summary.netProfit)
  if (by !== 'calmar') return summary[by] ?? -Infinity
  const drawdown = Number(summary.maxDrawdown)
  // Without drawdown, a profit ranks first, and a result of zero scores zero.
  return drawdown === 0
    ? Number(summary.netProfit) > 0
      ? Infinity
      : 0
    : Number(summary.netProfit) / drawdown
}

/** Indexes of the outcomes, the best first. Equal ones keep their order. */
export function rankOf(outcomes: readonly VariantOutcome[], by: RankMeasure): number[] {
  const scores = outcomes.map((outcome) => scoreOf(outcome, by))
  return outcomes.map((_, number) => number).sort((a, b) => descending(scores[a], scores[b]) || a - b)
}

function descending(a = -Infinity, b = -Infinity): number {
  return a === b ? 0 : b > a ? 1 : -1
}

const agreementMin = 0.3
const fillsMin = 20

/** Signs of overfitting. No warning is no proof of the contrary. */
export function warningsOf(
  learned: readonly VariantOutcome[],
  proved: readonly VariantOutcome[],
  by: RankMeasure,
): string[] {
  const [best] = rankOf(learned, by)
  const [then, later] = [learned[best ?? -1], proved[best ?? -1]]
  if (!then || !later || 'refused' in then || 'refused' in later) return []
  const doubts: string[] = []
  const [won, kept] = [then.summary, later.summary].map(({ netProfit }) => new Decimal(netProfit))
  if (won?.gt(0) && kept?.lte(0)) {
    doubts.push(
      `The best variant gained ${moneyText(then.summary.netProfit)} in-sample and ${moneyText(later.summary.netProfit)} ` +
        'out-of-sample.',
    )
  }
  if (won?.lt(0)) {
    const others = learned.some((each) => 'summary' in each && new Decimal(each.summary.netProfit).gt(0))
    const which = others ? 'The best variant by this measure' : 'Even the best variant'
    doubts.push(`${which} lost ${moneyText(won.neg())} in-sample.`)
  }
  const halted = [then, later].flatMap(({ summary }, index) =>
    summary.halts > 0 ? [['in-sample', 'out-of-sample'][index] ?? ''] : [],
  )
  if (halted.length > 0) {
    doubts.push(`The best variant was halted ${halted.join(' and ')}: it placed no entries after the halt.`)
  }
  const agreement = agreementOf(learned, proved, by)
  if (agreement !== null && agreement < agreementMin) {
    doubts.push(
      `The in-sample and out-of-sample ranks of the variants correlate by only ${agreement.toFixed(2)} (1: the same, 0: none): ` +
        'use another measure or parameter.',
    )
  }
  if ((by === 'sharpe' || by === 'sortino') && !areRatiosMeaningful(then.summary)) {
    doubts.push(
      `The ${measureNames[by]} is not meaningful: the in-sample part has fewer than ${meaningfulDaysMin} days.`,
    )
  }
  if (then.summary.fills < fillsMin) {
    doubts.push(`The best variant has only ${then.summary.fills} fills, which can be luck.`)
  }
  return doubts
}

/** Spearman's rank correlation of the in-sample and out-of-sample scores; null if undefined. */
export function agreementOf(
  learned: readonly VariantOutcome[],
  proved: readonly VariantOutcome[],
  by: RankMeasure,
): number | null {
  const both = learned.flatMap((outcome, number) => {
    const scores = [scoreOf(outcome, by), scoreOf(proved[number] ?? { refused: '' }, by)]
    return scores.every(Number.isFinite) ? [scores] : []
  })
  const [one, other] = [0, 1].map((side) => ranksOf(both.map((scores) => scores[side] ?? 0)))
  if (both.length < 3 || !one || !other) return null
  const middle = (both.length - 1) / 2
  let [together, ones, others] = [0, 0, 0]
  for (const [index, rank] of one.entries()) {
    const [a, b] = [rank - middle, (other[index] ?? 0) - middle]
    together += a * b
    ones += a * a
    others += b * b
  }
  return ones === 0 || others === 0 ? null : together / Math.sqrt(ones * others)
}

/** Equal values share the mean of their ranks. */
function ranksOf(values: readonly number[]): number[] {
  const sorted = values.toSorted((a, b) => a - b)
  return values.map((value) => (sorted.indexOf(value) + sorted.lastIndexOf(value)) / 2)
}
