import { expect, test } from 'vitest'
import type { BacktestFill, BacktestResult } from '#src/research/backtest/result/result.ts'
import { runBacktest } from '#src/research/backtest/run-backtest.ts'
import { matchFill, newPairs, type Pairs } from '#src/engine/holdings/pairs.ts'
import { RoundTrips } from '#src/research/backtest/measures/round-trips.ts'
import { Decimal } from '#src/core/money/decimal.ts'
import { fileOf, inputOf, ladderText, played } from './priced-ladders.ts'

const measuresOf = ({ summary: { roundTrips, winRate, profitFactor, expectancy } }: BacktestResult) => ({
  roundTrips,
  winRate,
  profitFactor,
  expectancy,
})

test('each buy and the sell of its mirror is a round trip, after the fees of both', async () => {
  // Twice 0.01 for 594 and back for 600: 6 - 0.594 - 0.6 = 4.806. The third buy is open and in no round trip.
  const result = await played(
    { exit: 'exit: { mirror: 1 }' },
    [60_000, 59_000, 60_500, 59_000, 60_500, 59_000],
  )
  expect(measuresOf(result)).toEqual({ roundTrips: 2, winRate: 1, profitFactor: null, expectancy: '4.806' })
})

test('with mirrors, a stop ends the round trip of each rung', async () => {
  const exit = 'exit: { mirror: 1, stop: { pct: 3% } }'
  const result = await played({ exit }, [60_000, 59_000, 58_500, 59_500, 58_500, 57_000, 57_000])
  // Rung 2: bought for 588, mirror for 594: 6 - 0.588 - 0.594 = 4.818. Rung 1: bought for 594, stopped for 570:
  // -24 - 0.594 - 0.57 = -25.164. Rung 2 again: 588 to 570: -18 - 0.588 - 0.57 = -19.158.
  // Profit factor: 4.818 / (25.164 + 19.158) = 4.818 / 44.322. Mean: (4.818 - 44.322) / 3 = -39.504 / 3 = -13.168.
  const { profitFactor, ...rest } = measuresOf(result)
  expect(rest).toEqual({ roundTrips: 3, winRate: 1 / 3, expectancy: '-13.168' })
  expect(profitFactor).toBeCloseTo(4.818 / 44.322, 12)
})

test('a ladder that exits as a whole has one round trip from flat to flat', async () => {
  const result = await played({ exit: 'exit: { stop: { pct: 3% } }' }, [60_000, 59_000, 58_500, 57_000])
  expect(result.fills.slice(0, 3).map(({ side, price, amount }) => [side, price, amount])).toEqual([
    ['buy', '59400', '0.01'],
    ['buy', '58800', '0.01'],
    ['sell', '57000', '0.02'],
  ])
  // Bought for 594 and 588, sold for 1140: -42 - 0.594 - 0.588 - 1.14 = -44.322.
  expect(measuresOf(result)).toEqual({ roundTrips: 1, winRate: 0, profitFactor: 0, expectancy: '-44.322' })
})

test('a short position that is bought back is a round trip, too', async () => {
  const exit = 'exit: { stop: { pct: 3% } }'
  const result = await played({ side: 'sell', money: 1224, exit }, [60_000, 61_000, 61_500, 63_000])
  expect(result.fills.slice(0, 3).map(({ side, price, amount }) => [side, price, amount])).toEqual([
    ['sell', '60600', '0.01'],
    ['sell', '61200', '0.01'],
    ['buy', '63000.1', '0.02'],
  ])
  // Sold for 606 and 612, bought back for 1260.002: -42.002 - 0.606 - 0.612 - 1.260002 = -44.480002.
  expect(measuresOf(result)).toEqual({ roundTrips: 1, winRate: 0, profitFactor: 0, expectancy: '-44.480002' })
})

test('a fill that turns a position ends one round trip and begins the next one', () => {
  const pairs = newPairs()
  const trips = new RoundTrips()
  const fill = (level: string, order: number, amount: string, money: string) => {
    const ended = new Set<Pairs['closed'][string]>()
    const about = { ladder: 'one', level, order, amount, money, fee: '1', by: { entry: 'exits' as const } }
    matchFill(pairs, about, (match) => match.ended && ended.add(match.ended))
    if (ended.size > 0) trips.ended(ended, pairs, amount.startsWith('-') ? 'sell' : 'buy', 'one')
  }
  // 2 and 1 are bought for 200 and 90, and 1 is sold for 110: the position is 2, so nothing has ended.
  fill('b1', 1, '2', '200')
  fill('b2', 1, '1', '90')
  fill('s1', 1, '-1', '-110')
  expect(trips.results(0).roundTrips).toBe(0)
  // 4 sold for 440: 2 of them for 220 close the position, with half of the fee. 110 + 220 - 290 - 3 - 0.5 = 36.5.
  fill('s2', 1, '-4', '-440')
  expect(trips.results(0)).toMatchObject({ roundTrips: 1, winRate: 1, expectancy: '36.5' })
  // The 2 that are short are bought back for 230: 220 - 230 - 0.5 - 1 = -11.5, and (36.5 - 11.5) / 2 = 12.5.
  fill('b1', 2, '2', '230')
  const { profitFactor, ...rest } = trips.results(0)
  expect(rest).toEqual({ roundTrips: 2, winRate: 0.5, expectancy: '12.5' })
  expect(profitFactor).toBeCloseTo(36.5 / 11.5, 12)
})

test('a gain of the price below the fees is a loss', async () => {
  const exit = 'exit: { tp: { pct: 0.1%, mode: resting } }'
  const result = await played({ exit }, [60_000, 59_000, 60_500])
  // Bought for 594, sold 0.1 % higher for 594.594: 0.594 - 0.594 - 0.594594 = -0.594594.
  expect(measuresOf(result)).toEqual({ roundTrips: 1, winRate: 0, profitFactor: 0, expectancy: '-0.594594' })
})

test('a position that fills in parts is one round trip', async () => {
  const exit = 'exit: { tp: { pct: 1%, mode: resting } }'
  const result = await played({ exit }, [60_000, 59_000, 59_000, 60_500, 60_500], { amount: 0.0011 })
  expect(result.fills.length).toBeGreaterThan(10)
  // 594 to 599.94, as in a single fill: 5.94 - 0.594 - 0.59994 = 4.74606.
  expect(measuresOf(result)).toEqual({ roundTrips: 1, winRate: 1, profitFactor: null, expectancy: '4.74606' })
})

test('without exits, a sell of one ladder ends the round trip of a rung of another one', async () => {
  const ladders = [ladderText({}, 'bids'), ladderText({ side: 'sell', money: 1212 }, 'asks')]
  const result = await runBacktest(inputOf(fileOf(ladders, ['bids', 'asks']), [60_000, 59_000, 61_000]))
  // Bought at 59400, sold at 60600: 12 - 0.594 - 0.606 = 10.8.
  expect(measuresOf(result)).toEqual({ roundTrips: 1, winRate: 1, profitFactor: null, expectancy: '10.8' })
})

test('without a closed amount there is no round trip and no mean', async () => {
  const result = await played({ exit: 'exit: { mirror: 1 }' }, [60_000, 59_000])
  expect(result.fills).toHaveLength(1)
  expect(measuresOf(result)).toEqual({ roundTrips: 0, winRate: null, profitFactor: null, expectancy: null })
})

test('the round trips of take profits follow from the fills of the ladder', async () => {
  const exit = 'exit: { tp: { pct: 1%, mode: resting }, stop: { pct: 3% } }'
  const prices = [60_000, 59_000, 60_500, 59_000, 58_500, 60_500, 58_500, 57_000, 57_000, 58_000]
  const result = await played({ exit }, prices)
  const trips = flatToFlat(result.fills)
  expect(trips.length).toBeGreaterThan(2)
  const [wins, losses] = [trips.filter((each) => each.gt(0)), trips.filter((each) => each.lte(0))]
  const found = measuresOf(result)
  expect(found.roundTrips).toBe(trips.length)
  expect(found.winRate).toBe(wins.length / trips.length)
  expect(found.profitFactor).toBeCloseTo(sum(wins).div(sum(losses).neg()).toNumber(), 12)
  expect(found.expectancy).toBe(
    sum(trips).div(trips.length).toDecimalPlaces(8, Decimal.ROUND_FLOOR).toFixed(),
  )
})

function sum(values: readonly Decimal[]): Decimal {
  return values.reduce((total, value) => total.plus(value), new Decimal(0))
}

/** The money of the fills from each flat position to the next one, less their fees. */
function flatToFlat(fills: readonly BacktestFill[]): Decimal[] {
  const trips: Decimal[] = []
  let [held, money] = [new Decimal(0), new Decimal(0)]
  for (const { side, amount, price, fee } of fills) {
    const sign = side === 'buy' ? 1 : -1
    held = held.plus(new Decimal(amount).times(sign))
    money = money.minus(new Decimal(amount).times(price).times(sign)).minus(fee)
    if (!held.isZero()) continue
    trips.push(money)
    money = new Decimal(0)
  }
  return trips
}
