import { expect, test } from 'vitest'
import { Desk, fileOf, hour, minute, submitsOf } from '#test/engine/support/engine-harness.ts'

test('a strategy that quotes for hours keeps some hundred orders, and never uses an id twice', () => {
  const desk = new Desk([fileOf('market-making')])
  for (let round = 0; round < 400; round++) {
    desk.at += 4000
    const price = 60_000 + 600 * Math.sin(round / 9)
    desk.settle(desk.quote('BTC_USDT', price))
    desk.settle(desk.wait(10))
  }
  const ids = desk.steps.flatMap(({ step }) =>
    submitsOf(step).flatMap(({ orders }) => orders.map(({ id }) => id)),
  )
  expect(ids.length).toBeGreaterThan(1200)
  expect(new Set(ids).size).toBe(ids.length)
  expect(Object.keys(desk.engine.state.orders).length).toBeLessThan(600)
  desk.at += hour
  desk.tell({ kind: 'operator', act: 'stop', reason: 'enough' })
  desk.wait(minute)
  expect(Object.keys(desk.engine.state.orders).length).toBeLessThan(20)
})
