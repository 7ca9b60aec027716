import { isDeepStrictEqual } from 'node:util'
import { describe, expect, test } from 'vitest'
import type { BacktestInput } from '#src/backtest/result.ts'
import { times } from '#test/properties/runs.ts'
import { actingInput, actors } from './acting.ts'
import { everywhere, played } from './watching.ts'

/** By number; each of them would find what the bounds of a leap have forgotten. */
const markets = Array.from({ length: times(1, 6) }, (_, index) => 2 + index)

describe.each(actors)('%s', (name) => {
  test.each(markets)(
    'does nothing else when somebody looks at every point and every second, in market %d',
    (seed) => expectSame(() => actingInput(name, seed)),
  )
})

test.each([2, 3, 4])(
  'closes between the prices that rules ask for are left out, and none that reaches one, in market %d',
  (seed) =>
    expectSame(() => {
      const { strategies, ...input } = actingInput('01-static-grid.yaml', seed)
      const changed = strategies.map(({ path, text }) => ({
        path,
        text: text
          .replace('between(price, 55000, 65000)', 'between(price, 59900, 60500) || price > 61000')
          .replace('price < 54000 || price > 66000', 'price < 59900 || 60500 < price')
          .replace('for: 10m', 'for: 3m')
          .replace('once: episode', 'cooldown: 5m'),
      }))
      return { ...input, strategies: changed }
    }),
)

async function expectSame(input: () => BacktestInput): Promise<void> {
  const leaping = await played(input())
  const watching = await played(input(), everywhere)
  expect(leaping.result.summary.fills).toBeGreaterThan(0)
  // The first that differs says more than all of them.
  const other = watching.sent.findIndex((each, index) => !isDeepStrictEqual(each, leaping.sent[index]))
  expect(watching.sent[other]).toEqual(leaping.sent[other])
  expect(watching.sent).toHaveLength(leaping.sent.length)
  expect(watching.result).toEqual(leaping.result)
}
