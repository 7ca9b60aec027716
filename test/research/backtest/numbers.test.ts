import { expect, test } from 'vitest'
import type { BacktestInput, BacktestResult } from '#src/research/backtest/result/result.ts'
import { runBacktest } from '#src/research/backtest/run-backtest.ts'
import { Decimal } from '#src/core/money/decimal.ts'
import { times } from '#test/properties/runs.ts'
import { actingInput, actors } from '#test/research/backtest/jump/scripted-actions.ts'
import { madeBars, madeRates, monday } from '#test/research/backtest/market/generated-market.ts'
import { pathsOf, pointsOf } from '#test/research/backtest/jump/naive-path.ts'

const minuteMs = 60_000
const dayMs = 86_400_000
const zero = new Decimal(0)
const sum = (values: readonly Decimal[]) => values.reduce((total, value) => total.plus(value), zero)
type Markets = BacktestInput['markets']
type Mark = { at: number; equity: Decimal }

/** Computes a result exactly from its fills and the market prices. */
function counted({ summary, fills }: BacktestResult, markets: Markets) {
  const { from, to, startEquity } = summary
  const pricesAt = pathsOf(markets)
  const first = pricesAt(from + 1)
  // After a fill at its price; at the close of a minute at the last price before.
  const fillTimes = [...new Set(fills.map(({ at }) => at))]
  const moments = fillTimes.map((at) => ({ at, until: at + 1, isPrice: false }))
  for (let at = from - (from % minuteMs) + minuteMs; at <= to; at += minuteMs)
    moments.push({ at, until: at, isPrice: false })
  moments.push({ at: to, until: to + 1, isPrice: false })
  // A drawdown also includes each price, and the price of a fill before the fill.
  const times = [...markets].flatMap((each) => pointsOf(...each).map(({ time }) => time))
  for (const at of new Set([...fillTimes, ...times]))
    if (at > from && at < to) moments.push({ at, until: at + 1, isPrice: true })
  moments.sort((a, b) => a.at - b.at || a.until - b.until || Number(b.isPrice) - Number(a.isPrice))
  const positions = new Map<string, Decimal>()
  let [cash, opened, amountMs, heldMs] = [new Decimal(startEquity), zero, zero, 0]
  let [fill, last] = [0, from]
  const curve: Mark[] = [{ at: from, equity: cash }]
  const path = [...curve]
  const hold = (at: number) => {
    const weights = [...positions].map(([market, held]) => held.abs().times(first.get(market) ?? 0))
    amountMs = amountMs.plus(sum(weights).times(at - last))
    if (weights.some((weight) => !weight.isZero())) heldMs += at - last
    last = at
  }
  for (const { at, until, isPrice } of moments) {
    hold(at)
    for (let each = fills[fill]; each && each.at < (isPrice ? at : until); each = fills[++fill]) {
      const held = positions.get(each.market) ?? zero
      const amount = new Decimal(each.amount).times(each.side === 'buy' ? 1 : -1)
      const after = held.plus(amount)
      const more = after.times(held).lt(0) ? after.abs() : Decimal.max(0, after.abs().minus(held.abs()))
      opened = opened.plus(more.times(first.get(each.market) ?? 0))
      positions.set(each.market, after)
      cash = cash.minus(amount.times(each.price)).minus(each.fee)
    }
    const now = pricesAt(until)
    const worth = sum([...positions].map(([market, held]) => held.times(now.get(market) ?? 0)))
    path.push({ at, equity: cash.plus(worth) })
    if (!isPrice) curve.push({ at, equity: cash.plus(worth) })
  }
  hold(to)
  const end = curve.at(-1)?.equity ?? zero
  return {
    exact: {
      endEquity: end.toFixed(),
      netProfit: end.minus(startEquity).toFixed(),
      fees: sum(fills.map(({ fee }) => new Decimal(fee))).toFixed(),
      funding: '0',
      ...fallsOf(path).exact,
    },
    close: {
      ...fallsOf(path).close,
      ...ratiosOf(curve, from),
      ...yearOf({ start: new Decimal(startEquity), end, spanMs: to - from }, fallsOf(path).close),
      exposure: heldMs / (to - from),
    },
    holdingMs: amountMs.div(opened).toNumber(),
    held: [...positions]
      .filter(([, held]) => !held.isZero())
      .map(([market, held]) => [market, held.toFixed()]),
  }
}

/** Rungs, position, fees and funding add up to the net profit exactly. */
function expectParts({ summary, rungs, held }: BacktestResult): void {
  const parts = [...rungs.map(({ profit }) => profit), ...held.map(({ unrealised }) => unrealised)]
  const profits = sum([...parts, summary.funding].map((each) => new Decimal(each)))
  expect(profits.minus(summary.fees).toFixed()).toBe(summary.netProfit)
  for (const { amount, entry, mark, unrealised } of held)
    expect(new Decimal(mark).minus(entry).times(amount).toNumber()).toBeCloseTo(Number(unrealised), 6)
}

function fallsOf(curve: readonly Mark[]) {
  let [high, fall, share] = [zero, zero, zero]
  for (const { equity } of curve) {
    high = Decimal.max(high, equity)
    fall = Decimal.max(fall, high.minus(equity))
    share = Decimal.max(share, high.minus(equity).div(high))
  }
  const maxDrawdown = fall.toDecimalPlaces(8, Decimal.ROUND_UP).toFixed()
  return { exact: { maxDrawdown }, close: { maxDrawdownShare: share.toNumber() } }
}

function ratiosOf(curve: readonly Mark[], from: number) {
  const ends = curve.filter(({ at }, index) => (at - from) % dayMs === 0 && curve[index + 1]?.at !== at)
  const closes = ends.map(({ equity }) => equity)
  const returns = closes.slice(1).map((equity, day) => equity.div(closes[day] ?? 1).minus(1))
  const days = {
    bestDay: returns.length === 0 ? null : Decimal.max(...returns).toNumber(),
    worstDay: returns.length === 0 ? null : Decimal.min(...returns).toNumber(),
  }
  if (returns.length < 7) return { sharpe: null, sortino: null, ...days }
  const mean = sum(returns).div(returns.length)
  const spread = sum(returns.map((value) => value.minus(mean).pow(2))).div(returns.length - 1)
  const losses = sum(returns.map((value) => Decimal.min(value, 0).pow(2))).div(returns.length)
  const ratio = (variance: Decimal) => mean.div(variance.sqrt()).times(new Decimal(365).sqrt()).toNumber()
  return { sharpe: ratio(spread), sortino: ratio(losses), ...days }
}

function yearOf(
  { start, end, spanMs }: { start: Decimal; end: Decimal; spanMs: number },
  { maxDrawdownShare }: { maxDrawdownShare: number },
) {
  if (spanMs < 7 * dayMs) return { cagr: null, calmar: null }
  const cagr = end
    .div(start)
    .pow(new Decimal(365 * dayMs).div(spanMs))
    .minus(1)
    .toNumber()
  return { cagr, calmar: cagr / maxDrawdownShare }
}

async function compare(input: BacktestInput): Promise<void> {
  const result = await runBacktest(input)
  const { summary, fills } = result
  const { exact, close, holdingMs, held } = counted(result, input.markets)
  expect(fills.length).toBeGreaterThan(0)
  expect(summary).toMatchObject(exact)
  for (const [field, value] of Object.entries(close))
    expect(summary, field).toMatchObject({ [field]: value === null ? null : expect.closeTo(value, 9) })
  expectParts(result)
  expect(result.held.map(({ market, amount }) => [market, amount])).toEqual(held)
  expect(Math.abs((summary.holdingMs ?? 0) - holdingMs)).toBeLessThan(2)
}

test.each(actors)('the figures of %s follow from its fills', async (name) => {
  await compare(actingInput(name, 2, /^0[35]/.test(name) ? times(2, 2, 1) / 2 : 1))
})

test('the figures and ratios of several days follow from the fills', async () => {
  const market = madeBars({ seed: 3, minutes: times(7, 7, 3) * 1440, price: 60_000, pace: 0.0009 })
  const { strategies, fill, latencyMs, seed } = actingInput('01-static-grid.yaml', 1)
  const markets = new Map([['BTC_USDT', market]])
  await compare({ strategies, fill, latencyMs, seed, markets })
})

test('the figures of opposing strategies in one market with funding follow from the fills', async () => {
  const [text = '', market] = [
    actingInput('01-static-grid.yaml', 1).strategies[0]?.text,
    madeBars({ seed: 3, minutes: 1440, price: 60_000, pace: 0.0015, digits: 1 }),
  ]
  const texts = [
    text,
    text.replace('name: sgrid', 'name: other').replace('from: 55000, to: 65000', 'from: 57100, to: 62100'),
  ]
  const { fill, latencyMs, seed } = actingInput('01-static-grid.yaml', 1)
  const result = await runBacktest({
    strategies: texts.map((each) => ({ path: 'x.yaml', text: each.replace('BTC_USDT', 'BTC_PERP') })),
    markets: new Map([['BTC_PERP', market]]),
    funding: new Map([['BTC_PERP', madeRates(1, monday, monday + dayMs, 3_600_000)]]),
    fill,
    latencyMs,
    seed,
  })
  expect(result.held.map(({ strategy }) => strategy).toSorted()).toEqual(['other', 'sgrid'])
  expect(result.summary.funding).not.toBe('0')
  expectParts(result)
})
