import { expect, test } from 'vitest'
import {
  accepted,
  cancelsOf,
  EngineHarness,
  fileOf,
  minute,
  submitsOf,
  told,
} from '#test/engine/support/engine-harness.ts'

function grid(capabilities?: 'spec'): EngineHarness {
  const harness = new EngineHarness(
    [fileOf('static-grid')],
    capabilities ? { capabilities: ['bulk', 'history', 'balance'] } : {},
  )
  harness.quote('BTC_USDT', 60_000)
  return harness
}

test('the twelve nearest lines are placed in one chunk, the nearest first, once the price is known', () => {
  const harness = grid()
  const step = harness.candle('BTC_USDT', '1m', 60_000)
  const [submit] = submitsOf(step)
  expect(submit).toMatchObject({
    strategy: 'sgrid',
    stopOnFail: false,
    priority: 'entries',
    dueAt: harness.at + 10_000,
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
  harness.settle(step)
  expect(harness.resting().length).toBe(12)
  expect(harness.wait(1000).commands).toEqual([])
})

test('while a chunk is in flight nothing else is sent', () => {
  const harness = grid()
  harness.candle('BTC_USDT', '1m', 60_000)
  expect(harness.wait(1000).commands).toEqual([])
  expect(harness.quote('BTC_USDT', 60_100).commands).toEqual([])
})

test('when the price moves, near lines are placed and far ones are cancelled', () => {
  const harness = grid()
  harness.settle(harness.candle('BTC_USDT', '1m', 60_000))
  harness.quote('BTC_USDT', 61_200)
  const step = harness.wait(1000)
  expect(cancelsOf(step).toSorted()).toEqual(['sgrid.grid.b5.1', 'sgrid.grid.b6.1'])
  expect(submitsOf(step).flatMap(({ orders }) => orders)).toEqual([])
})

test('at a venue without cancel, far orders stay and near ones are placed', () => {
  const harness = grid('spec')
  harness.settle(harness.candle('BTC_USDT', '1m', 60_000))
  harness.at += 30_000
  harness.quote('BTC_USDT', 61_200)
  const sent = harness.settle(harness.wait(1000))
  expect(sent.map(({ id }) => id)).toEqual(['sgrid.grid.s7.1', 'sgrid.grid.s8.1'])
})

test('out of the range for ten minutes it is frozen, and placed again when the price comes back', () => {
  const harness = grid()
  harness.settle(harness.candle('BTC_USDT', '1m', 60_000))
  for (let round = 0; round < 12; round++) {
    harness.at += minute
    harness.quote('BTC_USDT', 67_000)
    harness.candle('BTC_USDT', '1m', 67_000)
  }
  expect(harness.ladder('sgrid', 'grid').goal).toBe('freeze')
  expect(harness.notes().filter((type) => type === 'alert').length).toBe(1)
  harness.at += minute
  harness.quote('BTC_USDT', 64_900)
  harness.candle('BTC_USDT', '1m', 64_900)
  expect(harness.ladder('sgrid', 'grid').goal).toBe('ensure')
})

test('a fill that a read finds before the answer counts once, without a warning', () => {
  const harness = grid()
  const [submit] = submitsOf(harness.candle('BTC_USDT', '1m', 60_000))
  const [first] = submit?.orders ?? []
  expect(first?.id).toBe('sgrid.grid.b1.1')
  harness.fill('sgrid.grid.b1.1', 0.5)
  harness.tell({ kind: 'answered', chunk: submit?.chunk ?? 0, orders: (submit?.orders ?? []).map(accepted) })
  harness.fill('sgrid.grid.b1.1')
  expect(harness.notes().filter((type) => type === 'fill' || type === 'drift')).toEqual(['fill', 'fill'])
  expect(harness.order('sgrid.grid.b1.1')).toMatchObject({ status: 'ended', filled: first?.amount })
})

test('a late fill of an ended order is offered, too, and once', () => {
  const harness = grid()
  harness.settle(harness.candle('BTC_USDT', '1m', 60_000))
  harness.takenBack('sgrid.grid.b1.1')
  const late = harness.settle(harness.fill('sgrid.grid.b1.1', 0.5))
  const exits = late.filter(({ role }) => role === 'exit')
  const { filled } = harness.order('sgrid.grid.b1.1')
  expect(told(exits)).toEqual([`sgrid.grid.mb1.1 sell ${filled} at 60000`])
  expect(harness.settle(harness.fill('sgrid.grid.b1.1', 0.5))).toEqual([])
})

test('the cost of an entry counts as spent, and the money of its exit does not reduce it', () => {
  const harness = grid()
  harness.settle(harness.candle('BTC_USDT', '1m', 60_000))
  harness.settle(harness.fill('sgrid.grid.b1.1'))
  harness.fill('sgrid.grid.mb1.1')
  expect(harness.order('sgrid.grid.mb1.1').status).toBe('ended')
  // 0.001764 at 59 500.
  expect(harness.engine.state.strategies['sgrid']?.spent.map(({ money }) => money)).toEqual(['104.958'])
})
