import { expect, test } from 'vitest'
import { askingGrid, Desk, fileOf, submitsOf } from '#test/engine/support/engine-harness.ts'
import { answer, unknown } from '#test/engine/support/unknown-order.ts'

const text = fileOf('market-making')

test('entries are sent before their prices are stale, also if the last fresh price decided them', () => {
  const desk = new Desk([text])
  const { at } = desk
  const [first] = submitsOf(desk.quote('BTC_USDT', 60_000))
  // Its feed has `stale_after: 3s`.
  expect(first).toMatchObject({ priority: 'entries', dueAt: at + 10_000, sendBy: at + 3001 })
  desk.tell({
    kind: 'answered',
    chunk: first?.chunk ?? 0,
    orders: (first?.orders ?? []).map(() => ({ kind: 'not-sent', cause: 'late', reason: 'too late' })),
  })
  const [again] = submitsOf(desk.wait(2500))
  expect(again).toMatchObject({ dueAt: at + 12_500, sendBy: at + 3001 })
})

test('an order is only sent again before its prices are stale', () => {
  const desk = new Desk([text])
  const step = desk.quote('BTC_USDT', 60_000)
  const [again] = submitsOf(answer(desk, step, unknown))
  expect(again).toMatchObject({ stopOnFail: false, sendBy: desk.at + 3001 })
})

test('prices that stay fresh longer than the request set no deadline, and exits are sent at any age', () => {
  const { desk, step } = askingGrid()
  expect(submitsOf(step)).toMatchObject([{ dueAt: desk.at + 10_000 }])
  expect(submitsOf(step)[0]).not.toHaveProperty('sendBy')
  desk.settle(step)
  desk.quote('BTC_USDT', 60_000)
  const exit = submitsOf(desk.fill('sgrid.grid.b1.1')).find(({ priority }) => priority === 'exits')
  expect(exit?.orders.length).toBeGreaterThan(0)
  expect(exit).not.toHaveProperty('sendBy')
})
