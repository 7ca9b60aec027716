import { expect, test } from 'vitest'
import {
  accepted,
  cancelsOf,
  Desk,
  fileOf,
  minute,
  submitsOf,
  told,
} from '#test/engine/support/engine-harness.ts'

function grid(capabilities?: 'spec'): Desk {
  const desk = new Desk(
    [fileOf('static-grid')],
    capabilities ? { capabilities: ['bulk', 'history', 'balance'] } : {},
  )
  desk.quote('BTC_USDT', 60_000)
  return desk
}

test('the twelve nearest lines are placed in one chunk, the nearest first, once the price is known', () => {
  const desk = grid()
  const step = desk.candle('BTC_USDT', '1m', 60_000)
  const [submit] = submitsOf(step)
  expect(submit).toMatchObject({
    strategy: 'sgrid',
    stopOnFail: false,
    priority: 'entries',
    dueAt: desk.at + 10_000,
  })
  expect(submit?.orders.map(({ id }) => id).toSorted()).toEqual(
    [1, 2, 3, 4, 5, 6].flatMap((level) => [`sgrid.grid.b${level}.1`, `sgrid.grid.s${level}.1`]).toSorted(),
  )
  expect(
    submit?.orders
      .slice(0, 2)
      .map(({ price }) => price)
      .toSorted(),
  ).toEqual(['59500', '60500'])
  desk.settle(step)
  expect(desk.resting().length).toBe(12)
  expect(desk.wait(1000).commands).toEqual([])
})

test('while a chunk is in flight nothing else is sent', () => {
  const desk = grid()
  desk.candle('BTC_USDT', '1m', 60_000)
  expect(desk.wait(1000).commands).toEqual([])
  expect(desk.quote('BTC_USDT', 60_100).commands).toEqual([])
})

test('when the price moves, near lines are placed and far ones are cancelled', () => {
  const desk = grid()
  desk.settle(desk.candle('BTC_USDT', '1m', 60_000))
  desk.quote('BTC_USDT', 61_200)
  const step = desk.wait(1000)
  expect(cancelsOf(step).toSorted()).toEqual(['sgrid.grid.b5.1', 'sgrid.grid.b6.1'])
  expect(submitsOf(step).flatMap(({ orders }) => orders)).toEqual([])
})

test('at a venue without cancel, far orders stay and near ones are placed', () => {
  const desk = grid('spec')
  desk.settle(desk.candle('BTC_USDT', '1m', 60_000))
  desk.at += 30_000
  desk.quote('BTC_USDT', 61_200)
  const sent = desk.settle(desk.wait(1000))
  expect(sent.map(({ id }) => id)).toEqual(['sgrid.grid.s7.1', 'sgrid.grid.s8.1'])
})

test('out of the range for ten minutes it is frozen, and placed again when the price comes back', () => {
  const desk = grid()
  desk.settle(desk.candle('BTC_USDT', '1m', 60_000))
  for (let round = 0; round < 12; round++) {
    desk.at += minute
    desk.quote('BTC_USDT', 67_000)
    desk.candle('BTC_USDT', '1m', 67_000)
  }
  expect(desk.ladder('sgrid', 'grid').goal).toBe('freeze')
  expect(desk.notes().filter((type) => type === 'alert').length).toBe(1)
  desk.at += minute
  desk.quote('BTC_USDT', 64_900)
  desk.candle('BTC_USDT', '1m', 64_900)
  expect(desk.ladder('sgrid', 'grid').goal).toBe('ensure')
})

test('a fill that a read finds before the answer counts once, without a warning', () => {
  const desk = grid()
  const [submit] = submitsOf(desk.candle('BTC_USDT', '1m', 60_000))
  const [first] = submit?.orders ?? []
  expect(first?.id).toBe('sgrid.grid.b1.1')
  desk.fill('sgrid.grid.b1.1', 0.5)
  desk.tell({ kind: 'answered', chunk: submit?.chunk ?? 0, orders: (submit?.orders ?? []).map(accepted) })
  desk.fill('sgrid.grid.b1.1')
  expect(desk.notes().filter((type) => type === 'fill' || type === 'drift')).toEqual(['fill', 'fill'])
  expect(desk.order('sgrid.grid.b1.1')).toMatchObject({ status: 'ended', filled: first?.amount })
})

test('a late fill of an ended order is offered, too, and once', () => {
  const desk = grid()
  desk.settle(desk.candle('BTC_USDT', '1m', 60_000))
  desk.takenBack('sgrid.grid.b1.1')
  const late = desk.settle(desk.fill('sgrid.grid.b1.1', 0.5))
  const exits = late.filter(({ role }) => role === 'exit')
  const { filled } = desk.order('sgrid.grid.b1.1')
  expect(told(exits)).toEqual([`sgrid.grid.mb1.1 sell ${filled} at 60000`])
  expect(desk.settle(desk.fill('sgrid.grid.b1.1', 0.5))).toEqual([])
})

test('the cost of an entry counts as spent, and the money of its exit does not reduce it', () => {
  const desk = grid()
  desk.settle(desk.candle('BTC_USDT', '1m', 60_000))
  desk.settle(desk.fill('sgrid.grid.b1.1'))
  desk.fill('sgrid.grid.mb1.1')
  expect(desk.order('sgrid.grid.mb1.1').status).toBe('ended')
  // 0.001764 at 59 500.
  expect(desk.engine.state.strategies['sgrid']?.spent.map(({ money }) => money)).toEqual(['104.958'])
})
