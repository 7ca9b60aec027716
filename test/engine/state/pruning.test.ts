import { expect, test } from 'vitest'
import { EngineHarness, fileOf, hour, minute, submitsOf } from '#test/engine/support/engine-harness.ts'

test('a strategy that quotes for hours keeps some hundred orders, and never uses an id twice', () => {
  const harness = new EngineHarness([fileOf('market-making')])
  for (let round = 0; round < 400; round++) {
    harness.at += 4000
    const price = 60_000 + 600 * Math.sin(round / 9)
    harness.settle(harness.quote('BTC_PERP', price))
    harness.settle(harness.wait(10))
  }
  const ids = harness.steps.flatMap(({ step }) =>
    submitsOf(step).flatMap(({ orders }) => orders.map(({ id }) => id)),
  )
  expect(ids.length).toBeGreaterThan(1200)
  expect(new Set(ids).size).toBe(ids.length)
  expect(Object.keys(harness.engine.state.orders).length).toBeLessThan(600)
  harness.at += hour
  harness.tell({ kind: 'operator', act: 'stop', reason: 'enough' })
  harness.wait(minute)
  expect(Object.keys(harness.engine.state.orders).length).toBeLessThan(20)
})
