import { expect, test } from 'vitest'
import { MarketCursor } from '#src/research/backtest/loop/market-cursor.ts'
import { recordedOf } from '#test/exchange/simulation/recorded-fixture.ts'

const minuteMs = 60_000
/** 0.01, in 10^-9. */
const tick = 10_000_000

function courseOf(prices: readonly [number, number, number, number]) {
  const times = [0, 15_000, 45_000, minuteMs - 1]
  const points = prices.map((price, place) => [times[place] ?? 0, price] as const)
  const market = recordedOf(points, 4, 'bars')
  const blocks = market.blocks()
  return {
    course: new MarketCursor({ blocks, kind: 'bars', tick, patienceMs: Infinity }),
    begin: market.beginsAt,
  }
}

test('a price on a line is the nearest tick, with the time of its next change', () => {
  const { course, begin } = courseOf([100, 100.1, 99.9, 100])
  course.pass(begin + 1)
  expect(course.units).toBe(100 * 1e9)
  // Half of a tick is reached after 750 of the 15 000 ms in which it rises by ten.
  expect(course.changesAt).toBe(begin + 750)
  course.pass(begin + 751)
  expect(course.units).toBe(100.01 * 1e9)
  // Half a tick above 99.95 still counts up, after 21 750 of the 30 000 ms in which it falls by twenty.
  expect(course.leavesAt(99.95 * 1e9, 100.2 * 1e9)).toBe(begin + 15_000 + 21_751)
})

test('only the end of a line can be the best price of it', () => {
  const { course, begin } = courseOf([100, 99.9, 100.1, 100])
  course.pass(begin + 1)
  expect(course.turnsBeyond(99 * 1e9, 100.01 * 1e9)).toBe(begin + 45_000)
  course.pass(begin + 40_001)
  expect(course.turnsBeyond(99 * 1e9, 100.01 * 1e9)).toBe(begin + 45_000)
  course.pass(begin + 45_001)
  // No further change: valid until the last point.
  expect(course.turnsBeyond(99 * 1e9, 100.1 * 1e9)).toBe(begin + minuteMs)
})

test('a price below the first tick counts as one tick, without a change', () => {
  const { course, begin } = courseOf([0.004, 0.004, 0.001, 0.003])
  course.pass(begin + 16_001)
  expect(course.units).toBe(tick)
  expect(course.changesAt).toBe(begin + 45_000)
})
