import { Decimal } from '#src/core/money/decimal.ts'
import type { BacktestMeasures, BacktestMonth } from '#src/research/backtest/result/result.ts'

const dayMs = 86_400_000
/** The fewest returns for a ratio. */
export const ratioDaysMin = 7
/** From fewer days, a ratio says nothing about a year. */
export const meaningfulDaysMin = 30
const daysAYear = 365
const moneyDigits = 8

type Returned = Pick<
  BacktestMeasures,
  'cagr' | 'calmar' | 'ratiosMeaningful' | 'bestDay' | 'bestDayAt' | 'worstDay' | 'worstDayAt'
> & { sharpe: number | null; sortino: number | null; months: BacktestMonth[] }
type Day = { at: number; gain: number }

export function areRatiosMeaningful({ from, to }: { from: number; to: number }): boolean {
  return to - from >= meaningfulDaysMin * dayMs
}

/**
 * Returns of days and months, computed while the market passes, in constant memory. A day has 24 hours, and the first one begins
 * with the backtest; an incomplete last day is left out. A month is that of the calendar in UTC, and also counts if incomplete.
 */
export class PeriodReturns {
  readonly #from: number
  readonly #start: number
  #dayEnd: number
  #dayValue: number
  #days = 0
  #mean = 0
  #squares = 0
  #losses = 0
  #best: Day | undefined
  #worst: Day | undefined
  #monthFrom: number
  #monthEnd: number
  #monthValue: number
  readonly #months: BacktestMonth[] = []

  constructor(from: number, equity: number) {
    this.#from = from
    this.#start = equity
    this.#dayEnd = from + dayMs
    this.#dayValue = equity
    this.#monthFrom = from
    this.#monthEnd = nextMonth(from)
    this.#monthValue = equity
  }

  /** The equity before this moment does not matter any more. */
  get nextEnd(): number {
    return Math.min(this.#dayEnd, this.#monthEnd)
  }

  /** Ends the days and months that are over by then, at this equity. */
  passTo(at: number, equity: number): void {
    while (at >= this.#dayEnd) this.#endDay(equity)
    while (at >= this.#monthEnd) this.#endMonth(equity)
  }

  finish(to: number, equity: number, drawdownShare: number): Returned {
    if (to > this.#monthFrom) this.#endMonth(equity)
    const cagr = this.#yearly(to, equity)
    return {
      sharpe: this.#ratio(this.#squares / (this.#days - 1)),
      sortino: this.#ratio(this.#losses / this.#days),
      cagr,
      calmar: cagr === null || drawdownShare === 0 ? null : cagr / drawdownShare,
      ratiosMeaningful: areRatiosMeaningful({ from: this.#from, to }),
      bestDay: this.#best?.gain ?? null,
      bestDayAt: this.#best?.at ?? null,
      worstDay: this.#worst?.gain ?? null,
      worstDayAt: this.#worst?.at ?? null,
      months: this.#months,
    }
  }

  #endDay(equity: number): void {
    const gain = equity / this.#dayValue - 1
    this.#days += 1
    const off = gain - this.#mean
    this.#mean += off / this.#days
    this.#squares += off * (gain - this.#mean)
    this.#losses += Math.min(gain, 0) ** 2
    const day = { at: this.#dayEnd - dayMs, gain }
    if (this.#dayValue > 0) {
      if (gain > (this.#best?.gain ?? -Infinity)) this.#best = day
      if (gain < (this.#worst?.gain ?? Infinity)) this.#worst = day
    }
    this.#dayValue = equity
    this.#dayEnd += dayMs
  }

  #endMonth(equity: number): void {
    const month = new Date(this.#monthFrom).toISOString().slice(0, 7)
    const gain = this.#monthValue > 0 ? equity / this.#monthValue - 1 : null
    const profit = new Decimal(equity)
      .minus(this.#monthValue)
      .toDecimalPlaces(moneyDigits, Decimal.ROUND_HALF_EVEN)
    this.#months.push({ month, profit: profit.toFixed(), return: gain })
    this.#monthFrom = this.#monthEnd
    this.#monthEnd = nextMonth(this.#monthFrom)
    this.#monthValue = equity
  }

  #ratio(variance: number): number | null {
    if (this.#days < ratioDaysMin || !(variance > 0)) return null
    return (this.#mean / Math.sqrt(variance)) * Math.sqrt(daysAYear)
  }

  /** The yearly return that compounds to the return of the whole time. */
  #yearly(to: number, equity: number): number | null {
    if (this.#days < ratioDaysMin || this.#start <= 0 || equity < 0) return null
    return (equity / this.#start) ** ((daysAYear * dayMs) / (to - this.#from)) - 1
  }
}

function nextMonth(at: number): number {
  const date = new Date(at)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1)
}
