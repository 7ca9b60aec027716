import { expect, test } from 'vitest'
import { askingGrid, EngineHarness, fileOf, submitsOf } from '#test/engine/support/engine-harness.ts'
import { answer, unknown } from '#test/engine/support/unknown-order.ts'

const text = fileOf('market-making')

test('entries are sent before their prices are stale, also if the last fresh price decided them', () => {
  const harness = new EngineHarness([text])
  const { at } = harness
  const [first] = submitsOf(harness.quote('BTC_PERP', 60_000))
  // Its feed has `stale_after: 3s`.
  expect(first).toMatchObject({ priority: 'entries', dueAt: at + 10_000, sendBy: at + 3001 })
  harness.tell({
    kind: 'answered',
    chunk: first?.chunk ?? 0,
    orders: (first?.orders ?? []).map(() => ({ kind: 'not-sent', cause: 'late', reason: 'too late' })),
  })
  const [again] = submitsOf(harness.wait(2500))
  expect(again).toMatchObject({ dueAt: at + 12_500, sendBy: at + 3001 })
})

test('an order is only sent again before its prices are stale', () => {
  const harness = new EngineHarness([text])
  const step = harness.quote('BTC_PERP', 60_000)
  const [again] = submitsOf(answer(harness, step, unknown))
  expect(again).toMatchObject({ stopOnFail: false, sendBy: harness.at + 3001 })
})

test('prices that stay fresh longer than the request set no deadline, and exits are sent at any age', () => {
  const { harness, step } = askingGrid()
  expect(submitsOf(step)).toMatchObject([{ dueAt: harness.at + 10_000 }])
  expect(submitsOf(step)[0]).not.toHaveProperty('sendBy')
  harness.settle(step)
  harness.quote('BTC_USDT', 60_000)
  const exit = submitsOf(harness.fill('sgrid.grid.b1.1')).find(({ priority }) => priority === 'exits')
  expect(exit?.orders.length).toBeGreaterThan(0)
  expect(exit).not.toHaveProperty('sendBy')
})
