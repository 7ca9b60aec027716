import { expect, test } from 'vitest'
import { writeOffFault } from '#src/engine/account/write-off.ts'
import { cancelsOf, EngineHarness, fileOf, submitsOf, told } from '#test/engine/support/engine-harness.ts'

const gone = {
  kind: 'operator',
  act: 'write-off',
  strategy: 'sgrid',
  ladder: 'grid',
  reason: 'liquidated',
} as const

/** A grid that holds what one of its lines has bought, with the mirror that sells it again at rest. */
function holding(): { harness: EngineHarness; amount: string } {
  const harness = new EngineHarness([fileOf('static-grid')])
  harness.quote('BTC_USDT', 60_000)
  harness.settle(harness.candle('BTC_USDT', '1m', 60_000))
  const { amount } = harness.order('sgrid.grid.b1.1')
  harness.settle(harness.fill('sgrid.grid.b1.1'))
  return { harness, amount }
}

const faultOf = (harness: EngineHarness, amount: string | null) =>
  writeOffFault(harness.engine.state, { ...gone, amount, price: '58000' })
const holdingOf = (harness: EngineHarness) => harness.engine.state.strategies['sgrid']?.holdings['btc']

/** The venue has closed the position: what would sell it is taken back, and ended. */
function taken(harness: EngineHarness): void {
  const [strange] = [{ BTC_USDT: { long: '0', short: '0' } }]
  for (let times = 0; times < 3; times++) harness.tell({ kind: 'positions', held: strange })
  for (const id of cancelsOf(harness.wait(6000))) harness.takenBack(id)
}

test('a position that the venue has closed is written off at the given price, and nothing is sold for it', () => {
  const { harness, amount } = holding()
  expect(faultOf(harness, null)).toMatch(/^sgrid\.grid\.mb1\.1 may still close/)
  harness.tell({ ...gone, amount: null, price: '58000' })
  expect(harness.ladder('sgrid', 'grid').held.position).toBe(amount)
  harness.tell({ kind: 'positions', held: { BTC_USDT: { long: amount, short: '0' } } })
  taken(harness)
  expect(harness.engine.state.strategies['sgrid']?.halted).toMatch(/others closed/)
  expect(faultOf(harness, null)).toBeUndefined()
  const step = harness.tell({ ...gone, amount: null, price: '58000' })
  expect(step.notes[0]).toMatchObject({
    type: 'alert',
    message: expect.stringMatching(/^written off .*liquidated$/),
  })
  const ladder = harness.ladder('sgrid', 'grid')
  expect([ladder.held.position, ladder.exits.mirrors, ladder.filled]).toEqual(['0', {}, []])
  // What was bought at 59500.
  expect(Number(holdingOf(harness)?.realized)).toBeCloseTo(-1500 * Number(amount), 6)
  expect(faultOf(harness, null)).toBe('sgrid.grid holds no position')
  harness.tell({ kind: 'positions', held: { BTC_USDT: { long: '0', short: '0' } } })
  expect(harness.engine.state.drift).toMatchObject({ suspect: null, lacking: {} })
  // It goes on as after a sale: the line is bought again, and nothing is sold.
  harness.at += 1000
  const resumed = harness.settle(
    harness.tell({ kind: 'operator', act: 'resume', strategy: 'sgrid', reason: 'looked' }),
  )
  harness.quote('BTC_USDT', 60_000)
  const sent = [
    ...resumed,
    ...harness.settle(harness.candle('BTC_USDT', '1m', 60_000)),
    ...harness.settle(harness.wait(1000)),
  ]
  expect(sent.filter(({ role }) => role === 'exit')).toEqual([])
  const decision = harness.steps.flatMap(({ step: { decisions } }) => decisions).at(-1)
  expect(decision?.writtenOff).toMatch(/at 58000: liquidated$/)
})

test('a part of a position can be written off: only the rest is sold', () => {
  const { harness, amount } = holding()
  harness.settle(harness.takenBack('sgrid.grid.mb1.1'))
  expect(faultOf(harness, '1000')).toBe(`sgrid.grid holds ${amount}, not 1000`)
  expect(faultOf(harness, '0')).toMatch(/not 0$/)
  // The mirror is offered again at once: it must be gone first.
  expect(faultOf(harness, null)).toMatch(/may still close/)
  harness.tell({ kind: 'operator', act: 'halt', strategy: 'sgrid', reason: 'a part is gone', freeze: true })
  harness.takenBack('sgrid.grid.mb1.2')
  const part = (Number(amount) / 2).toFixed(6)
  harness.tell({ ...gone, amount: part, price: '58000' })
  const left = (Number(amount) - Number(part)).toFixed(6)
  expect(Number(harness.ladder('sgrid', 'grid').held.position)).toBeCloseTo(Number(left), 9)
  const resumed = submitsOf(
    harness.tell({ kind: 'operator', act: 'resume', strategy: 'sgrid', reason: 'looked' }),
  )
  const exits = resumed.flatMap(({ orders }) => orders).filter(({ role }) => role === 'exit')
  expect(told(exits)).toEqual([`sgrid.grid.mb1.3 sell ${Number(left)} at 60000`])
})

test('a write-off leaves the resting exit for the rest open', () => {
  const { harness, amount } = holding()
  harness.settle(harness.fill('sgrid.grid.b2.1'))
  const other = harness.order('sgrid.grid.b2.1').amount
  const [both, left] = [Number(amount) + Number(other), Number(other)].map((sum) => sum.toFixed(6))
  harness.tell({ kind: 'positions', held: { BTC_USDT: { long: both!, short: '0' } } })
  for (let times = 0; times < 3; times++)
    harness.settle(harness.tell({ kind: 'positions', held: { BTC_USDT: { long: left!, short: '0' } } }))
  harness.settle(harness.wait(6000))
  const resting = harness.resting().filter((id) => id.includes('.m'))
  expect(resting).toHaveLength(1)
  const [kept] = resting
  const part = kept === 'sgrid.grid.mb1.1' ? other : amount
  expect(faultOf(harness, part)).toBeUndefined()
  expect(faultOf(harness, null)).toContain(`${kept} may still close`)
  harness.tell({ ...gone, amount: part, price: '58000' })
  const ladder = harness.ladder('sgrid', 'grid')
  expect(Object.values(ladder.exits.mirrors)).toMatchObject([{ amount: ladder.held.position, order: kept }])
  expect(ladder.filled).toEqual([kept === 'sgrid.grid.mb1.1' ? 'b1' : 'b2'])
})
