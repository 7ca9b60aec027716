import { describe, expect, test } from 'vitest'
import { type Holdings, Measures, periodOf } from '#src/research/backtest/measures/measures.ts'
import { oneUnit, parseSignedAtoms } from '#src/core/money/atoms.ts'
import { Decimal } from '#src/core/money/decimal.ts'

const minuteMs = 60_000
const dayMs = 86_400_000
const from = Date.UTC(2026, 0, 1)
const start = new Decimal(10_000)

type Fill = { at: number; market: 0 | 1; amount: Decimal; price: Decimal; fee: Decimal }
type Story = { to: number; fills: Fill[]; unitsAt: (at: number) => [number, number] }

/** Two random walks, and fills between the minutes. */
function storyOf(seed: number, days: number): Story {
  let state = seed
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
  const walk = (units: number) =>
    Array.from({ length: days * 1440 + 1 }, () => {
      units = Math.round(units * (1 + (next() - 0.5) * 0.004))
      return units
    })
  const [one, two] = [walk(60_000e9), walk(3000e9)]
  const unitsAt = (at: number): [number, number] => {
    const minute = Math.floor((at - from) / minuteMs)
    return [one[minute] ?? 0, two[minute] ?? 0]
  }
  const held = [0, 0]
  const times = Array.from({ length: 30 * days }, () => from + 1 + Math.floor(next() * (days * dayMs - 2)))
  const fills = times
    .sort((a, b) => a - b)
    .map((at): Fill => {
      const market = next() < 0.5 ? 0 : 1
      const before = held[market] ?? 0
      const lots = next() < 0.4 ? -before : Math.floor(next() * 21) - 10
      held[market] = before + lots
      const amount = new Decimal(lots).times('0.001')
      const price = new Decimal(unitsAt(at)[market]).times('1e-9').toDecimalPlaces(1)
      return { at, market, amount, price, fee: amount.abs().times(price).times('0.0003') }
    })
  return { to: from + days * dayMs, fills, unitsAt }
}

function atomsOf(value: Decimal): bigint {
  return parseSignedAtoms(value.toFixed())
}

function holdingsOf(cash: Decimal, held: readonly Decimal[]): Holdings {
  const longs = held.map((amount) => Decimal.max(amount, 0))
  const shorts = held.map((amount, place) => longs[place]?.minus(amount) ?? amount)
  return { cash: atomsOf(cash), longs: longs.map(atomsOf), shorts: shorts.map(atomsOf) }
}

/** A price of the file, which the measures need only if the watch says so. */
function pass({ watch }: Measures, prices: readonly number[], at: number): void {
  const value = prices.reduce((sum, price, place) => sum + price * (watch.amounts[place] ?? 0), watch.base)
  if (value < watch.low || value > watch.high) watch.reached(prices, at)
}

function measured({ to, fills, unitsAt }: Story) {
  let cash = start
  const held = [new Decimal(0), new Decimal(0)]
  const holdings = () => holdingsOf(cash, held)
  const measures = new Measures(from, to, holdings(), unitsAt(from))
  let index = 0
  for (let at = from + minuteMs; at <= to; at += minuteMs) {
    for (let fill = fills[index]; fill && fill.at < at; fill = fills[++index]) {
      held[fill.market] = fill.amount.plus(held[fill.market] ?? 0)
      cash = cash.minus(fill.amount.times(fill.price)).minus(fill.fee)
      measures.changed(fill.at, holdings(), unitsAt(fill.at))
    }
    pass(measures, unitsAt(at), at)
    measures.closed(at, unitsAt(at))
  }
  return measures.finish(to, unitsAt(to))
}

const sum = (values: Decimal[]) => values.reduce((total, value) => total.add(value), new Decimal(0))

/** Computes the same exactly from the complete list of fills and marks. */
function counted({ to, fills, unitsAt }: Story) {
  const moments: { at: number; fill?: Fill }[] = fills.map((fill) => ({ at: fill.at, fill }))
  for (let at = from; at <= to; at += minuteMs) moments.push({ at })
  moments.sort((a, b) => a.at - b.at)
  let [money, coins, others, heldMs, last] = [start, new Decimal(0), new Decimal(0), 0, from]
  let [amountMs, opened] = [new Decimal(0), new Decimal(0)]
  const firstPrices = unitsAt(from)
  const curve = moments.map(({ at, fill }) => {
    if (!coins.isZero() || !others.isZero()) heldMs += at - last
    for (const [market, held] of [coins, others].entries())
      amountMs = amountMs.add(
        held
          .abs()
          .mul(firstPrices[market] ?? 0)
          .mul(at - last),
      )
    last = at
    if (fill) {
      const held = fill.market === 0 ? coins : others
      const after = held.add(fill.amount)
      // A reversal opens the whole new position; otherwise only the increase is opened.
      const more = after.mul(held).lt(0) ? after.abs() : Decimal.max(0, after.abs().sub(held.abs()))
      opened = opened.add(more.mul(firstPrices[fill.market]))
    }
    if (fill) money = money.sub(fill.price.mul(fill.amount)).sub(fill.fee)
    if (fill?.market === 0) coins = coins.add(fill.amount)
    if (fill?.market === 1) others = others.add(fill.amount)
    const [coin, other] = unitsAt(at).map((units) => new Decimal(units).div(1e9))
    return { at, equity: money.add(coins.mul(coin ?? 0)).add(others.mul(other ?? 0)) }
  })
  let [high, fall, share] = [start, new Decimal(0), new Decimal(0)]
  for (const { equity } of curve) {
    high = Decimal.max(high, equity)
    fall = Decimal.max(fall, high.sub(equity))
    share = Decimal.max(share, high.sub(equity).div(high))
  }
  const closes = curve.filter(({ at }) => (at - from) % dayMs === 0).map(({ equity }) => equity)
  const returns = closes.slice(1).map((equity, day) => equity.div(closes[day] ?? 1).sub(1))
  const mean = sum(returns).div(returns.length)
  const spread = sum(returns.map((value) => value.sub(mean).pow(2))).div(returns.length - 1)
  const losses = sum(returns.map((value) => Decimal.min(value, 0).pow(2))).div(returns.length)
  return {
    endEquity: curve.at(-1)?.equity.toFixed(),
    maxDrawdown: fall.toDecimalPlaces(8, Decimal.ROUND_UP).toFixed(),
    share: share.toNumber(),
    sharpe: mean.div(spread.sqrt()).mul(new Decimal(365).sqrt()).toNumber(),
    sortino: mean.div(losses.sqrt()).mul(new Decimal(365).sqrt()).toNumber(),
    exposure: heldMs / (to - from),
    holdingMs: amountMs.div(opened).toNumber(),
    curve,
  }
}

/** The first market of a story, with all minutes or only those that matter. */
function measuredAlone({ to, fills, unitsAt }: Story, leaps: boolean) {
  const own = fills.filter(({ market }) => market === 0)
  let [cash, held, told, index] = [start, new Decimal(0), 0, 0]
  const holdings = () => holdingsOf(cash, [held])
  const priceAt = (at: number): [number] => [unitsAt(at)[0]]
  const measures = new Measures(from, to, holdings(), priceAt(from))
  for (let at = from + minuteMs; at <= to; at += minuteMs) {
    for (let fill = own[index]; fill && fill.at < at; fill = own[++index]) {
      held = fill.amount.plus(held)
      cash = cash.minus(fill.amount.times(fill.price)).minus(fill.fee)
      measures.changed(fill.at, holdings(), priceAt(fill.at))
    }
    pass(measures, priceAt(at), at)
    const isLast = at + minuteMs > to || (own[index]?.at ?? Infinity) < at + minuteMs
    if (leaps && at + minuteMs <= measures.quietUntil && !isLast) continue
    told += 1
    measures.closed(at, priceAt(at))
  }
  return { told, found: measures.finish(to, priceAt(to)) }
}

test.each([1, 2, 3, 4, 5])('skipping quiet minutes changes nothing, story %i', (seed) => {
  const story = storyOf(seed, 9)
  const [all, leaping] = [measuredAlone(story, false), measuredAlone(story, true)]
  expect(leaping.found).toEqual(all.found)
  expect(leaping.told).toBeLessThan(0.7 * all.told)
})

describe('incremental measures', () => {
  test.each([1, 2, 3, 4, 5])('equal the exact computation, story %i', (seed) => {
    const story = storyOf(seed, 9)
    const [found, expected] = [measured(story), counted(story)]
    expect(found.startEquity).toBe('10000')
    expect(found.endEquity).toBe(expected.endEquity)
    expect(found.maxDrawdown).toBe(expected.maxDrawdown)
    expect(found.maxDrawdownShare).toBeCloseTo(expected.share, 12)
    expect(found.sharpe).toBeCloseTo(expected.sharpe, 8)
    expect(found.sortino).toBeCloseTo(expected.sortino, 8)
    expect(found.exposure).toBeCloseTo(expected.exposure, 12)
    expect(Math.abs((found.holdingMs ?? 0) - expected.holdingMs)).toBeLessThan(1)
    expect(found.equity.at).toEqual(
      Array.from({ length: (9 * dayMs) / (10 * minuteMs) }, (_, index) => from + (index + 1) * 10 * minuteMs),
    )
    const marks = new Map(expected.curve.map(({ at, equity }) => [at, equity.toNumber()]))
    for (const [index, at] of found.equity.at.entries())
      expect(found.equity.value[index]).toBeCloseTo(marks.get(at) ?? 0, 6)
  })

  test('need no marks without a position', () => {
    const none = holdingsOf(start, [new Decimal(0)])
    const some = holdingsOf(start.minus(600), [new Decimal('0.01')])
    const measures = new Measures(from, from + 8 * dayMs, none, [60_000e9])
    measures.changed(from + 5 * minuteMs, some, [60_000e9])
    pass(measures, [59_000e9], from + 6 * minuteMs)
    measures.closed(from + 6 * minuteMs, [59_000e9])
    measures.changed(from + 7 * minuteMs, { ...none, cash: atomsOf(start.minus(5)) }, [59_500e9])
    const found = measures.finish(from + 8 * dayMs, [1e9])
    expect(found.equity.at).toHaveLength(1152)
    expect(found).toMatchObject({
      endEquity: '9995',
      maxDrawdown: '10',
      exposure: 2 / (8 * 1440),
      holdingMs: 2 * minuteMs,
    })
    // One day lost 0.05 %, and seven had no change.
    expect(found.sharpe).toBeCloseTo((-1 / Math.sqrt(8)) * Math.sqrt(365), 9)
    expect(found.sortino).toBeCloseTo((-1 / Math.sqrt(8)) * Math.sqrt(365), 9)
  })

  test('count both sides of a hedge as a position, although their sum is zero', () => {
    const none = holdingsOf(start, [new Decimal(0)])
    const hedged = { ...none, longs: [2n * oneUnit], shorts: [2n * oneUnit] }
    const measures = new Measures(from, from + 60 * minuteMs, none, [1e9])
    measures.changed(from + 10 * minuteMs, hedged, [1e9])
    measures.closed(from + 20 * minuteMs, [5e9])
    measures.changed(from + 40 * minuteMs, none, [1e9])
    const found = measures.finish(from + 60 * minuteMs, [1e9])
    expect(found).toMatchObject({
      exposure: 0.5,
      holdingMs: 30 * minuteMs,
      maxDrawdown: '0',
      endEquity: '10000',
    })
  })

  test('have no ratio for six days, or without any change', () => {
    const ratiosOf = ({ sharpe, sortino }: ReturnType<typeof measured>) => [sharpe, sortino]
    expect(ratiosOf(measured(storyOf(1, 6)))).toEqual([null, null])
    expect(ratiosOf(measured(storyOf(1, 7)))).toEqual([expect.any(Number), expect.any(Number)])
    const still = measured({ ...storyOf(1, 9), fills: [] })
    expect([...ratiosOf(still), still.holdingMs]).toEqual([null, null, null])
  })
})

test.each([
  [3_600_000, 60_000],
  [7 * dayMs, 10 * minuteMs],
  [365 * dayMs, 360 * minuteMs],
  [10 * 365 * dayMs, 2 * dayMs],
])('a chart of %i ms has periods of %i ms', (span, period) => {
  expect(periodOf(span)).toBe(period)
})
