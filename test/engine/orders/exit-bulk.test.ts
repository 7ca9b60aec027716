import { expect, test } from 'vitest'
import { explanationNow } from '#test/engine/support/explanation-replay.ts'
import { exitStatuses } from '#src/engine/exits/exit-reasons.ts'
import { statusOf } from '#src/operate/dashboard/status.ts'
import { StrategyCache } from '#src/operate/dashboard/strategy-cache.ts'
import { accepted, EngineHarness, submitsOf, told, venue } from '#test/engine/support/engine-harness.ts'
import { twoBuys } from '#test/engine/support/two-buys.ts'

/** Two buys of 1000 quote each, with these exits. */
const buys = (exit: string) =>
  twoBuys(exit, ['{ total: 2100 quote }', '{ total: 2000 quote }'], ['max_loss: 350', 'max_loss: 1000'])

/** Both have filled. */
function holding(exit: string, maxTotal = '1000000'): EngineHarness {
  const markets = Object.fromEntries(
    Object.entries(venue.markets).map(([name, facts]) => [name, { ...facts, maxTotal }]),
  )
  const harness = new EngineHarness([buys(exit)], { markets })
  harness.quote('BTC_USDT', 60_000)
  harness.settle(harness.candle('BTC_USDT', '1m', 60_000))
  harness.quote('BTC_USDT', 59_000)
  for (const level of ['1', '2']) harness.settle(harness.fill(`sgrid.grid.${level}.1`))
  harness.at += 100
  return harness
}

test('a stop that is too large for one order is sent in one bulk', () => {
  const harness = holding('stop: { pct: 2% }, cooldown: 10m', '1200')
  const position = Number(harness.ladder('sgrid', 'grid').held.position)
  const bulks = submitsOf(harness.quote('BTC_USDT', 57_000))
  expect(bulks.map(({ orders }) => orders.map(({ id }) => id))).toEqual([
    ['sgrid.grid.st.1', 'sgrid.grid.st-2.1'],
  ])
  const sold = bulks[0]!.orders.reduce((sum, { amount }) => sum + Number(amount), 0)
  expect(sold).toBeCloseTo(position, 9)
  const sent = harness.steps.flatMap(({ step }) => step.notes).filter(({ type }) => type === 'exit-sent')
  expect(sent.map((note) => 'kind' in note && note.kind)).toEqual(['stop', 'stop'])
})

test('the parts of a take profit that one price reaches are sent in one bulk', () => {
  const harness = holding('tp: { pct: 2%, split: [0.5, 0.3, 0.2], gap: 1% }')
  const bulks = submitsOf(harness.quote('BTC_USDT', 61_000))
  // Two percent above the average is 60 280 and a bit, three are 60 870.
  expect(bulks.map(({ orders }) => orders.map(({ id }) => id))).toEqual([
    ['sgrid.grid.t1.1', 'sgrid.grid.t2.1'],
  ])
})

test('while the outcome of one part is unknown none is sent again, and the sales of the others count', () => {
  const harness = holding('stop: { pct: 2% }, cooldown: 10m', '1200')
  const position = Number(harness.ladder('sgrid', 'grid').held.position)
  const step = harness.quote('BTC_USDT', 57_000)
  const sent = harness.settle(step, (order) =>
    order.level === 'st' ? { kind: 'unknown', reason: 'the connection broke' } : accepted(order),
  )
  // The one in doubt is sent again under its own id, and no other.
  expect([...new Set(sent.map(({ id }) => id))]).toEqual(['sgrid.grid.st.1', 'sgrid.grid.st-2.1'])
  harness.at += 100
  expect(
    told(harness.settle(harness.quote('BTC_USDT', 56_900))).filter((text) => !text.includes('.st.1')),
  ).toEqual([])
  const left = Number(harness.ladder('sgrid', 'grid').held.position)
  expect(left).toBeCloseTo(position - Number(sent[1]?.amount), 9)
})

test('an exit below the minimum of the market is reported once, and shown in status and why', () => {
  const harness = holding('at: 1')
  for (const price of [59_000, 59_500, 60_000]) {
    harness.at += 1000
    expect(submitsOf(harness.quote('BTC_USDT', price))).toEqual([])
    harness.wait(0)
  }
  const notes = harness.steps
    .flatMap(({ step }) => step.notes)
    .filter(({ type }) => type === 'exit-too-small')
  const { position } = harness.ladder('sgrid', 'grid').held
  const rest = 'less than the minimum of 5 of the market'
  const why = `exit at cannot be sent: ${position} at 1 has a notional of ${position}, ${rest}`
  expect(notes).toMatchObject([
    {
      strategy: 'sgrid',
      ladder: 'grid',
      market: 'BTC_USDT',
      kind: 'at',
      reason: expect.stringContaining(rest),
    },
  ])
  const { state } = harness.engine
  const known = new StrategyCache().of(state)
  expect(statusOf(state, known, null).strategies[0]?.ladders[0]?.missing).toBe(why)
  const compiled = known.get('sgrid')!
  const exits = exitStatuses({
    state,
    scene: compiled,
    ladder: compiled.ladders[0]!,
    own: harness.ladder('sgrid', 'grid'),
  })
  expect(exits.find(({ label }) => label === 'at')?.why).toContain(why)
  // Another price makes another exit of it.
  const text = buys('at: 58000')
  const [first] = told(harness.settle(harness.tell({ kind: 'reloaded', name: 'sgrid', text })))
  expect(first).toBe(`sgrid.grid.at.1 sell ${position} at 58000`)
  expect(harness.ladder('sgrid', 'grid').exits.tooSmall ?? null).toBeNull()
})

test('an explanation of rungs and exits changes nothing in the state', () => {
  const harness = holding('tp: { pct: 5%, split: [0.5, 0.5] }')
  const [{ state }, own] = [harness.engine, harness.ladder('sgrid', 'grid')]
  const compiled = new StrategyCache().of(state).get('sgrid')!
  // Exits count their parts when they are evaluated, not when they are read.
  own.exits.parts = null
  const before = JSON.stringify(state)
  const exits = exitStatuses({ state, scene: compiled, ladder: compiled.ladders[0]!, own })
  expect(exits.map(({ label }) => label)).toEqual(['t1', 't2'])
  expect(explanationNow(state, 'sgrid', 'grid')?.rungs).toHaveLength(2)
  expect(JSON.stringify(state)).toBe(before)
})

test("a stop's price keeps its total above the minimum of the market, if the best price does", () => {
  // What is left after a take profit is worth 5.01 at the touch, and less half a percent below it.
  const harness = holding('stop: { pct: 2% }, cooldown: 10m')
  const held = harness.ladder('sgrid', 'grid').held
  Object.assign(held, { position: '0.000088', cost: '5.2', entry: '59090.90909090' })
  expect(told(harness.settle(harness.quote('BTC_USDT', 57_000)))).toEqual([
    'sgrid.grid.st.1 sell 0.000088 at 56818.19',
  ])
})
