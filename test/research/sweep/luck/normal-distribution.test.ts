import { expect, test } from 'vitest'
import { normalBelow, normalQuantile } from '#src/research/sweep/luck/normal-distribution.ts'

// From scipy.stats.norm.
test.for([
  [0, 0.5],
  [1, 0.8413447460685429],
  [-1, 0.15865525393145707],
  [2.9999, 0.998649658717045],
  [-3.0001, 0.001349454913260717],
  [-5, 2.866515718791939e-7],
  [-10, 7.619853024160527e-24],
  [-37, 5.725571222524577e-300],
] as const)('the share below %d is %d', ([x, share]) => {
  expect(Math.abs(normalBelow(x) / share - 1)).toBeLessThan(1e-12)
})

test.for([1e-300, 1e-24, 1e-10, 0.001, 0.025, 0.3, 0.5, 0.7, 0.975, 1 - 1e-9])(
  'the quantile of %d has this share below it',
  (share) => {
    expect(Math.abs(normalBelow(normalQuantile(share)) / share - 1)).toBeLessThan(1e-12)
  },
)

test('the quantiles are those of the tables, also at the ends', () => {
  expect(normalQuantile(0.975)).toBeCloseTo(1.959963984540054, 12)
  expect(normalQuantile(1e-10)).toBeCloseTo(-6.361340902404056, 10)
  expect([normalQuantile(0), normalQuantile(1)]).toEqual([-Infinity, Infinity])
  expect([normalQuantile(-0.1), normalQuantile(1.1), normalBelow(Number.NaN)]).toEqual([
    Number.NaN,
    Number.NaN,
    Number.NaN,
  ])
})
