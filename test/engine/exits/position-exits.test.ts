import { expect, test } from 'vitest'
import { Engine } from '#src/engine/engine.ts'
import { gridWith } from '#test/strategy/strategy-files.ts'
import {
  cancelsOf,
  EngineHarness,
  fileOf,
  hour,
  minute,
  restingGrid,
  submitsOf,
  told,
  trailingBuys,
} from '#test/engine/support/engine-harness.ts'

const exitsIn = (orders: ReturnType<EngineHarness['settle']>) =>
  told(orders.filter(({ role }) => role === 'exit'))

test('a filled line is sold one line higher, and bought again after that sale', () => {
  const harness = restingGrid()
  const { amount } = harness.order('sgrid.grid.b1.1')
  const first = harness.settle(harness.fill('sgrid.grid.b1.1'))
  expect(exitsIn(first)).toEqual([`sgrid.grid.mb1.1 sell ${amount} at 60000`])
  expect(first.find(({ role }) => role === 'exit')).toMatchObject({ ioc: false, postOnly: true })
  expect(harness.ladder('sgrid', 'grid').filled).toEqual(['b1'])
  const next = harness.settle(harness.fill('sgrid.grid.mb1.1'))
  expect(told(next)).toEqual([`sgrid.grid.b1.2 buy ${amount} at 59500`])
  expect(harness.ladder('sgrid', 'grid').held.position).toBe('0')
  expect(Number(harness.engine.state.strategies['sgrid']?.holdings['btc']?.realized)).toBeCloseTo(
    Number(amount) * 500,
    6,
  )
})

test('exits are sent in their own chunks, before entries, and without stopOnFail', () => {
  const harness = restingGrid()
  const [submit] = submitsOf(harness.fill('sgrid.grid.b1.1'))
  expect(submit).toMatchObject({ priority: 'exits', stopOnFail: false })
})

test('a stop cancels the other rungs, and the ladder places nothing meanwhile', () => {
  const harness = trailingBuys()
  expect(harness.resting().length).toBe(10)
  harness.at += 100
  harness.settle(harness.quote('BTC_PERP', Number(harness.order('tvol.trail.1.1').price), 0.02))
  harness.fill('tvol.trail.1.1')
  const { entry, position } = harness.ladder('tvol', 'trail').held
  const stop = Math.floor(Number(entry) * 94) / 100
  harness.at += 100
  expect(harness.quote('BTC_PERP', stop + 0.02, 0.02).commands).toEqual([])
  harness.at += 100
  const step = harness.quote('BTC_PERP', stop + 0.01, 0.02)
  expect(cancelsOf(step).length).toBe(9)
  const [submit] = submitsOf(step)
  expect(told(submit?.orders ?? [])).toEqual([
    `tvol.trail.st.1 sell ${position} at ${Math.ceil(stop * 99.5) / 100}`,
  ])
  // Half of it finds somebody; the rest goes after the price.
  const half = (Math.round(Number(position) * 5e5) / 1e6).toString()
  const again = harness.tell({
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
  const harness = trailingBuys(text)
  harness.at += 100
  harness.settle(harness.quote('BTC_PERP', Number(harness.order('tvol.trail.1.1').price), 0.02))
  harness.fill('tvol.trail.1.1')
  harness.at += 100
  const cancels = cancelsOf(harness.quote('BTC_PERP', 50_000, 0.02))
  expect(harness.engine.state.strategies['tvol']?.halted).toMatch(/drawdown/)
  expect(cancels).toHaveLength(9)
  expect(new Set(cancels).size).toBe(9)
})

test('a trailing exit lets the profit run, and sells when the price turns back', () => {
  const harness = trailingBuys()
  harness.fill('tvol.trail.1.1')
  const { held, unit } = harness.ladder('tvol', 'trail')
  const price = (units: number) => Math.round((Number(held.entry) + Number(unit) * units) * 100) / 100
  const sent = [1.5, 3, 2.7].flatMap((units) => {
    harness.at += 100
    return submitsOf(harness.quote('BTC_PERP', price(units), 0.02)).flatMap(({ orders }) => orders)
  })
  expect(sent.filter(({ role }) => role === 'exit')).toEqual([])
  harness.at += 100
  const out = submitsOf(harness.quote('BTC_PERP', price(2.6), 0.02)).flatMap(({ orders }) => orders)
  expect(out.map(({ id, amount }) => `${id} ${amount}`)).toEqual([`tvol.trail.tr.1 ${held.position}`])
})

test('an exit in flight at the end of the process is not sent again before its outcome is known', () => {
  const harness = restingGrid({ clientIds: 'unproven' })
  harness.fill('sgrid.grid.b1.1')
  expect(harness.order('sgrid.grid.mb1.1').status).toBe('sending')
  const { venue } = harness.engine.state
  harness.at += 1000
  const text = fileOf('static-grid')
  const step = harness.tell({ kind: 'began', venue, strategies: [{ name: 'sgrid', text }] })
  expect(harness.order('sgrid.grid.mb1.1').status).toBe('doubtful')
  const others = submitsOf(step).flatMap(({ orders }) => orders)
  expect(others.filter(({ id }) => id.startsWith('sgrid.grid.mb1') && id !== 'sgrid.grid.mb1.1')).toEqual([])
  const proof = { kind: 'operator', act: 'resolve', as: 'absent', reason: 'looked' } as const
  harness.settle(harness.tell({ ...proof, order: 'sgrid.grid.mb1.1' }))
  expect(harness.order('sgrid.grid.mb1.2').status).toBe('resting')
})

test('a ladder older than max_age sells at the best price', () => {
  const harness = new EngineHarness([fileOf('mean-reversion').replace('max_age: 2d', 'max_age: 2h')])
  expect(harness.ladder('mrev', 'fade').openedAt).toBe(null)
  const ladder = harness.ladder('mrev', 'fade')
  Object.assign(ladder, {
    openedAt: harness.at,
    episode: 1,
    filled: ['1'],
    goal: 'ensure',
    laidAt: harness.at,
  })
  Object.assign(ladder.held, { position: '2', cost: '200', entry: '100' })
  harness.at += 2 * hour - 1
  harness.quote('SOL_USDT', 99, 0.02)
  expect(harness.wait(0).commands).toEqual([])
  const [submit] = submitsOf(harness.wait(1))
  expect(told(submit?.orders ?? [])).toEqual(['mrev.fade.ag.1 sell 2 at 98.5'])
})

test('the age of a position counts from its first fill, not from its ladder, also across a restart', () => {
  const text = gridWith(
    ['side: both', 'side: buy'],
    ['{ kind: range, from: 55000, to: 65000 }', '{ kind: arithmetic, first: 1%, step: 1% }'],
    ['exit: { mirror: 1 }', 'exit: { tp: { pct: 5% }, max_age: 1h }'],
  )
  const harness = new EngineHarness([text])
  const passes = (ms: number) => {
    harness.at += ms
    harness.quote('BTC_USDT', 60_000)
    return told(
      harness.settle(harness.candle('BTC_USDT', '1m', 60_000)).concat(harness.settle(harness.wait(0))),
    )
  }
  passes(0)
  passes(2 * hour)
  harness.settle(harness.fill('sgrid.grid.1.1', 0.5))
  expect(passes(hour - minute)).toEqual([])
  harness.settle(harness.fill('sgrid.grid.1.1'))
  harness.engine = new Engine(JSON.parse(JSON.stringify(harness.engine.state)))
  expect(passes(minute - 1)).toEqual([])
  const [out] = passes(1)
  expect(out).toMatch(/^sgrid\.grid\.ag\.1 sell /)
  // Flat: the next position begins anew.
  expect(harness.ladder('sgrid', 'grid')).toMatchObject({
    held: { position: '0' },
    heldSince: null,
    episode: 2,
  })
  harness.settle(harness.fill('sgrid.grid.2.1'))
  expect(passes(hour - 1)).toEqual([])
  expect(passes(1)[0]).toMatch(/^sgrid\.grid\.ag\.2 sell /)
})

test('requests to cancel without an answer are repeated with growing pauses, and explained', () => {
  const harness = restingGrid()
  const asked = cancelsOf(
    harness.tell({ kind: 'operator', act: 'halt', strategy: 'sgrid', reason: 'enough' }),
  )
  const pauses: number[] = []
  for (let since = harness.at; pauses.length < 4; since = harness.at) {
    harness.withdrawn(asked, 'unknown', 'no answer in time')
    let again = cancelsOf(harness.wait(1000))
    while (again.length === 0) again = cancelsOf(harness.wait(1000))
    expect(again).toEqual(asked)
    pauses.push((harness.at - since) / 1000)
  }
  expect(pauses).toEqual([5, 10, 20, 40])
  expect(harness.order(asked[0] ?? '').why).toBe('the request to cancel it had no answer: no answer in time')
})

test('while the rate limit of the venue stops cancel requests, they are repeated every five seconds', () => {
  const harness = restingGrid()
  const asked = cancelsOf(
    harness.tell({ kind: 'operator', act: 'halt', strategy: 'sgrid', reason: 'enough' }),
  )
  const notes = [...harness.withdrawn(asked, 'throttled', 'Too many requests.').notes]
  const pauses: number[] = []
  for (let since = harness.at; pauses.length < 6;) {
    const again = cancelsOf(harness.wait(1000))
    if (again.length === 0) continue
    pauses.push((harness.at - since) / 1000)
    since = harness.at
    notes.push(...harness.withdrawn(asked, 'throttled', 'Too many requests.').notes)
  }
  expect(pauses).toEqual([5, 5, 5, 5, 5, 5])
  const alerts = notes.filter(({ type }) => type === 'alert')
  expect(alerts).toMatchObject([
    { message: expect.stringMatching(/Too many requests\.; the bot retries, at most every 5 s$/) },
  ])
})

test('an order that the venue does not cancel is requested again with growing pauses, reported once, and explained', () => {
  const harness = restingGrid()
  const halted = harness.tell({ kind: 'operator', act: 'halt', strategy: 'sgrid', reason: 'enough' })
  const asked = cancelsOf(halted)
  expect(asked.length).toBeGreaterThan(5)
  const refuse = (message: string) => harness.withdrawn(asked, 'refused', message).notes
  const alerts = refuse('Not now.').filter(({ type }) => type === 'alert')
  expect(alerts).toMatchObject([
    { strategy: 'sgrid', message: expect.stringMatching(/is still open: .*Not now\./) },
  ])
  harness.wait(0)
  const decision = harness.steps.flatMap(({ step }) => step.decisions).at(-1)
  expect(decision?.rungs.filter(({ why }) => why === 'the venue did not cancel it: Not now.')).toHaveLength(
    asked.length,
  )
  const pauses: number[] = []
  for (let since = harness.at; pauses.length < 6;) {
    const again = cancelsOf(harness.wait(1000))
    if (again.length === 0) continue
    expect(again).toHaveLength(asked.length)
    pauses.push((harness.at - since) / 1000)
    since = harness.at
    expect(refuse('Not now.').filter(({ type }) => type === 'alert')).toEqual([])
  }
  expect(pauses).toEqual([5, 10, 20, 40, 60, 60])
  expect(refuse('Never.').filter(({ type }) => type === 'alert')).toHaveLength(1)
})
