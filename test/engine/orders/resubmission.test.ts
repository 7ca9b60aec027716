import { expect, test } from 'vitest'
import type { Step } from '#src/engine/step-context.ts'
import { EngineHarness, fileOf, submitsOf } from '#test/engine/support/engine-harness.ts'
import { answer, doubtful, looksOf, nothing, unknown } from '#test/engine/support/unknown-order.ts'

const pricesOf = (step: Step) => submitsOf(step).map(({ orders }) => orders.map(({ price }) => price))

test('of orders that are sent again, one that a limit blocks blocks no other', () => {
  const text = fileOf('static-grid').replace('\nrisk:\n', '\nrisk:\n  price_band: 2%\n')
  const harness = new EngineHarness([text], { clientIds: 'forever' })
  harness.quote('BTC_USDT', 60_000)
  const first = harness.candle('BTC_USDT', '1m', 60_000)
  const again = answer(harness, answer(harness, first, unknown), unknown)
  expect([first, again].map(pricesOf)).toEqual([[['59500', '60500', '59000', '61000']], []])
  // The price is now more than two per cent away from 59000 alone.
  harness.quote('BTC_USDT', 60_700)
  expect(pricesOf(harness.wait(2000))).toEqual([['59500', '60500', '61000']])
})

test('an order is sent again some times with growing pauses, and then searched for', () => {
  const { harness, step } = doubtful({ clientIds: 'forever' })
  const sent = [harness.at]
  const looked: number[] = []
  let last = step
  const since = harness.at
  for (let second = 0; second < 100; second++) {
    while (submitsOf(last).length > 0) last = answer(harness, last, unknown)
    if (looksOf(last).length > 0) {
      looked.push(harness.at - since)
      const [ids] = looksOf(last).map((command) => (command.kind === 'look' ? command.ids : []))
      harness.tell({ kind: 'evidence', ids: ids ?? [], fencedAt: harness.at, ...nothing })
    }
    last = harness.wait(1000)
    if (submitsOf(last).length > 0) sent.push(harness.at - since)
  }
  expect(sent.slice(1)).toEqual([2000, 6000])
  expect(looked).toEqual([14_000, 30_000, 62_000])
})

test('an order that is no longer wanted is not sent again, but searched for', () => {
  const { harness, step } = doubtful({ clientIds: 'forever' })
  for (const rung of harness.ladder('sgrid', 'grid').rungs) rung.price = `${Number(rung.price) - 1}`
  answer(harness, step, unknown)
  const last = harness.wait(2000)
  expect([submitsOf(last).length, looksOf(last).length]).toEqual([0, 1])
})
