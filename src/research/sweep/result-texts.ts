import { moneyFigure, timeText } from '#src/research/backtest/result/figures.ts'
import type { SweepPeriod } from './plan.ts'
import type { VariantOutcome } from './ranking.ts'

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

export function periodText({ from, to }: SweepPeriod): string {
  return `${timeText(from)} to ${timeText(to)}`
}
