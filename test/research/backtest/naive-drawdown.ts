import type { BacktestInput, BacktestResult } from '#src/research/backtest/result/result.ts'
import { Decimal } from '#src/core/money/decimal.ts'
import { pathsOf, pointsOf } from '#test/research/backtest/jump/naive-path.ts'

const zero = new Decimal(0)

/** A strategy receives the best prices of a book at most once a second: its price may be this old. */
const bookMs = 1000

/**
 * Max over t of (max over s <= t of equity(s) - equity(t)), at each point of the files and around each fill: at the prices of
 * the files, and the least and the most that a strategy can see whose prices of some markets are up to a second old.
 */
export function drawdownsOf(
  { summary, fills }: BacktestResult,
  { markets }: BacktestInput,
  books: Set<string>,
) {
  const seen = new SeenPrices(markets, summary.from, books)
  const held = new Map<string, Decimal>()
  let cash = new Decimal(summary.startEquity)
  const [exact, least, most] = [new Deepest(cash), new Deepest(cash), new Deepest(cash)]
  const equityAt = (priceOf: (market: string, amount: Decimal) => Decimal) =>
    [...held].reduce((sum, [market, amount]) => sum.plus(amount.times(priceOf(market, amount))), cash)
  const mark = () => {
    const equity = equityAt((market) => seen.last(market))
    const low = equityAt((market, amount) => seen[amount.isNegative() ? 'highest' : 'lowest'](market))
    const high = equityAt((market, amount) => seen[amount.isNegative() ? 'lowest' : 'highest'](market))
    exact.take(equity, equity)
    least.take(low, high)
    most.take(high, low)
    seen.marked()
  }
  const points = [...markets].flatMap(([market, file]) =>
    pointsOf(market, file).map(({ time, price }) => ({ at: time, market, price })),
  )
  points.sort((a, b) => a.at - b.at)
  let next = 0
  const passTo = (at: number) => {
    for (let point = points[next]; point && point.at <= at; point = points[++next]) {
      if (point.at <= summary.from) continue
      seen.passTo(point.at, point)
      // Several markets may have a price at one time: the equity needs all of them.
      const isShared = [...held.values()].filter((amount) => !amount.isZero()).length > 1
      if (!isShared || points[next + 1]?.at !== point.at) mark()
    }
    seen.passTo(at)
  }
  for (const at of new Set(fills.map((fill) => fill.at))) {
    passTo(at)
    mark()
    for (const { market, side, amount, price, fee } of fills.filter((fill) => fill.at === at)) {
      const signed = new Decimal(amount).times(side === 'buy' ? 1 : -1)
      held.set(market, signed.plus(held.get(market) ?? 0))
      cash = cash.minus(signed.times(price)).minus(fee)
    }
    mark()
  }
  passTo(summary.to - 1)
  const [expected, low, high] = [exact, least, most].map(({ drawdown }) =>
    drawdown.toDecimalPlaces(8, Decimal.ROUND_UP),
  )
  return { expected: expected ?? zero, low: low ?? zero, high: high ?? zero }
}

/** The largest fall from a best equity to a later one. */
class Deepest {
  drawdown = zero
  #best: Decimal

  constructor(start: Decimal) {
    this.#best = start
  }

  take(best: Decimal, now: Decimal): void {
    this.#best = Decimal.max(this.#best, best)
    this.drawdown = Decimal.max(this.drawdown, this.#best.minus(now))
  }
}

/** The prices of markets at a time that rises, and those of the second before it in markets whose book a strategy reads. */
class SeenPrices {
  readonly #books: Set<string>
  readonly #now: (before: number) => Map<string, Decimal>
  readonly #before: (before: number) => Map<string, Decimal>
  #prices: Map<string, Decimal>
  #recent: { at: number; prices: Map<string, Decimal> }[] = []
  #at: number
  #markedAt: number

  constructor(markets: BacktestInput['markets'], from: number, books: Set<string>) {
    this.#books = books
    this.#now = pathsOf(markets)
    this.#before = pathsOf(markets)
    this.#prices = this.#now(from + 1)
    this.#at = from
    this.#markedAt = from
  }

  passTo(at: number, point?: { market: string; price: Decimal }): void {
    this.#at = at
    this.#prices = this.#now(at + 1)
    if (point) this.#prices.set(point.market, point.price)
    if (this.#books.size === 0) return
    // A strategy may have acted at any time since the last mark, on a price of the second before.
    const since = Math.min(this.#markedAt, at) - bookMs
    this.#recent = this.#recent.filter((each) => each.at > since)
    this.#recent.push({ at, prices: this.#prices })
  }

  marked(): void {
    this.#markedAt = this.#at
  }

  last(market: string): Decimal {
    return this.#prices.get(market) ?? zero
  }

  lowest(market: string): Decimal {
    return Decimal.min(...this.#seen(market))
  }

  highest(market: string): Decimal {
    return Decimal.max(...this.#seen(market))
  }

  #seen(market: string): Decimal[] {
    if (!this.#books.has(market)) return [this.last(market)]
    const oldest = this.#before(Math.min(this.#markedAt, this.#at) - bookMs + 1)
    return [oldest, ...this.#recent.map(({ prices }) => prices), this.#prices].map(
      (prices) => prices.get(market) ?? zero,
    )
  }
}
