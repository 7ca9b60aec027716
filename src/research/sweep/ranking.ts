import { Decimal, moneyText } from '#src/core/money/decimal.ts'
import { areRatiosMeaningful, meaningfulDaysMin } from '#src/research/backtest/measures/period-returns.ts'
import type { BacktestResult } from '#src/research/backtest/result/result.ts'
import { measureNames, type RankMeasure } from './measure-names.ts'
import { descending, paretoFront } from './search/pareto.ts'

/** The result of one backtest, or why the variant is invalid. */
export type VariantOutcome =
  | {
      summary: BacktestResult['summary']
      /** Of parts of the period, see `pieceReturns`; results of older versions lack them. */
      returns?: readonly number[] | undefined
    }
  | { refused: string }
/** Higher is better. An undefined ratio ranks last. */
export function scoreOf(outcome: VariantOutcome, by: RankMeasure): number {
  if ('refused' in outcome) return -Infinity
  const { summary } = outcome
  if (by === 'profit') return Number(summary.netProfit)
  if (by === 'drawdown') return -Number(summary.maxDrawdown)
  if (by !== 'calmar') return summary[by] ?? -Infinity
  const drawdown = Number(summary.maxDrawdown)
  // Without drawdown, a profit ranks first, and a result of zero scores zero.
  return drawdown === 0
    ? Number(summary.netProfit) > 0
      ? Infinity
      : 0
    : Number(summary.netProfit) / drawdown
}

export function scoresOf(outcome: VariantOutcome, by: readonly RankMeasure[]): number[] {
  return by.map((measure) => scoreOf(outcome, measure))
}

/** Indexes of the valid outcomes that no other one surpasses in all measures. */
export function frontOf(outcomes: readonly VariantOutcome[], by: readonly RankMeasure[]): number[] {
  const valid = outcomes.flatMap((outcome, number) => ('refused' in outcome ? [] : [number]))
  const scores = valid.map((number) => scoresOf(outcomes[number] ?? { refused: '' }, by))
  return paretoFront(scores).map((place) => valid[place] ?? 0)
}

/**
 * Indexes of the outcomes, the best first. With several measures, those of the Pareto front come first. Within the front and
 * behind it, the first measure decides. Equal ones keep their order.
 */
export function rankOf(outcomes: readonly VariantOutcome[], by: readonly RankMeasure[]): number[] {
  const [first = 'profit'] = by
  const scores = outcomes.map((outcome) => scoreOf(outcome, first))
  const front = new Set(by.length > 1 ? frontOf(outcomes, by) : [])
  return outcomes
    .map((_, number) => number)
    .sort((a, b) => Number(front.has(b)) - Number(front.has(a)) || descending(scores[a], scores[b]) || a - b)
}

const agreementMin = 0.3
const fillsMin = 20

/** Signs of overfitting. No warning is no proof of the contrary. */
export function warningsOf(
  learned: readonly VariantOutcome[],
  proved: readonly VariantOutcome[],
  by: RankMeasure,
): string[] {
  const [best] = rankOf(learned, [by])
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
