import { expect, test } from 'vitest'
import type { OrderAnswer } from '#src/engine/events.ts'
import {
  accepted,
  askingGrid,
  EngineHarness,
  fileOf,
  minute,
  refusal,
  submitsOf,
  venue,
} from '#test/engine/support/engine-harness.ts'

const text = fileOf('static-grid')

const poor = refusal(10, 'Not enough balance.')
const noRoom = (): OrderAnswer => ({ kind: 'not-sent', cause: 'queue-full', reason: 'no room' })

function sentTo(harness: EngineHarness, level: string): number {
  return harness.steps
    .flatMap(({ step }) => submitsOf(step).flatMap(({ orders }) => orders))
    .filter((order) => order.level === level).length
}

test('without room at the venue each wait is longer, and in the end an alert is raised', () => {
  const { harness, step } = askingGrid()
  let last = step
  const pauses: number[] = []
  for (let round = 0; round < 7; round++) {
    const [submit] = submitsOf(last)
    if (!submit) throw new Error('nothing was sent')
    const { chunk, orders } = submit
    harness.tell({
      kind: 'answered',
      chunk,
      orders: orders.map(noRoom),
    })
    const since = harness.at
    do {
      harness.quote('BTC_USDT', 60_000)
      last = harness.wait(50)
    } while (submitsOf(last).length === 0)
    pauses.push(harness.at - since)
  }
  expect(pauses).toEqual([250, 500, 1000, 2000, 4000, 8000, 8000])
  expect(harness.notes().filter((type) => type === 'alert').length).toBe(1)
  harness.settle(last)
  expect(harness.resting().length).toBe(12)
  expect(harness.engine.state.strategies['sgrid']?.throttled.count).toBe(0)
})

test('orders without an answer have an unknown outcome; an answer to no request changes nothing', () => {
  const { harness, step } = askingGrid({ clientIds: 'unproven' })
  const [submit] = submitsOf(step)
  if (!submit) throw new Error('nothing was sent')
  const answers = submit.orders.slice(0, 5).map(accepted)
  harness.tell({ kind: 'answered', chunk: submit.chunk, orders: answers })
  const states = submit.orders.map(({ id }) => harness.order(id).status)
  expect(states).toEqual([...answers.map(() => 'resting'), ...submit.orders.slice(5).map(() => 'doubtful')])
  const before = JSON.stringify(harness.engine.state.orders)
  harness.tell({ kind: 'answered', chunk: submit.chunk, orders: submit.orders.map(() => poor) })
  harness.tell({ kind: 'answered', chunk: 999, orders: [] })
  expect(JSON.stringify(harness.engine.state.orders)).toBe(before)
})

test('an order that was not attempted or not sent has ended, and the log says why', () => {
  const { harness, step } = askingGrid()
  const [submit] = submitsOf(step)
  const said: OrderAnswer[] = [
    { kind: 'not-attempted' },
    { kind: 'not-sent', cause: 'unreachable', reason: 'nothing listens' },
  ]
  const { notes } = harness.tell({ kind: 'answered', chunk: submit?.chunk ?? 0, orders: said })
  const [one = '', other = ''] = submit?.orders.map(({ id }) => id) ?? []
  expect(notes).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ type: 'order-not-attempted', order: one, strategy: 'sgrid', ladder: 'grid' }),
      expect.objectContaining({ type: 'order-not-sent', order: other, reason: 'nothing listens' }),
    ]),
  )
  expect(harness.order(one)).toMatchObject({ status: 'ended', why: 'the venue stopped before this order' })
  expect(harness.order(other)).toMatchObject({ status: 'ended', why: 'not sent: nothing listens' })
  // Only exits wait for themselves.
  expect(harness.ladder('sgrid', 'grid').exitWaits).toEqual({})
})

test('a repeated report of a fill counts once, and an older one is reported as drift', () => {
  const { harness, step } = askingGrid()
  harness.settle(step)
  for (let time = 0; time < 3; time++) harness.settle(harness.fill('sgrid.grid.b1.1', 0.5))
  expect(harness.engine.state.strategies['sgrid']?.holdings['btc']?.position).toBe('0.000882')
  harness.settle(harness.fill('sgrid.grid.b1.1', 0.25))
  expect(harness.engine.state.strategies['sgrid']?.holdings['btc']?.position).toBe('0.000882')
  expect(harness.notes().filter((type) => type === 'drift').length).toBe(1)
})

test('an order that is gone when it is cancelled is searched for, and a refused cancel is retried', () => {
  const { harness, step } = askingGrid({ clientIds: 'until-ended' })
  harness.settle(step)
  harness.quote('BTC_USDT', 61_200)
  const first = harness.wait(1000)
  expect(first.commands.map(({ kind }) => kind)).toEqual(['cancel'])
  const gone = harness.withdrawn(['sgrid.grid.b5.1'], 'gone')
  expect(gone.commands).toMatchObject([{ kind: 'look', ids: ['sgrid.grid.b5.1'] }])
  harness.withdrawn(['sgrid.grid.b6.1'], 'refused', 'not now')
  expect(harness.wait(1000).commands).toEqual([])
  harness.quote('BTC_USDT', 61_200)
  expect(harness.wait(5000).commands).toMatchObject([{ kind: 'cancel', orders: [{ id: 'sgrid.grid.b6.1' }] }])
})

test('an order with a cancel request is reported as cancelled by us, whichever report comes first', () => {
  const { harness, step } = askingGrid()
  harness.settle(step)
  harness.quote('BTC_USDT', 61_200)
  const [cancel] = harness.wait(1000).commands
  if (cancel?.kind !== 'cancel') throw new Error('nothing was asked back')
  const [{ id } = { id: '' }] = cancel.orders
  const gone = (order: string) => {
    const venueId = harness.order(order).venueId ?? ''
    const none = { filled: '0', money: '0', fee: '0', ended: true }
    const { notes } = harness.tell({ kind: 'seen', orders: [{ id: order, venueId, ...none }] })
    return notes.filter((note) => 'order' in note && note.order === order)
  }
  expect(gone(id)).toMatchObject([{ type: 'order-canceled', order: id, reason: 'cancelled' }])
  const other = 'sgrid.grid.b1.1'
  expect(gone(other)).toMatchObject([{ type: 'order-ended', order: other, reason: 'ended by the venue' }])
})

test('a refused exit is retried later, and delays no other exit', () => {
  const harness = new EngineHarness([fileOf('mean-reversion')])
  harness.past(
    'SOL_USDT',
    '1d',
    Array.from({ length: 220 }, (_, index) => 120 + index / 7),
  )
  harness.quote('SOL_USDT', 144, 0.02)
  const closes = Array.from({ length: 40 }, (_, index) => 150 - index / 80)
  harness.settle(harness.past('SOL_USDT', '15m', [...closes, 144]))
  harness.settle(harness.fill('mrev.fade.1.1'))
  harness.at += 1000
  const out = harness.settle(harness.quote('SOL_USDT', 146.1, 0.02), () => poor)
  expect(out.map(({ id }) => id)).toEqual(['mrev.fade.t1.1'])
  expect(submitsOf(harness.quote('SOL_USDT', 146.2, 0.02))).toEqual([])
  const stopped = harness.settle(harness.quote('SOL_USDT', 135, 0.02))
  expect(stopped.map(({ level }) => level)).toEqual(['st'])
})

const afterRestart =
  'after a restart what was on its way is in doubt, and strategies that are not run place nothing'
test.each(['until-ended', 'forever'] as const)(`${afterRestart}: ids %s`, (clientIds) => {
  const { harness, step } = askingGrid({ clientIds })
  const [submit] = submitsOf(step)
  const began = harness.tell({ kind: 'began', venue: { ...venue, clientIds }, strategies: [] })
  expect(submit?.orders.map(({ id }) => harness.order(id).status)).toEqual(
    submit?.orders.map(() => 'doubtful'),
  )
  expect(began.commands.map(({ kind }) => kind)).toEqual(['look'])
  harness.at += minute
  harness.quote('BTC_USDT', 60_000)
  harness.candle('BTC_USDT', '1m', 60_000)
  expect(submitsOf(harness.wait(1000))).toEqual([])
  expect(harness.ladder('sgrid', 'grid').generations).toMatchObject({ b1: 1, s1: 1 })
})

test('during the shutdown nothing is sent until another process has begun', () => {
  const { harness, step } = askingGrid()
  harness.settle(step)
  harness.tell({ kind: 'ending' })
  harness.quote('BTC_USDT', 61_200)
  expect(harness.wait(1000).commands).toEqual([])
  expect(harness.fill('sgrid.grid.b1.1').commands).toEqual([])
  const began = harness.tell({ kind: 'began', venue, strategies: [{ name: 'sgrid', text }] })
  expect(submitsOf(began).flatMap(({ orders }) => orders.map(({ id }) => id))).toContain('sgrid.grid.mb1.1')
})

test('an exit that a limit blocks is reported once, and is sent when the limit allows it', () => {
  const harness = new EngineHarness([text])
  harness.quote('BTC_USDT', 60_000)
  harness.settle(harness.candle('BTC_USDT', '1m', 60_000))
  const allow = (orders: number) =>
    harness.tell({
      kind: 'reloaded',
      name: 'sgrid',
      text: text.replace('max_open_orders: 24', `max_open_orders: ${orders}`),
    })
  allow(11)
  harness.settle(harness.fill('sgrid.grid.b1.1'))
  const sent = Array.from({ length: 5 }, (_, round) => {
    if (round === 3) allow(24)
    harness.at += 10_000
    harness.quote('BTC_USDT', 60_000)
    harness.settle(harness.wait(0))
    return sentTo(harness, 'mb1')
  })
  expect(sent.join(' ')).toBe('0 0 0 1 1')
  const told = harness.steps.flatMap(({ step }) => step.notes)
  expect(told.filter((note) => note.type === 'risk-blocked' && note.rung === 'mb1').length).toBe(1)
})

test('exits do not wait for requests of entries, and entries wait for those of exits', () => {
  const limited = text
    .replace('max_open_orders: 24', 'max_open_orders: 24\n  order_rate: { orders: 12, per: 1h }')
    .replace('requests: 8, per: 1s', 'requests: 1, per: 10m')
  const harness = new EngineHarness([limited])
  harness.quote('BTC_USDT', 60_000)
  harness.settle(harness.candle('BTC_USDT', '1m', 60_000))
  expect(harness.resting().length).toBe(12)
  harness.settle(harness.fill('sgrid.grid.b1.1'))
  expect(sentTo(harness, 'mb1')).toBe(1)
  // Of the requests, exits have as many to themselves, and no more.
  harness.settle(harness.fill('sgrid.grid.b2.1'))
  expect(sentTo(harness, 'mb2')).toBe(0)
  harness.at += 10 * minute
  harness.quote('BTC_USDT', 60_000)
  harness.settle(harness.wait(0))
  expect(sentTo(harness, 'mb2')).toBe(1)
  // Its level is free again; what was sent before the hour is over includes two exits.
  harness.settle(harness.fill('sgrid.grid.mb1.1'))
  const sent = Array.from({ length: 9 }, () => {
    harness.at += 10 * minute
    harness.quote('BTC_USDT', 60_000)
    harness.candle('BTC_USDT', '1m', 60_000)
    harness.settle(harness.wait(0))
    return sentTo(harness, 'b1')
  })
  expect(sent.join(' ')).toBe('1 1 1 1 2 2 2 2 2')
})

test('a request counts for the rate limit from its answer on: it may have waited in the queue until then', () => {
  const limited = text
    .replace('requests: 8, per: 1s', 'requests: 1, per: 10s')
    .replace('chunk: 12', 'chunk: 4')
  const harness = new EngineHarness([limited])
  harness.quote('BTC_USDT', 60_000)
  const first = harness.candle('BTC_USDT', '1m', 60_000)
  harness.wait(9000)
  harness.settle(first)
  const sentAfter = (ms: number) => {
    harness.quote('BTC_USDT', 60_000)
    return submitsOf(harness.wait(ms)).length
  }
  expect(sentAfter(9000)).toBe(0)
  expect(sentAfter(1000)).toBe(1)
})

test('an exit waits only for its own not-sent answers, and never for longer than a minute', () => {
  const patient = text.replace('250ms..8s', '1h..2h')
  const harness = new EngineHarness([patient])
  harness.quote('BTC_USDT', 60_000)
  harness.settle(harness.candle('BTC_USDT', '1m', 60_000), (order) =>
    order.side === 'buy' ? accepted(order) : noRoom(),
  )
  harness.settle(harness.fill('sgrid.grid.b1.1'), noRoom)
  expect(sentTo(harness, 'mb1')).toBe(1)
  harness.settle(harness.wait(59_000))
  expect([sentTo(harness, 'mb1'), sentTo(harness, 's1')]).toEqual([1, 1])
  // What an exit finds room for is room for entries, too.
  harness.settle(harness.wait(1000))
  expect([sentTo(harness, 'mb1'), sentTo(harness, 's1')]).toEqual([2, 2])
})

test('a strategy with frozen exits sends none, and does not repeat the report', () => {
  const { harness, step } = askingGrid()
  harness.settle(step)
  harness.settle(
    harness.tell({ kind: 'operator', act: 'halt', strategy: 'sgrid', reason: 'by hand', freeze: true }),
  )
  expect(harness.resting()).toEqual([])
  harness.settle(harness.fill('sgrid.grid.b1.1', 0.5))
  for (let round = 0; round < 5; round++) harness.settle(harness.wait(10_000))
  expect(sentTo(harness, 'mb1')).toBe(0)
  expect(harness.notes().filter((type) => type === 'risk-blocked').length).toBe(1)
  harness.quote('BTC_USDT', 60_000)
  harness.settle(harness.tell({ kind: 'operator', act: 'resume', strategy: 'sgrid', reason: 'again' }))
  expect(sentTo(harness, 'mb1')).toBe(1)
})
