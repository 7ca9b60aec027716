import { expect, test } from 'vitest'
import { Engine } from '#src/engine/engine.ts'
import { gridWith } from '#test/strategy/strategy-files.ts'
import {
  cancelsOf,
  Desk,
  fileOf,
  hour,
  minute,
  restingGrid,
  submitsOf,
  told,
  trailingBuys,
} from '#test/engine/support/engine-harness.ts'

const exitsIn = (orders: ReturnType<Desk['settle']>) => told(orders.filter(({ role }) => role === 'exit'))

test('a filled line is sold one line higher, and bought again after that sale', () => {
  const desk = restingGrid()
  const { amount } = desk.order('sgrid.grid.b1.1')
  const first = desk.settle(desk.fill('sgrid.grid.b1.1'))
  expect(exitsIn(first)).toEqual([`sgrid.grid.mb1.1 sell ${amount} at 60000`])
  expect(first.find(({ role }) => role === 'exit')).toMatchObject({ ioc: false, postOnly: true })
  expect(desk.ladder('sgrid', 'grid').filled).toEqual(['b1'])
  const next = desk.settle(desk.fill('sgrid.grid.mb1.1'))
  expect(told(next)).toEqual([`sgrid.grid.b1.2 buy ${amount} at 59500`])
  expect(desk.ladder('sgrid', 'grid').held.position).toBe('0')
  expect(Number(desk.engine.state.strategies['sgrid']?.holdings['btc']?.realized)).toBeCloseTo(
    Number(amount) * 500,
    6,
  )
})

test('exits are sent in their own chunks, before entries, and without stopOnFail', () => {
  const desk = restingGrid()
  const [submit] = submitsOf(desk.fill('sgrid.grid.b1.1'))
  expect(submit).toMatchObject({ priority: 'exits', stopOnFail: false })
})

test('a stop cancels the other rungs, and the ladder places nothing meanwhile', () => {
  const desk = trailingBuys()
  expect(desk.resting().length).toBe(10)
  desk.at += 100
  desk.settle(desk.quote('BTC_PERP', Number(desk.order('tvol.trail.1.1').price), 0.02))
  desk.fill('tvol.trail.1.1')
  const { entry, position } = desk.ladder('tvol', 'trail').held
  const stop = Math.floor(Number(entry) * 94) / 100
  desk.at += 100
  expect(desk.quote('BTC_PERP', stop + 0.02, 0.02).commands).toEqual([])
  desk.at += 100
  const step = desk.quote('BTC_PERP', stop + 0.01, 0.02)
  expect(cancelsOf(step).length).toBe(9)
  const [submit] = submitsOf(step)
  expect(told(submit?.orders ?? [])).toEqual([
    `tvol.trail.st.1 sell ${position} at ${Math.ceil(stop * 99.5) / 100}`,
  ])
  // Half of it finds somebody; the rest goes after the price.
  const half = (Math.round(Number(position) * 5e5) / 1e6).toString()
  const again = desk.tell({
    kind: 'answered',
    chunk: submit?.chunk ?? 0,
    orders: [
      {
        kind: 'accepted',
        venueId: '9',
        filled: half,
        money: (Number(half) * stop).toFixed(6),
        fee: '0',
        ended: true,
      },
    ],
  })
  const [next] = submitsOf(again)
  expect(next?.orders.map(({ id, role }) => `${id} ${role}`)).toEqual(['tvol.trail.st.2 exit'])
})

test('a fall that stops a ladder and halts its strategy cancels each of the other rungs once', () => {
  const text = fileOf('trailing-volatility').replace('pause: 5%, halt: 9%', 'pause: 0.01%, halt: 0.02%')
  const desk = trailingBuys(text)
  desk.at += 100
  desk.settle(desk.quote('BTC_PERP', Number(desk.order('tvol.trail.1.1').price), 0.02))
  desk.fill('tvol.trail.1.1')
  desk.at += 100
  const cancels = cancelsOf(desk.quote('BTC_PERP', 50_000, 0.02))
  expect(desk.engine.state.strategies['tvol']?.halted).toMatch(/drawdown/)
  expect(cancels).toHaveLength(9)
  expect(new Set(cancels).size).toBe(9)
})

test('a trailing exit lets the profit run, and sells when the price turns back', () => {
  const desk = trailingBuys()
  desk.fill('tvol.trail.1.1')
  const { held, unit } = desk.ladder('tvol', 'trail')
  const price = (units: number) => Math.round((Number(held.entry) + Number(unit) * units) * 100) / 100
  const sent = [1.5, 3, 2.7].flatMap((units) => {
    desk.at += 100
    return submitsOf(desk.quote('BTC_PERP', price(units), 0.02)).flatMap(({ orders }) => orders)
  })
  expect(sent.filter(({ role }) => role === 'exit')).toEqual([])
  desk.at += 100
  const out = submitsOf(desk.quote('BTC_PERP', price(2.6), 0.02)).flatMap(({ orders }) => orders)
  expect(out.map(({ id, amount }) => `${id} ${amount}`)).toEqual([`tvol.trail.tr.1 ${held.position}`])
})

test('an exit in flight at the end of the process is not sent again before its outcome is known', () => {
  const desk = restingGrid({ clientIds: 'unproven' })
  desk.fill('sgrid.grid.b1.1')
  expect(desk.order('sgrid.grid.mb1.1').status).toBe('sending')
  const { venue } = desk.engine.state
  desk.at += 1000
  const text = fileOf('static-grid')
  const step = desk.tell({ kind: 'began', venue, strategies: [{ name: 'sgrid', text }] })
  expect(desk.order('sgrid.grid.mb1.1').status).toBe('doubtful')
  const others = submitsOf(step).flatMap(({ orders }) => orders)
  expect(others.filter(({ id }) => id.startsWith('sgrid.grid.mb1') && id !== 'sgrid.grid.mb1.1')).toEqual([])
  const proof = { kind: 'operator', act: 'resolve', as: 'absent', reason: 'looked' } as const
  desk.settle(desk.tell({ ...proof, order: 'sgrid.grid.mb1.1' }))
  expect(desk.order('sgrid.grid.mb1.2').status).toBe('resting')
})

test('a ladder older than max_age sells at the best price', () => {
  const desk = new Desk([fileOf('mean-reversion').replace('max_age: 2d', 'max_age: 2h')])
  expect(desk.ladder('mrev', 'fade').openedAt).toBe(null)
  const ladder = desk.ladder('mrev', 'fade')
  Object.assign(ladder, { openedAt: desk.at, episode: 1, filled: ['1'], goal: 'ensure', laidAt: desk.at })
  Object.assign(ladder.held, { position: '2', cost: '200', entry: '100' })
  desk.at += 2 * hour - 1
  desk.quote('SOL_USDT', 99, 0.02)
  expect(desk.wait(0).commands).toEqual([])
  const [submit] = submitsOf(desk.wait(1))
  expect(told(submit?.orders ?? [])).toEqual(['mrev.fade.ag.1 sell 2 at 98.5'])
})

test('the age of a position counts from its first fill, not from its ladder, also across a restart', () => {
  const text = gridWith(
    ['side: both', 'side: buy'],
    ['{ kind: range, from: 55000, to: 65000 }', '{ kind: arithmetic, first: 1%, step: 1% }'],
    ['exit: { mirror: 1 }', 'exit: { tp: { pct: 5% }, max_age: 1h }'],
  )
  const desk = new Desk([text])
  const passes = (ms: number) => {
    desk.at += ms
    desk.quote('BTC_USDT', 60_000)
    return told(desk.settle(desk.candle('BTC_USDT', '1m', 60_000)).concat(desk.settle(desk.wait(0))))
  }
  passes(0)
  passes(2 * hour)
  desk.settle(desk.fill('sgrid.grid.1.1', 0.5))
  expect(passes(hour - minute)).toEqual([])
  desk.settle(desk.fill('sgrid.grid.1.1'))
  desk.engine = new Engine(JSON.parse(JSON.stringify(desk.engine.state)))
  expect(passes(minute - 1)).toEqual([])
  const [out] = passes(1)
  expect(out).toMatch(/^sgrid\.grid\.ag\.1 sell /)
  // Flat: the next position begins anew.
  expect(desk.ladder('sgrid', 'grid')).toMatchObject({ held: { position: '0' }, heldSince: null, episode: 2 })
  desk.settle(desk.fill('sgrid.grid.2.1'))
  expect(passes(hour - 1)).toEqual([])
  expect(passes(1)[0]).toMatch(/^sgrid\.grid\.ag\.2 sell /)
})

test('an order that the venue does not cancel is requested again with growing pauses, reported once, and explained', () => {
  const desk = restingGrid()
  const halted = desk.tell({ kind: 'operator', act: 'halt', strategy: 'sgrid', reason: 'enough' })
  const asked = cancelsOf(halted)
  expect(asked.length).toBeGreaterThan(5)
  const refuse = (message: string) => desk.withdrawn(asked, 'refused', message).notes
  const alerts = refuse('Not now.').filter(({ type }) => type === 'alert')
  expect(alerts).toMatchObject([
    { strategy: 'sgrid', message: expect.stringMatching(/is still open: .*Not now\./) },
  ])
  desk.wait(0)
  const decision = desk.steps.flatMap(({ step }) => step.decisions).at(-1)
  expect(decision?.rungs.filter(({ why }) => why === 'the venue did not cancel it: Not now.')).toHaveLength(
    asked.length,
  )
  const pauses: number[] = []
  for (let since = desk.at; pauses.length < 6;) {
    const again = cancelsOf(desk.wait(1000))
    if (again.length === 0) continue
    expect(again).toHaveLength(asked.length)
    pauses.push((desk.at - since) / 1000)
    since = desk.at
    expect(refuse('Not now.').filter(({ type }) => type === 'alert')).toEqual([])
  }
  expect(pauses).toEqual([5, 10, 20, 40, 60, 60])
  expect(refuse('Never.').filter(({ type }) => type === 'alert')).toHaveLength(1)
})
