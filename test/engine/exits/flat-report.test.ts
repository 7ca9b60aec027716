import { describe, expect, test } from 'vitest'
import type { Submit } from '#src/engine/commands.ts'
import { Engine } from '#src/engine/engine.ts'
import type { OrderAnswer } from '#src/engine/events.ts'
import { accepted, EngineHarness, progress, submitsOf } from '#test/engine/support/engine-harness.ts'
import { haltingAt, market, priced } from '#test/engine/support/falling-prices.ts'

/** Two buys of 0.1 and two sells of 0.1 around 60 000 in ladders of their own; a loss of 300 halts. */
function textOf(then: string, exit = ''): string {
  const ladder = (name: string, side: string) => `
  ${name}:
    market: ${name}_side
    side: ${side}
    anchor: 60000
    levels: 2
    spacing: { kind: arithmetic, first: 1%, step: 1% }
    size: { total: 0.2 base }${exit}`
  const drawdown = `{ pause: 0.2%, halt: 0.5%, then: ${then} }`
  return `
version: 1
name: flat
needs: [bulk, history, balance, position_side_short]
markets:
  up_side: { symbol: BTC_PERP }
  down_side: { symbol: BTC_PERP, positionSide: short }
feeds:
  top: { source: book, market: up_side, stale_after: 1d }
ladder:${ladder('up', 'buy')}${ladder('down', 'sell')}
rules:
  - { id: on, when: 1 < 2, do: [ensure: up, ensure: down] }${haltingAt(drawdown, '{ up_side: 30000, down_side: 30000 }')}`
}

const sent = (orders: Submit['orders']) =>
  orders.map(({ id, side, amount, price }) => `${id} ${side} ${amount} at ${price}`)

/** Long 0.1 from 59 400 and, where it says so, short 0.1 from 60 600. */
function holding(text: string, filled: readonly string[], facts = {}): EngineHarness {
  const harness = new EngineHarness([text], { clientIds: 'unproven', ...facts })
  harness.quote(market, 60_000)
  harness.settle(harness.wait(0))
  for (const id of filled) harness.settle(harness.fill(id))
  return harness
}

const flats = (harness: EngineHarness) =>
  harness.steps.flatMap(({ step }) => step.notes.filter(({ type }) => type === 'flattened'))

const part = (order: Submit['orders'][number]): OrderAnswer => ({
  kind: 'accepted',
  ...progress(order, '0.04', true),
})

const most = (order: Submit['orders'][number]): OrderAnswer =>
  order.role === 'exit' ? { kind: 'accepted', ...progress(order, '0.09995', true) } : accepted(order)

describe.each(['', '\n    exit: { mirror: 1 }', '\n    exit: { stop: { pct: 40% } }'])(
  'with "%s"',
  (exit) => {
    test('long and short positions are closed by immediate orders, and entries are cancelled', () => {
      const harness = holding(textOf('flatten', exit), ['flat.up.1.1', 'flat.down.1.1'])
      const out = sent(priced(harness, 57_000).filter(({ role }) => role === 'exit'))
      expect(out).toEqual([])
      // The short side gains what the long one loses: only a second buy brings the loss.
      harness.settle(harness.fill('flat.up.2.1'))
      const flat = priced(harness, 55_000).filter(({ role }) => role === 'exit')
      expect(flat.every(({ ioc }) => ioc)).toBe(true)
      // Half a percent worse than what is paid at most.
      expect(sent(flat)).toEqual(['flat.up.fl.1 sell 0.2 at 54724.01', 'flat.down.fl.1 buy 0.1 at 55276'])
      expect(harness.resting()).toEqual([])
      expect(harness.ladder('flat', 'up').held.position).toBe('0')
      expect(harness.ladder('flat', 'down').held.position).toBe('0')
      expect(flats(harness)).toMatchObject([{ strategy: 'flat', message: 'the position is flat' }])
      expect(priced(harness, 60_000)).toEqual([])
      harness.settle(harness.tell({ kind: 'operator', act: 'resume', strategy: 'flat', reason: 'looked at' }))
      expect(priced(harness, 60_000)).toEqual([])
      expect(harness.resting().map((id) => id.replace(/\.\d+$/, ''))).toEqual([
        'flat.up.1',
        'flat.down.1',
        'flat.up.2',
        'flat.down.2',
      ])
      // What fills from here on is held as before the halt.
      const [first = ''] = harness.resting()
      expect(harness.settle(harness.fill(first)).filter(({ ioc }) => ioc)).toEqual([])
      expect(harness.ladder('flat', 'up').held.position).toBe('0.1')
    })
  },
)

test('flattening continues until flat, through partial fills, refusals, unknown outcomes and a restart', () => {
  const harness = holding(textOf('flatten'), ['flat.up.1.1'])
  harness.at += 1000
  // The price that reaches the limit is enough.
  const [submit] = submitsOf(harness.quote(market, 56_000))
  expect(submit?.orders.map(({ id }) => id)).toEqual(['flat.up.fl.1'])
  const after = harness.tell({ kind: 'answered', chunk: submit!.chunk, orders: submit!.orders.map(part) })
  const [second] = submitsOf(after)
  expect(second?.orders.map(({ id, amount }) => `${id} ${amount}`)).toEqual(['flat.up.fl.2 0.06'])
  harness.engine = new Engine(JSON.parse(JSON.stringify(harness.engine.state)))
  harness.begin()
  expect(harness.order('flat.up.fl.2').status).toBe('doubtful')
  expect(submitsOf(harness.wait(1000))).toEqual([])
  const proof = { kind: 'operator', act: 'resolve', as: 'absent', reason: 'looked at' } as const
  const again = submitsOf(harness.tell({ ...proof, order: 'flat.up.fl.2' }))
  expect(again.flatMap(({ orders }) => orders.map(({ id, amount }) => `${id} ${amount}`))).toEqual([
    'flat.up.fl.3 0.06',
  ])
  const [third] = again
  harness.tell({
    kind: 'answered',
    chunk: third!.chunk,
    orders: [{ kind: 'refused', code: 31, message: 'not now', alreadyUsed: false }],
  })
  expect(sent(priced(harness, 55_000))).toEqual(['flat.up.fl.4 sell 0.06 at 54724.01'])
  // Entries that are being cancelled may still fill.
  expect(flats(harness)).toEqual([])
  harness.settle(harness.takenBack(...harness.resting()))
  expect(flats(harness)).toHaveLength(1)
})

test('a rest below the minimum of the market stays, and is reported', () => {
  const harness = holding(textOf('flatten'), ['flat.up.1.1'])
  // Three times 0.0333 of 0.1: the rest is worth less than 5.
  expect(priced(harness, 56_000, most)).toHaveLength(1)
  expect(harness.ladder('flat', 'up').held.position).toBe('0.00005')
  expect(flats(harness)).toMatchObject([
    { message: 'the rest is below the minimum of the market: 0.00005 in BTC_PERP by flat.up' },
  ])
})

test('an entry that fills during its cancel is closed, too, and nothing is reported twice', () => {
  const harness = holding(textOf('flatten'), ['flat.up.1.1'])
  harness.at += 1000
  const [submit] = submitsOf(harness.quote(market, 56_000))
  const orders = submit!.orders.map(accepted)
  harness.settle(harness.tell({ kind: 'answered', chunk: submit!.chunk, orders }))
  expect(harness.ladder('flat', 'up').held.position).toBe('0')
  // The request to cancel it came too late.
  expect(sent(harness.settle(harness.fill('flat.up.2.1')))).toEqual(['flat.up.fl.2 sell 0.1 at 55719.01'])
  expect(harness.ladder('flat', 'up').held.position).toBe('0')
  for (const id of harness.resting()) harness.settle(harness.takenBack(id))
  harness.settle(harness.wait(1000))
  expect(flats(harness)).toHaveLength(1)
})

test('`then: freeze` stops exits, too, and `then: exits` is the default', () => {
  const stop = '\n    exit: { stop: { pct: 20% } }'
  const frozen = holding(textOf('freeze', stop), ['flat.up.1.1'])
  priced(frozen, 56_000)
  expect(frozen.engine.state.strategies['flat']).toMatchObject({ haltedExits: 'frozen' })
  expect(priced(frozen, 40_000)).toEqual([])
  for (const text of [textOf('exits', stop), textOf('exits', stop).replace(', then: exits', '')]) {
    const harness = holding(text, ['flat.up.1.1'])
    priced(harness, 56_000)
    expect(harness.engine.state.strategies['flat']?.halted).toMatch(/drawdown/)
    expect(sent(priced(harness, 47_000)).map((each) => each.split(' at ')[0])).toEqual([
      'flat.up.st.1 sell 0.1',
    ])
  }
})

test('where orders cannot be cancelled, resting orders count, and entries that fill are closed', () => {
  const text = textOf('flatten', '\n    exit: { mirror: 1 }')
  const capabilities = ['bulk', 'history', 'balance', 'position_side_short']
  const harness = holding(text, ['flat.up.1.1'], { capabilities })
  expect(harness.resting()).toContain('flat.up.m1.1')
  expect(priced(harness, 56_000)).toEqual([])
  // The mirror may still sell the first 0.1; this is another one.
  expect(sent(harness.settle(harness.fill('flat.up.2.1')))).toEqual(['flat.up.fl.1 sell 0.1 at 55719.01'])
  harness.settle(harness.fill('flat.up.m1.1'))
  // Resting entries do not delay the report.
  expect(harness.resting()).toEqual(['flat.down.1.1', 'flat.down.2.1'])
  expect(flats(harness)).toMatchObject([{ message: 'the position is flat' }])
})
