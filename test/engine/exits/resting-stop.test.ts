import { expect, test } from 'vitest'
import { compileStrategy } from '#src/engine/rules/compiled-strategy.ts'
import { findOrder } from '#src/operate/dashboard/find-order.ts'
import { MemoryDisk, MemoryHistory } from '#test/journal/memory-journal.ts'
import { keptExact } from '#src/engine/risk/kept-exposure.ts'
import type { OrderAnswer } from '#src/engine/events.ts'
import { strategyIn } from '#test/strategy/strategy-files.ts'
import { cancelsOf, EngineHarness, submitsOf, told, venue } from '#test/engine/support/engine-harness.ts'

const buys = (exit: string, orders = 3) => `
version: 1
name: dips
markets:
  btc: { symbol: BTC_PERP }
ladder:
  dip:
    market: btc
    side: buy
    anchor: 60000
    levels: 3
    spacing: { kind: arithmetic, first: 1%, step: 1% }
    size: { total: 3000 quote }
    exit: { ${exit} }
rules:
  - { id: go, when: 1 < 2, do: [ensure: dip] }
risk:
  max_notional: { btc: 4000 }
  max_open_orders: ${orders}
  worst_case: { move: -30%, max_loss: 100000 }
  drawdown: { pause: 80%, halt: 90% }
  price_band: 3%
`

const resting = 'stop: { pct: 5%, mode: resting }'
const refusal: OrderAnswer = {
  kind: 'refused',
  code: 103,
  message: 'too many',
  alreadyUsed: false,
  refusal: 'unknown-text',
}
const accepted: OrderAnswer = {
  kind: 'accepted',
  venueId: '1',
  filled: '0',
  money: '0',
  fee: '0',
  ended: false,
}

/** Three buys that rest. */
function restingBuys(exit = resting): EngineHarness {
  const harness = new EngineHarness([buys(exit, exit.includes('tp:') ? 9 : 3)], {
    capabilities: [...venue.capabilities, 'conditional_orders'],
  })
  harness.settle(harness.quote('BTC_PERP', 60_000))
  harness.settle(harness.wait(1000))
  return harness
}

/** The first of them has filled, and its stop waits at the venue. */
function protectedBuys(exit = resting): EngineHarness {
  const harness = restingBuys(exit)
  harness.settle(harness.fill('dips.dip.1.1'))
  return harness
}

const stopsIn = (harness: EngineHarness) => harness.resting().filter((id) => id.includes('.st'))
const alerts = (harness: EngineHarness) =>
  harness.steps.flatMap(({ step }) =>
    step.notes.flatMap((note) => (note.type === 'alert' ? [note.message] : [])),
  )

test('a fill places a conditional order for the whole position at the stop price', () => {
  const harness = restingBuys()
  const { amount } = harness.order('dips.dip.1.1')
  const [submit] = submitsOf(harness.fill('dips.dip.1.1'))
  // 59400 less 5 %: outside of price_band, and beyond max_open_orders.
  expect(submit?.orders).toMatchObject([
    {
      id: 'dips.dip.st.1',
      side: 'sell',
      amount,
      price: '56430',
      activation: '56430',
      reduceOnly: true,
      ioc: false,
    },
  ])
})

test('the bot does not act at the price of a stop that waits at the venue', () => {
  const harness = protectedBuys()
  harness.at += 100
  expect(harness.quote('BTC_PERP', 56_000).commands.filter(({ kind }) => kind === 'submit')).toEqual([])
  expect(harness.ladder('dips', 'dip').exits.leave).toBe(null)
})

test('a further fill places the new stop before the old one is cancelled', () => {
  const harness = protectedBuys()
  const [one, two] = ['dips.dip.1.1', 'dips.dip.2.1'].map((id) => Number(harness.order(id).amount))
  const step = harness.fill('dips.dip.2.1')
  expect(cancelsOf(step)).toEqual([])
  const [submit] = submitsOf(step)
  expect(submit?.orders).toMatchObject([
    { id: 'dips.dip.st-2.1', amount: String(Number(((one ?? 0) + (two ?? 0)).toFixed(6))) },
  ])
  const answered = harness.tell({ kind: 'answered', chunk: submit?.chunk ?? 0, orders: [accepted] })
  expect(cancelsOf(answered)).toEqual(['dips.dip.st.1'])
  harness.settle(answered)
  expect(stopsIn(harness)).toEqual(['dips.dip.st-2.1'])
  // `rungs why dips.dip.st` means the stop that waits now.
  const { state } = harness.engine
  const known = new Map([['dips', compileStrategy(state.strategies['dips']!.text, state.venue)!]])
  const asked = { strategy: 'dips', ladder: 'dip', level: 'st', order: null }
  using history = new MemoryHistory(new MemoryDisk(), 'any')
  expect(findOrder(history, asked, () => ({ state, known }))).toMatchObject({ order: 'dips.dip.st-2.1' })
})

test('while the new stop has no answer, or is refused, the old one stays', () => {
  const harness = protectedBuys()
  const step = harness.fill('dips.dip.2.1')
  const [submit] = submitsOf(step)
  harness.settle(
    harness.tell({ kind: 'answered', chunk: submit?.chunk ?? 0, orders: [refusal] }),
    () => refusal,
  )
  expect(stopsIn(harness)).toEqual(['dips.dip.st.1'])
  expect(alerts(harness)).toMatchObject([
    expect.stringMatching(/^the stop at the venue keeps its earlier price and amount: the order was refused/),
  ])
})

test('a fill of the stop is booked to the ladder, and the rest of the position follows by an immediate order', () => {
  const harness = protectedBuys(`${resting}, cooldown: 10m`)
  const whole = Number(harness.order('dips.dip.st.1').amount)
  harness.quote('BTC_PERP', 56_400)
  // The venue may still fill the other half.
  expect(submitsOf(harness.fill('dips.dip.st.1', 0.5))).toEqual([])
  expect(harness.ladder('dips', 'dip').exits.leave).toBe('st')
  const half = harness.order('dips.dip.st.1').filled
  const ended = { id: 'dips.dip.st.1', venueId: '1', filled: half, money: '1', fee: '0', ended: true }
  const money = harness.order('dips.dip.st.1').money
  const [submit] = submitsOf(harness.tell({ kind: 'seen', orders: [{ ...ended, money }] }))
  expect(told(submit?.orders ?? [])).toEqual([
    `dips.dip.st.2 sell ${Number((whole - Number(half)).toFixed(6))} at 56117.01`,
  ])
  expect(submit?.orders).toMatchObject([{ ioc: true, reduceOnly: true }])
})

test('a stop that closes the whole position begins the cooldown and ends the episode', () => {
  const harness = protectedBuys(`${resting}, cooldown: 10m`)
  harness.quote('BTC_PERP', 56_400)
  harness.settle(harness.fill('dips.dip.st.1'))
  harness.settle(harness.wait(1000))
  const { held, left, exits } = harness.ladder('dips', 'dip')
  expect([held.position, left?.by, exits.leave]).toEqual(['0', 'st', null])
  expect(harness.notes()).toContain('episode-closed')
  expect(harness.resting()).toEqual([])
})

test('if the venue refuses the stop, the bot says so, tries again ever later, and watches the price itself', () => {
  const harness = restingBuys()
  harness.settle(harness.fill('dips.dip.1.1'), () => refusal)
  expect(alerts(harness)).toMatchObject([
    expect.stringMatching(/nothing protects the position.*refused; retry in 1 s: too many/),
  ])
  expect(harness.wait(500).commands).toEqual([])
  harness.settle(harness.wait(600), () => refusal)
  expect(alerts(harness).at(-1)).toMatch(/refused 2 times; retry in 2 s/)
  const [submit] = submitsOf(harness.quote('BTC_PERP', 56_400))
  expect(submit).toBe(undefined)
  harness.settle(harness.wait(0))
  expect(harness.ladder('dips', 'dip').exits.leave).toBe('st')
})

test('if the venue ends the stop and nothing was closed, the bot says so, watches, and places it again', () => {
  const harness = protectedBuys()
  harness.settle(harness.seenEnded(['dips.dip.st.1'], () => '0'))
  expect(alerts(harness)).toMatchObject([
    expect.stringMatching(/it has ended dips.dip.st.1: ended by the venue; retry in 1 s/),
  ])
  expect(stopsIn(harness)).toEqual([])
  harness.settle(harness.wait(1000))
  expect(stopsIn(harness)).toEqual(['dips.dip.st.2'])
  // Soon again: each time later.
  harness.settle(harness.seenEnded(['dips.dip.st.2'], () => '0'))
  harness.settle(harness.wait(1000))
  expect(stopsIn(harness)).toEqual([])
  harness.settle(harness.wait(1000))
  expect(stopsIn(harness)).toEqual(['dips.dip.st.3'])
})

test('beside a resting take profit both rest for the whole position, and both only reduce it', () => {
  const harness = restingBuys(`tp: { pct: 2%, mode: resting }, ${resting}`)
  const { amount } = harness.order('dips.dip.1.1')
  harness.settle(harness.fill('dips.dip.1.1'))
  for (const id of ['dips.dip.t1.1', 'dips.dip.st.1'])
    expect(harness.order(id)).toMatchObject({ status: 'resting', amount, reduceOnly: true })
  // The profit is taken: nothing is left to protect.
  harness.quote('BTC_PERP', 60_700)
  harness.settle(harness.fill('dips.dip.t1.1'))
  expect(harness.order('dips.dip.st.1').status).toBe('ended')
  expect(alerts(harness)).toEqual([])
})

test('the venue may end the stop with the position: that is no alert', () => {
  const harness = protectedBuys(`tp: { pct: 2%, mode: resting }, ${resting}`)
  harness.quote('BTC_PERP', 60_700)
  harness.settle(
    harness.seenEnded(['dips.dip.t1.1', 'dips.dip.st.1'], ({ id, amount }) =>
      id.includes('.t1') ? amount : '0',
    ),
  )
  expect(alerts(harness)).toEqual([])
  expect(harness.ladder('dips', 'dip').held.position).toBe('0')
})

test('a stop at the venue is no exposure, since it opens nothing', () => {
  const harness = protectedBuys()
  const { strategy } = strategyIn(buys(resting))
  const { position } = harness.ladder('dips', 'dip').held
  const { sell } = keptExact.read(harness.engine.state, strategy).get('btc')!
  expect([Number(position) > 0, sell.amount.toFixed(), sell.money.toFixed()]).toEqual([true, '0', '0'])
})

test('another exit of the whole position leaves the stop at the venue until the position is flat', () => {
  const harness = protectedBuys(`${resting}, max_age: 1h`)
  harness.at += 3_600_000
  harness.quote('BTC_PERP', 60_000)
  const step = harness.wait(0)
  const exits = submitsOf(step).flatMap(({ orders }) => orders)
  expect(told(exits)).toMatchObject([expect.stringMatching(/^dips\.dip\.ag\.1 sell/)])
  expect(cancelsOf(step)).not.toContain('dips.dip.st.1')
  harness.settle(step)
  harness.settle(harness.seenEnded(['dips.dip.ag.1'], ({ amount }) => amount))
  expect(harness.order('dips.dip.st.1')).toMatchObject({ status: 'ended', why: 'cancelled' })
})

test('a halt that freezes the exits leaves the stop at the venue', () => {
  const harness = protectedBuys()
  harness.settle(
    harness.tell({ kind: 'operator', act: 'halt', strategy: 'dips', reason: 'test', freeze: true }),
  )
  expect(stopsIn(harness)).toEqual(['dips.dip.st.1'])
})

test.each([
  ['that the bot watches the stop', 'stop: { pct: 5% }, cooldown: 1m'],
  ['that the ladder has another exit', 'mirror: 1'],
  ['that the ladder has no exit', ''],
])('a new version of the file says %s: the order at the venue is cancelled', (_, exit) => {
  const harness = protectedBuys()
  const text = exit === '' ? buys(resting).replace(/^ +exit: .*\n/m, '') : buys(exit)
  harness.settle(harness.tell({ kind: 'reloaded', name: 'dips', text }))
  harness.settle(harness.wait(1000))
  expect(harness.order('dips.dip.st.1')).toMatchObject({ status: 'ended', why: 'cancelled' })
  expect(stopsIn(harness)).toEqual([])
})

test('a position above the greatest order of the market has several stops', () => {
  const markets = { ...venue.markets, BTC_PERP: { ...venue.markets['BTC_PERP']!, maxTotal: '1000' } }
  const harness = new EngineHarness([buys(resting)], {
    capabilities: [...venue.capabilities, 'conditional_orders'],
    markets,
  })
  harness.settle(harness.quote('BTC_PERP', 60_000))
  harness.settle(harness.wait(1000))
  harness.settle(harness.seenEnded(['dips.dip.1.1', 'dips.dip.2.1'], ({ amount }) => amount))
  const stops = stopsIn(harness).map((id) => harness.order(id))
  expect(stops.length).toBe(2)
  const sum = stops.reduce((all, { amount }) => all + Number(amount), 0)
  expect(sum).toBeCloseTo(Number(harness.ladder('dips', 'dip').held.position), 9)
})
