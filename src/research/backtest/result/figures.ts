import { Decimal, moneyText } from '#src/core/money/decimal.ts'
import {
  areRatiosMeaningful,
  meaningfulDaysMin,
  ratioDaysMin,
} from '#src/research/backtest/measures/period-returns.ts'
import type { BacktestResult } from './result.ts'

/** A number for people beside the one that it was made from. */
export type Figure = { text: string; exact: string | number | null }
type NamedSum = [name: string, exact: string]
export type NamedFigure = Figure & { name: string; about: string }

const amountDigits = 6
const dayMs = 86_400_000

export function moneyFigure(exact: string): Figure {
  return { exact, text: moneyText(exact) }
}

export function amountFigure(exact: string): Figure {
  return { exact, text: new Decimal(exact).toDecimalPlaces(amountDigits, Decimal.ROUND_HALF_EVEN).toFixed() }
}

export function countFigure(exact: number): Figure {
  return { exact, text: String(exact) }
}

export function percentFigure(exact: number | null): Figure {
  return { exact, text: exact === null ? 'none' : `${(exact * 100).toFixed(2)}%` }
}

export function ratioFigure(exact: number | null): Figure {
  return { exact, text: exact === null ? 'none' : exact.toFixed(2) }
}

/** The result: the sums, each with its meaning. */
export function sumsOf({ summary, strategies }: BacktestResult): NamedFigure[] {
  const { netProfit, startEquity, maxDrawdownShare, sharpe } = summary
  const of = strategies.length > 1 ? ', of all strategies together' : ''
  const gain = new Decimal(netProfit).div(startEquity).toNumber()
  return [
    {
      name: 'net profit',
      ...moneyFigure(netProfit),
      about: `${percentFigure(gain).text} of the start equity`,
    },
    { name: 'equity', ...moneyFigure(summary.endEquity), about: `from ${moneyFigure(startEquity).text}` },
    ...pairFiguresOf(summary),
    {
      name: 'max drawdown',
      ...moneyFigure(summary.maxDrawdown),
      about: `${percentFigure(maxDrawdownShare).text} below the highest equity before${of}`,
    },
    {
      name: 'Sharpe ratio',
      ...ratioFigure(sharpe),
      about: ratioText(summary, sharpe, { otherwise: 'all days are equal' }),
    },
    {
      name: 'Sortino ratio',
      ...ratioFigure(summary.sortino),
      about: ratioText(summary, summary.sortino, { otherwise: 'no day with a loss' }),
    },
    { name: 'exposure', ...percentFigure(summary.exposure), about: heldText(summary.holdingMs) },
    { name: 'fills', ...countFigure(summary.fills), about: `of ${summary.orders} orders` },
    {
      name: 'fees',
      ...moneyFigure(summary.fees),
      about: `${isNegative(summary.fees) ? 'negative: rebates received' : 'paid'}, included in the profit`,
    },
    {
      name: 'funding',
      ...moneyFigure(summary.funding),
      about: `${isNegative(summary.funding) ? 'negative: paid' : 'received'}, included in the profit`,
    },
    { name: 'liquidations', ...countFigure(summary.liquidations), about: 'positions closed by the venue' },
  ]
}

function isNegative(exact: string): boolean {
  return exact.startsWith('-')
}

/** The two parts of the result, if it has them. */
function pairFiguresOf({ pairs, gridProfit, floating }: BacktestResult['summary']): NamedFigure[] {
  if (pairs === undefined || gridProfit === undefined || floating === undefined) return []
  const counted = pairs === 1 ? '1 matched pair' : `${pairs} matched pairs`
  return [
    { name: 'grid profit', ...moneyFigure(gridProfit), about: `of ${counted}, after the fees of both sides` },
    {
      name: 'floating',
      ...moneyFigure(floating),
      about: 'open amounts at their last price, less their cost with fees',
    },
  ]
}

/** Grid profit, floating result and funding add up to the net profit; the difference was lost in liquidations. */
export function pairPartsOf({ summary }: BacktestResult): NamedSum[] | undefined {
  const { netProfit, gridProfit, floating, funding, liquidations } = summary
  if (gridProfit === undefined || floating === undefined) return undefined
  const lost = new Decimal(netProfit).minus(gridProfit).minus(floating).minus(funding).toFixed()
  return [
    ['grid profit', gridProfit],
    ['floating', floating],
    ...(liquidations > 0 ? [['liquidated', lost] satisfies NamedSum] : []),
    ['funding', funding],
  ]
}

/** The net profit at the average cost: closed trades, holdings, and liquidations. */
export function partsOf({ summary, rungs, held }: BacktestResult): {
  closed: string
  open: string
  liquidated: string
} {
  const closed = sum(rungs.map(({ profit }) => profit))
  const open = sum(held.map(({ unrealised }) => unrealised))
  const { netProfit, fees, funding } = summary
  const liquidated = new Decimal(netProfit).plus(fees).minus(funding).minus(closed).minus(open)
  return { closed: closed.toFixed(), open: open.toFixed(), liquidated: liquidated.toFixed() }
}

function sum(amounts: readonly string[]): Decimal {
  return amounts.reduce((total, amount) => total.plus(amount), new Decimal(0))
}

export const notMeaningful = `not meaningful: fewer than ${meaningfulDaysMin} days`

/** What is beside an annualised ratio: how it was computed, or why it says little, or why there is none. */
export function ratioText(
  { from, to }: BacktestResult['summary'],
  ratio: number | null,
  { otherwise, basis = 'from daily returns, for a year of 365 days' }: { otherwise: string; basis?: string },
): string {
  if (ratio !== null) return areRatiosMeaningful({ from, to }) ? basis : notMeaningful
  return to - from < ratioDaysMin * dayMs ? `needs ${ratioDaysMin} whole days` : otherwise
}

function heldText(holdingMs: number | null): string {
  return holdingMs === null
    ? 'of the time with a position'
    : `of the time with a position, ${durationText(holdingMs)} on average`
}

/** In the unit that gives a small number. */
export function durationText(ms: number): string {
  const units: [string, number][] = [
    ['days', dayMs],
    ['h', 3_600_000],
    ['min', 60_000],
    ['s', 1000],
  ]
  const [name, size] = units.find(([, size]) => ms >= 2 * size) ?? ['ms', 1]
  return `${new Decimal(ms).div(size).toDecimalPlaces(1).toFixed()} ${name}`
}

export function strategiesOf({ rules, fills }: BacktestResult): string[] {
  return [...new Set([...rules, ...fills].map(({ strategy }) => strategy))]
}

export function spanText({ summary: { from, to, events } }: BacktestResult): string {
  return `${timeText(from)} to ${timeText(to)} UTC, ${durationText(to - from)}, ${events} points`
}

export function timeText(at: number): string {
  return new Date(at).toISOString().slice(0, 16).replace('T', ' ')
}
