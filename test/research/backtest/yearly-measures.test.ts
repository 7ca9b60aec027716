import { expect, test } from 'vitest'
import { Measures } from '#src/research/backtest/measures/measures.ts'
import { oneUnit } from '#src/core/money/atoms.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const noon = Date.UTC(2025, 11, 30, 12)

const holdingsOf = (money: number) => ({ cash: BigInt(money) * oneUnit, longs: [0n], shorts: [0n] })

/** The measures of an account without positions, whose money has these values at the ends of its days, in whole units. */
function measuresOf(start: number, ends: readonly number[], more: { from?: number; hours?: number } = {}) {
  const { from = noon, hours = 0 } = more
  const to = from + ends.length * dayMs + hours * hourMs
  const measures = new Measures(from, to, holdingsOf(start), [100e9])
  for (const [day, money] of ends.entries()) {
    // An hour before its end, so that it is known there.
    measures.changed(from + (day + 1) * dayMs - hourMs, holdingsOf(money), [100e9])
    measures.closed(from + (day + 1) * dayMs, [100e9])
  }
  return measures.finish(to, [100e9])
}

test('the yearly return and the Calmar ratio of eight days', () => {
  // 1000 becomes 1040 in 8 days: 1.04 ^ (365 / 8) = 1.04 ^ 45.625. ln 1.04 = 0.0392207132, times 45.625 = 1.7894450385, and
  // e ^ 1.7894450385 = 5.986129. The largest drawdown is from 1060 to 1007: 53 / 1060 = 0.05.
  const found = measuresOf(1000, [1010, 1060, 1020, 1007, 1030, 1050, 1060, 1040])
  expect(found.maxDrawdown).toBe('53')
  expect(found.maxDrawdownShare).toBeCloseTo(0.05, 12)
  expect(found.cagr).toBeCloseTo(4.986129, 5)
  expect(found.calmar).toBeCloseTo(4.986129 / 0.05, 3)
})

test('the yearly return of exactly one year is the return, and that of two years its root', () => {
  // 1000 to 1210 in 730 days: 1.21 ^ (365 / 730) = 1.1.
  expect(measuresOf(1000, Array(365).fill(1210)).cagr).toBeCloseTo(0.21, 12)
  expect(measuresOf(1000, Array(730).fill(1210)).cagr).toBeCloseTo(0.1, 12)
})

const daysOf = (count: number, hours = 0) =>
  measuresOf(
    1000,
    Array.from({ length: count }, (_, day) => 1001 + (day % 3)),
    { hours },
  )

test('ratios need seven whole days, and are marked as not meaningful below thirty', () => {
  expect(daysOf(6, 23)).toMatchObject({ cagr: null, calmar: null, sharpe: null, ratiosMeaningful: false })
  expect(daysOf(7)).toMatchObject({ cagr: expect.any(Number), calmar: expect.any(Number) })
  expect(daysOf(29, 23).ratiosMeaningful).toBe(false)
  expect(daysOf(30).ratiosMeaningful).toBe(true)
})

test('there is no Calmar ratio without a drawdown, and no yearly return of a debt', () => {
  const rising = measuresOf(1000, [1001, 1002, 1003, 1004, 1005, 1006, 1007])
  expect([rising.cagr, rising.calmar]).toEqual([expect.any(Number), null])
  expect(measuresOf(1000, [900, 800, 700, 600, 500, 100, -1])).toMatchObject({ cagr: null, calmar: null })
  expect(measuresOf(1000, [900, 800, 700, 600, 500, 100, 0]).cagr).toBe(-1)
})

test('the best and the worst day, and when they began', () => {
  // 1000, 1100, 990, 1039.5 (as 1040), 1040: +10 %, -10 %, +5.05 %, 0.
  const found = measuresOf(1000, [1100, 990, 1040, 1040], { hours: 20 })
  expect(found.bestDay).toBeCloseTo(0.1, 12)
  expect(found.worstDay).toBeCloseTo(-0.1, 12)
  expect([found.bestDayAt, found.worstDayAt]).toEqual([noon, noon + dayMs])
  expect(measuresOf(1000, [], { hours: 23 })).toMatchObject({
    bestDay: null,
    bestDayAt: null,
    worstDay: null,
    worstDayAt: null,
  })
})

test('months are those of the calendar in UTC, and the first and the last one may be incomplete', () => {
  // From 30 December, noon. At midnight of 1 January the equity is that of 31 December, noon: 1000 to 1100 is +10 %. January
  // ends with 1210 on 31 January, noon: +10 %. February ends with 1089 on 28 February, noon: -10 %. March has one hour.
  const ends = Array.from({ length: 61 }, (_, day) => (day < 1 ? 1100 : day < 40 ? 1210 : 1089))
  const { months } = measuresOf(1000, ends, { hours: -11 })
  expect(months.map(({ month }) => month)).toEqual(['2025-12', '2026-01', '2026-02', '2026-03'])
  expect(months.map(({ return: gain }) => gain?.toFixed(12))).toEqual([
    '0.100000000000',
    '0.100000000000',
    '-0.100000000000',
    '0.000000000000',
  ])
})

test('a month that ends with the backtest is complete, and none follows it', () => {
  const from = Date.UTC(2026, 1, 27)
  expect(measuresOf(1000, [1010, 1020], { from }).months).toEqual([
    { month: '2026-02', profit: '20', return: 1020 / 1000 - 1 },
  ])
})

test('a month that begins with a debt has no return', () => {
  const from = Date.UTC(2026, 0, 31)
  const { months } = measuresOf(1000, [-5, 10], { from })
  expect(months.map(({ month, return: gain }) => [month, gain])).toEqual([
    ['2026-01', -1.005],
    ['2026-02', null],
  ])
  expect(months.map(({ profit }) => profit)).toEqual(['-1005', '15'])
})

test('the longest drawdown lasts from a highest equity until it is reached again', () => {
  // The equity changes an hour before the end of a day. It is highest from 1 d 23 h to 3 d 23 h (1100 twice), below until
  // 6 d 23 h, where 1100 is reached again: at the last close before the fall, 10 min before 3 d 23 h, it was still 1100.
  const found = measuresOf(1000, [1050, 1100, 1100, 1060, 1099, 1080, 1100, 1090])
  // Eight days have periods of 10 minutes, and closes count: from 3 d 22 h 50 min to 6 d 23 h is 72 h 10 min.
  expect(found.longestDrawdownMs).toBe(72 * hourMs + 10 * 60_000)
})

test('a drawdown at the end lasts to the end, and a rising equity has none', () => {
  // From the last close before 1 d 23 h to the end of day 4: 49 h 00 min and the 10 min of a period (4 days have periods of 3
  // min, so 3 min).
  expect(measuresOf(1000, [1050, 1040, 1045, 1049]).longestDrawdownMs).toBe(49 * hourMs + 3 * 60_000)
  expect(measuresOf(1000, [1001, 1001, 1002]).longestDrawdownMs).toBe(0)
})

test('buying and holding buys each market for an equal part at its first price', () => {
  // 1000 in two markets: 500 at 100 and 500 at 40. At 110 and 30 they are worth 550 and 375: a loss of 75. At 103 and 41.3:
  // 515 and 516.25, a profit of 31.25. With a first price of 3 the last digit is rounded down: 500 / 3 × 4 = 666.666...
  const none = { cash: 1000n * oneUnit, longs: [0n, 0n], shorts: [0n, 0n] }
  const profit = (first: number[], last: number[]) =>
    new Measures(noon, noon + hourMs, none, first).finish(noon + hourMs, last)
  expect(profit([100e9, 40e9], [110e9, 30e9]).buyAndHold).toBe('-75')
  const { buyAndHold, equity } = profit([100e9, 40e9], [103e9, 41.3e9])
  expect(buyAndHold).toBe('31.25')
  expect(equity.hold?.at(-1)).toBeCloseTo(1031.25, 9)
  expect(profit([100e9, 3e9], [100e9, 4e9]).buyAndHold).toBe('166.66666666')
})
