import type { BacktestInput, BacktestResult } from '#src/research/backtest/result/result.ts'
import { Decimal } from '#src/core/money/decimal.ts'
import { pathsOf, pointsOf } from '#test/research/backtest/jump/naive-path.ts'

const zero = new Decimal(0)

/**
 * Max over t of (max over s <= t of equity(s) - equity(t)), at each point of the files and around the fills of each moment. With
 * `between`, also between the fills of two own orders that trade with each other: a bot receives the fill of the taker first.
 */
export function drawdownOf(
  { summary, fills }: BacktestResult,
  { markets }: BacktestInput,
  { between }: { between: boolean } = { between: false },
): Decimal {
  const pricesAt = pathsOf(markets)
  const held = new Map<string, Decimal>()
  let [cash, prices] = [new Decimal(summary.startEquity), pricesAt(summary.from + 1)]
  let [best, drawdown] = [cash, zero]
  const mark = () => {
    const equity = [...held].reduce(
      (sum, [market, amount]) => sum.plus(amount.times(prices.get(market) ?? 0)),
      cash,
    )
    best = Decimal.max(best, equity)
    drawdown = Decimal.max(drawdown, best.minus(equity))
  }
  const points = [...markets].flatMap(([market, file]) =>
    pointsOf(market, file).map(({ time, price }) => ({ at: time, market, price })),
  )
  points.sort((a, b) => a.at - b.at)
  let next = 0
  const passTo = (at: number) => {
    for (let point = points[next]; point && point.at <= at; point = points[++next]) {
      if (point.at <= summary.from) continue
      prices = pricesAt(point.at + 1).set(point.market, point.price)
      // Several markets may have a price at one time: the equity needs all of them.
      const isShared = [...held.values()].filter((amount) => !amount.isZero()).length > 1
      if (!isShared || points[next + 1]?.at !== point.at) mark()
    }
    prices = pricesAt(at + 1)
  }
  for (const at of new Set(fills.map((fill) => fill.at))) {
    passTo(at)
    mark()
    const together = fills
      .filter((fill) => fill.at === at)
      .toSorted((a, b) => Number(a.maker) - Number(b.maker))
    const areOwn = between && haveOwnTrade(together)
    for (const { market, side, amount, price, fee } of together) {
      const signed = new Decimal(amount).times(side === 'buy' ? 1 : -1)
      held.set(market, signed.plus(held.get(market) ?? 0))
      cash = cash.minus(signed.times(price)).minus(fee)
      if (areOwn) mark()
    }
    mark()
  }
  passTo(summary.to - 1)
  return drawdown.toDecimalPlaces(8, Decimal.ROUND_UP)
}

function haveOwnTrade(fills: BacktestResult['fills']): boolean {
  return fills.some((one) =>
    fills.some(
      (other) =>
        one.maker &&
        !other.maker &&
        one.market === other.market &&
        one.side !== other.side &&
        one.price === other.price,
    ),
  )
}
