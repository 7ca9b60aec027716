import { expect, test } from 'vitest'
import { chanceOf } from '#test/research/backtest/market/generated-market.ts'
import {
  effectiveTrials,
  expectedMaximum,
  momentsOf,
  probabilisticSharpe,
  sharpeOf,
} from '#src/research/sweep/luck/deflated-sharpe.ts'

// The example of Bailey and López de Prado, "The Deflated Sharpe Ratio" (2014): five years of 250 days, a yearly ratio of 2.5.
const days = 250
const yearly = 2.5
const example = {
  count: 5 * days,
  mean: yearly / Math.sqrt(days),
  variance: 1,
  skew: -3,
  kurtosis: 10,
}

test.for([
  [100, 0.1132, 0.9004],
  [46, 0.1004, 0.9505],
] as const)(
  'the deflated Sharpe ratio is the published one for %d trials',
  ([trials, expected, deflated]) => {
    const maximum = expectedMaximum(trials, 0.5 / days)
    expect(maximum).toBeCloseTo(expected, 4)
    expect(probabilisticSharpe(example, maximum)).toBeCloseTo(deflated, 4)
  },
)

test('the moments are those of hand', () => {
  expect(momentsOf([1, 2, 3, 6])).toEqual({
    count: 4,
    mean: 3,
    variance: 14 / 3,
    skew: 18 / 4 / Math.sqrt(3.5) ** 3,
    kurtosis: 98 / 4 / Math.sqrt(3.5) ** 4,
  })
  expect(sharpeOf(momentsOf([0, 0, 0]))).toBe(0)
  expect(sharpeOf(momentsOf([1, 2, 3]))).toBe(2)
})

test('more trials, and trials that differ more, need a larger ratio; a single one needs none', () => {
  expect(expectedMaximum(1, 1)).toBe(0)
  const ratios = [1.01, 1.5, 2, 5, 50, 5000].map((trials) => expectedMaximum(trials, 1))
  expect(ratios).toEqual(ratios.toSorted((a, b) => a - b))
  expect(ratios.every((ratio) => ratio >= 0)).toBe(true)
  expect(expectedMaximum(50, 4)).toBeCloseTo(2 * expectedMaximum(50, 1))
})

test('equal trials count as one, and independent ones count all', () => {
  const chance = chanceOf(3)
  const series = () => Array.from({ length: 2000 }, () => chance() - 0.5)
  const one = series()
  expect(effectiveTrials([one, one, one.map((value) => 2 * value + 1)])).toBeCloseTo(1)
  const many = Array.from({ length: 12 }, series)
  expect(effectiveTrials(many)).toBeGreaterThan(11)
  // A common part with the same variance as the own part: a correlation of a half.
  const half = many.map((own) => own.map((value, place) => value + (one[place] ?? 0)))
  expect(effectiveTrials(half)).toBeCloseTo(0.5 + 0.5 * 12, 0)
  // Trials that did nothing, or the opposite of another one.
  expect(effectiveTrials([one, one.map(() => 0)])).toBe(1)
  expect(effectiveTrials([one, one.map((value) => -value)])).toBe(2)
  expect(effectiveTrials([])).toBe(1)
})
