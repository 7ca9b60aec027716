import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { BacktestResult } from '#src/backtest/result.ts'
import { runBacktest } from '#src/backtest/run.ts'
import type { PastMarket } from '#src/market/past-market.ts'
import { Decimal } from '#src/money/decimal.ts'
import { madeBars } from './made-market.ts'

const minuteMs = 60_000
const dayMs = 86_400_000
const sum = (values: readonly Decimal[]) => values.reduce((total, value) => total.plus(value), new Decimal(0))

/** What a result says, counted again from its list of fills and the prices of the market, with all digits. */
function counted({ summary, fills }: BacktestResult, market: PastMarket) {
  const { from, to, startEquity } = summary
  const points = [...market.blocks()].flatMap(({ at, units }) =>
    Array.from(at, (time, place) => ({ time, price: new Decimal(units[place] ?? 0).div(1e9) })),
  )
  // After a fill at the price of its moment; at the close of a minute at the last price before it.
  const fillTimes = new Set(fills.map(({ at }) => at))
  const moments = [...fillTimes].map((at) => ({ at, until: at + 1 }))
  for (let at = from + minuteMs; at <= to; at += minuteMs) moments.push({ at, until: at })
  moments.sort((a, b) => a.at - b.at || b.until - a.until)
  let [cash, held, opened, amountMs, heldMs] = [
    new Decimal(startEquity),
    new Decimal(0),
    new Decimal(0),
    new Decimal(0),
    0,
  ]
  let [point, fill, last] = [0, 0, from]
  const curve = [{ at: from, equity: cash }]
  for (const { at, until } of moments) {
    while ((points[point + 1]?.time ?? Infinity) < until) point += 1
    if (!held.isZero()) heldMs += at - last
    amountMs = amountMs.plus(held.abs().times(at - last))
    last = at
    const before = held
    for (let each = fills[fill]; each && each.at < until; each = fills[++fill]) {
      const amount = new Decimal(each.amount).times(each.side === 'buy' ? 1 : -1)
      held = held.plus(amount)
      cash = cash.minus(amount.times(each.price)).minus(each.fee)
    }
    const more = held.times(before).lt(0) ? held.abs() : Decimal.max(0, held.abs().minus(before.abs()))
    opened = opened.plus(more)
    curve.push({ at, equity: cash.plus(held.times(points[point]?.price ?? 0)) })
  }
  let [high, fall, share] = [new Decimal(startEquity), new Decimal(0), new Decimal(0)]
  for (const { equity } of curve) {
    high = Decimal.max(high, equity)
    fall = Decimal.max(fall, high.minus(equity))
    share = Decimal.max(share, high.minus(equity).div(high))
  }
  const closes = curve.filter(({ at }) => (at - from) % dayMs === 0).map(({ equity }) => equity)
  const returns = closes.slice(1).map((equity, day) => equity.div(closes[day] ?? 1).minus(1))
  const mean = sum(returns).div(returns.length)
  const spread = sum(returns.map((value) => value.minus(mean).pow(2))).div(returns.length - 1)
  const losses = sum(returns.map((value) => Decimal.min(value, 0).pow(2))).div(returns.length)
  const ratio = (variance: Decimal) =>
    returns.length < 7 ? null : mean.div(variance.sqrt()).times(new Decimal(365).sqrt()).toNumber()
  const end = curve.at(-1)?.equity ?? new Decimal(0)
  return {
    exact: {
      endEquity: end.toFixed(),
      netProfit: end.minus(startEquity).toFixed(),
      fees: sum(fills.map(({ fee }) => new Decimal(fee))).toFixed(),
      maxDrawdown: fall.toDecimalPlaces(8, Decimal.ROUND_UP).toFixed(),
    },
    close: {
      maxDrawdownShare: share.toNumber(),
      sharpe: ratio(spread),
      sortino: ratio(losses),
      exposure: heldMs / (to - from),
    },
    holdingMs: amountMs.div(opened).toNumber(),
  }
}

test.each([
  ['01-static-grid', 7],
  ['05-market-making', 1],
])('the numbers of %s in %i days are those of its fills', async (name, days) => {
  const path = `strategies/${name}.yaml`
  const market = madeBars({ seed: 3, minutes: days * 1440, price: 60_000, pace: 0.0009 })
  const strategies = [{ path, text: readFileSync(path, 'utf8') }]
  const markets = new Map([['BTC_USDT', market]])
  const result = await runBacktest({ strategies, markets, latencyMs: 50, fill: 'through', seed: 'a' })
  const { summary, fills } = result
  const { exact, close, holdingMs } = counted(result, market)
  expect(fills.length).toBeGreaterThan(5)
  expect(summary).toMatchObject(exact)
  for (const [field, value] of Object.entries(close))
    expect(summary, field).toMatchObject({ [field]: value === null ? null : expect.closeTo(value, 9) })
  expect(summary.holdingMs).toBeCloseTo(holdingMs, -1)
})
