import { formatAtoms, type Atoms } from '#src/core/money/atoms.ts'
import { Decimal, raiseTo } from '#src/core/money/decimal.ts'
import type { PriceWatch } from '#src/research/backtest/loop/price-path.ts'
import type { BacktestMeasures, BacktestMonth, BacktestResult } from '#src/research/backtest/result/result.ts'
import { BuyAndHold } from './buy-and-hold.ts'
import { PeriodReturns } from './period-returns.ts'

const minuteMs = 60_000
const dayMs = 86_400_000
const periodsMax = 2000
const lossDigits = 8
const periodsMs = [1, 2, 3, 5, 10, 15, 30, 60, 120, 180, 240, 360, 720].map((minutes) => minutes * minuteMs)

/** Holdings of the strategies: money, and the long and short amounts of each market, valued at its price. */
export type Holdings = { cash: Atoms; longs: readonly Atoms[]; shorts: readonly Atoms[] }
/** Prices of the same markets, in 10^-9. */
type Prices = ArrayLike<number>
type Peak = { value: number; holdings: Holdings; prices: number[] }
type Measured = Pick<
  BacktestResult['summary'],
  | 'startEquity'
  | 'endEquity'
  | 'maxDrawdown'
  | 'maxDrawdownShare'
  | 'sharpe'
  | 'sortino'
  | 'exposure'
  | 'holdingMs'
> &
  Omit<BacktestMeasures, 'roundTrips' | 'winRate' | 'profitFactor' | 'expectancy'> &
  Pick<BacktestResult, 'equity'> & { months: BacktestMonth[] }

const zero = new Decimal(0)

/** The shortest usual span that gives at most as many periods as a chart can show. */
export function periodOf(spanMs: number): number {
  const fitting = periodsMs.find((ms) => spanMs / ms <= periodsMax)
  return fitting ?? Math.ceil(spanMs / periodsMax / dayMs) * dayMs
}

/**
 * Measures of an account, computed while the market passes, in constant memory. The formulas:
 *
 * - equity: cash + Σ (long - short) × last price
 * - drawdown: the highest equity so far less the equity now, at each price of the files, and before and after each change of
 *   the holdings; its share: of that highest equity
 * - return of a day: equity after 24 hours / equity before them - 1; days are counted from the beginning, and an
 *   incomplete last day is left out
 * - Sharpe ratio: mean of these returns / their standard deviation (of a sample, n - 1) × √365
 * - Sortino ratio: the same mean / √(Σ min(return, 0)² / n) × √365
 * - exposure: the share of the time with a position
 * - holding time: Σ amount × its holding time / Σ opened amounts, each at the first price of its market; null
 *   without positions
 *
 * - longest drawdown: the longest time from a highest close of a period to the next close at or above it, or to the end
 * - CAGR: (equity at the end / at the beginning) ^ (365 days / duration) - 1; Calmar ratio: CAGR / share of the drawdown
 *
 * Ratios are null for fewer than 7 whole days, and where they would divide by zero. Marks are doubles, since there are
 * millions; they find the peak and the trough, whose money is then computed with all digits.
 */
export class Measures {
  readonly #from: number
  readonly #start: Decimal
  readonly #equity: BacktestResult['equity'] & { hold: number[] } = {
    at: [],
    value: [],
    position: [],
    hold: [],
  }
  readonly #periodMs: number
  #holdings: Holdings
  #cash = 0
  /** Longs less shorts, in 10^-9. */
  #amounts: number[] = []
  /** For each market the long side, then the short one. */
  #sides: number[] = []
  #value = 0
  readonly #hold: BuyAndHold
  #holdValue: number
  #peak: Peak
  #fall = 0
  #worst: { peak: Peak; trough: Peak } | undefined
  #share = 0
  #heldSince: number | undefined
  #heldMs = 0
  readonly #firstPrices: number[]
  #amountsSince: number
  #amountMs = 0
  #opened = 0
  #periodEnd: number
  readonly #returns: PeriodReturns

  constructor(from: number, to: number, holdings: Holdings, prices: Prices) {
    this.#from = from
    this.#start = worthOf(holdings, prices)
    this.#holdings = holdings
    this.#periodMs = periodOf(to - from)
    this.#periodEnd = from + this.#periodMs
    this.#firstPrices = copied(prices)
    this.#amountsSince = from
    this.#take(from, holdings)
    this.#value = this.#worth(prices)
    this.#returns = new PeriodReturns(from, this.#value)
    this.#hold = new BuyAndHold(this.#start, prices)
    this.#holdValue = this.#value
    this.#peak = { value: this.#value, holdings, prices: copied(prices) }
  }

  /** Holdings have changed: a fill, a fee, funding. */
  changed(at: number, holdings: Holdings, prices: Prices): void {
    this.#passTo(at - 1)
    this.#mark(prices)
    this.#take(at, holdings)
    this.#mark(prices)
    this.#see(prices)
  }

  /** A minute has closed at these prices. Only minutes from `quietUntil` on need a call. */
  closed(at: number, prices: Prices): void {
    this.#passTo(at - 1)
    this.#see(prices)
    this.#passTo(at)
  }

  /** Of the minutes that close until then, only the last one counts. */
  get quietUntil(): number {
    return Math.min(this.#returns.nextEnd, this.#periodEnd)
  }

  /** Prices at which the equity is a new maximum, or further below it than before. */
  get watch(): PriceWatch {
    const watch: PriceWatch = {
      amounts: this.#amounts,
      base: this.#cash,
      ...this.#bounds,
      isLastEnough: true,
      reached: (prices) => {
        this.#mark(prices)
        Object.assign(watch, this.#bounds)
      },
    }
    return watch
  }

  get #bounds(): { low: number; high: number } {
    const { value } = this.#peak
    return { low: value - Math.min(this.#fall, this.#share * value), high: value }
  }

  finish(to: number, prices: Prices): Measured {
    this.closed(to, prices)
    this.#mark(prices)
    if (this.#equity.at.at(-1) !== to) this.#note(to)
    if (this.#heldSince !== undefined) this.#heldMs += to - this.#heldSince
    this.#keepHolding(to, this.#sides)
    const { peak, trough } = this.#worst ?? {}
    const drawdown =
      peak && trough
        ? worthOf(peak.holdings, peak.prices).minus(worthOf(trough.holdings, trough.prices))
        : zero
    return {
      startEquity: this.#start.toFixed(),
      endEquity: worthOf(this.#holdings, prices).toFixed(),
      maxDrawdown: raiseTo(lossDigits, drawdown).toFixed(),
      maxDrawdownShare: this.#share,
      longestDrawdownMs: longestDrawdown(this.#from, this.#start.toNumber(), this.#equity),
      buyAndHold: this.#hold.profit(prices),
      ...this.#returns.finish(to, this.#value, this.#share),
      exposure: to > this.#from ? this.#heldMs / (to - this.#from) : 0,
      holdingMs: this.#opened === 0 ? null : Math.round(this.#amountMs / this.#opened),
      equity: this.#equity,
    }
  }

  #take(at: number, holdings: Holdings): void {
    this.#holdings = holdings
    this.#cash = toNumber(holdings.cash)
    const { longs, shorts } = holdings
    const sides: number[] = []
    const amounts: number[] = []
    let holds = false
    for (let place = 0; place < longs.length; place++) {
      const [long, short] = [longs[place] ?? 0n, shorts[place] ?? 0n]
      sides.push(toNumber(long), toNumber(short))
      amounts.push(toNumber(long - short) / 1e9)
      holds ||= long !== 0n || short !== 0n
    }
    this.#keepHolding(at, sides)
    this.#sides = sides
    this.#amounts = amounts
    if (holds) this.#heldSince ??= at
    else if (this.#heldSince !== undefined) {
      this.#heldMs += at - this.#heldSince
      this.#heldSince = undefined
    }
  }

  #keepHolding(at: number, sides: readonly number[]): void {
    for (let index = 0; index < sides.length; index++) {
      const [amount, before] = [sides[index] ?? 0, this.#sides[index] ?? 0]
      const price = this.#firstPrices[index >> 1] ?? 0
      this.#amountMs += before * price * (at - this.#amountsSince)
      this.#opened += Math.max(amount - before, 0) * price
    }
    this.#amountsSince = at
  }

  #see(prices: Prices): void {
    this.#value = this.#worth(prices)
    this.#holdValue = this.#hold.value(prices)
  }

  #worth(prices: Prices): number {
    let value = this.#cash
    for (let index = 0; index < this.#amounts.length; index++)
      value += (this.#amounts[index] ?? 0) * (prices[index] ?? 0)
    return value
  }

  #mark(prices: Prices): void {
    const value = this.#worth(prices)
    const peak = this.#peak.value
    if (value > peak) {
      this.#peak = { value, holdings: this.#holdings, prices: copied(prices) }
      return
    }
    const fall = peak - value
    if (fall > this.#fall) {
      this.#fall = fall
      this.#worst = { peak: this.#peak, trough: { value, holdings: this.#holdings, prices: copied(prices) } }
    }
    if (fall > this.#share * peak) this.#share = fall / peak
  }

  /** Ends the days and periods that are over by then, at the last mark. */
  #passTo(at: number): void {
    this.#returns.passTo(at, this.#value)
    while (at >= this.#periodEnd) {
      this.#note(this.#periodEnd)
      this.#periodEnd += this.#periodMs
    }
  }

  #note(at: number): void {
    this.#equity.at.push(at)
    this.#equity.value.push(this.#value)
    this.#equity.position.push((this.#amounts[0] ?? 0) * 1e9)
    this.#equity.hold.push(this.#holdValue)
  }
}

function longestDrawdown(from: number, start: number, { at, value }: BacktestResult['equity']): number {
  let [highest, since, longest] = [start, from, 0]
  for (const [index, equity] of value.entries()) {
    const time = at[index] ?? 0
    const isBelow = equity < highest
    // The fall lasts until the close that ends it.
    if (isBelow || (value[index - 1] ?? start) < highest) longest = Math.max(longest, time - since)
    if (isBelow) continue
    highest = equity
    since = time
  }
  return longest
}

function copied(prices: Prices): number[] {
  return Array.from(prices)
}

function worthOf({ cash, longs, shorts }: Holdings, prices: Prices): Decimal {
  return longs.reduce(
    (sum, long, place) => {
      const amount = new Decimal(formatAtoms(long - (shorts[place] ?? 0n)))
      return sum.plus(amount.times(prices[place] ?? 0).times('1e-9'))
    },
    new Decimal(formatAtoms(cash)),
  )
}

/** The nearest double. */
function toNumber(value: Atoms): number {
  return value === 0n ? 0 : Number(formatAtoms(value))
}
