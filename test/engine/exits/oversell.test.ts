import { expect, test } from 'vitest'
import { cancelsOf, EngineHarness, fileOf, submitsOf, told } from '#test/engine/support/engine-harness.ts'

test('a price that reaches two targets at once sells what is held once', () => {
  const harness = new EngineHarness([fileOf('mean-reversion').replace('at: basis', 'at: 101')])
  const ladder = harness.ladder('mrev', 'fade')
  Object.assign(ladder, {
    openedAt: harness.at,
    episode: 1,
    filled: ['1'],
    goal: 'ensure',
    laidAt: harness.at,
  })
  Object.assign(ladder.held, { position: '2', cost: '200', entry: '100' })
  harness.quote('SOL_USDT', 100, 0.02)
  harness.wait(0)
  const sent = submitsOf(harness.quote('SOL_USDT', 103, 0.02)).flatMap(({ orders }) => orders)
  expect(told(sent)).toEqual(['mrev.fade.at.1 sell 2 at 101'])
})

test('fills of a resting entry that a stop has sold get no mirror when the entry ends', () => {
  const file = fileOf('static-grid').replace('{ mirror: 1 }', '{ mirror: 1, stop: { pct: 5% } }')
  const harness = new EngineHarness([file])
  harness.quote('BTC_USDT', 60_000)
  harness.settle(harness.candle('BTC_USDT', '1m', 60_000))
  harness.settle(harness.fill('sgrid.grid.b1.1', 0.5))
  harness.at += 1000
  const step = harness.quote('BTC_USDT', 56_000)
  expect(cancelsOf(step)).toEqual(expect.arrayContaining(['sgrid.grid.b1.1', 'sgrid.grid.mb1.1']))
  // Until its mirror is gone, the mirror offers all of it.
  expect(submitsOf(step)).toEqual([])
  const [stop] = submitsOf(harness.takenBack('sgrid.grid.mb1.1'))
  expect(told(stop?.orders ?? [])).toHaveLength(1)
  const [order] = stop?.orders ?? []
  const money = (Number(order?.amount) * 56_000).toFixed(6)
  const filled = { venueId: '9', filled: order?.amount ?? '', money, fee: '0', ended: true }
  harness.tell({ kind: 'answered', chunk: stop?.chunk ?? 0, orders: [{ kind: 'accepted', ...filled }] })
  expect(harness.ladder('sgrid', 'grid').held.position).toBe('0')
  const id = 'sgrid.grid.b1.1'
  const after = harness.takenBack(id)
  expect(submitsOf(after).flatMap(({ orders }) => orders.filter(({ role }) => role === 'exit'))).toEqual([])
  expect(harness.ladder('sgrid', 'grid').exits.mirrors).toEqual({})
})

test('a resting take profit is cancelled when the file no longer wants it to rest', () => {
  const text = fileOf('mean-reversion')
    .replace('at: basis\n', '\n')
    .replace('history, balance]', 'history, balance, cancel]')
  const resting = text.replace('{ pct: 1.5% }', '{ pct: 1.5%, mode: resting }')
  const harness = new EngineHarness([resting])
  const ladder = harness.ladder('mrev', 'fade')
  Object.assign(ladder, {
    openedAt: harness.at,
    episode: 1,
    filled: ['1'],
    goal: 'ensure',
    laidAt: harness.at,
  })
  Object.assign(ladder.held, { position: '2', cost: '200', entry: '100' })
  harness.quote('SOL_USDT', 100, 0.02)
  harness.settle(harness.wait(0))
  expect(harness.resting()).toEqual(['mrev.fade.t1.1'])
  const step = harness.tell({ kind: 'reloaded', name: 'mrev', text })
  expect(cancelsOf(step)).toEqual(['mrev.fade.t1.1'])
  // Until it is gone it may fill: nothing else goes under its name.
  Object.assign(ladder.held, { position: '4', cost: '400' })
  expect(submitsOf(harness.quote('SOL_USDT', 103, 0.02))).toEqual([])
  const sent = submitsOf(harness.takenBack('mrev.fade.t1.1')).flatMap(({ orders }) => orders)
  expect(told(sent)).toEqual(['mrev.fade.t1.2 sell 4 at 101.5'])
})
