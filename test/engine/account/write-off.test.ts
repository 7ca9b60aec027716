import { expect, test } from 'vitest'
import { writeOffFault } from '#src/engine/account/write-off.ts'
import { cancelsOf, Desk, fileOf, submitsOf, told } from '#test/engine/support/engine-harness.ts'

const gone = {
  kind: 'operator',
  act: 'write-off',
  strategy: 'sgrid',
  ladder: 'grid',
  reason: 'liquidated',
} as const

/** A grid that holds what one of its lines has bought, with the mirror that sells it again at rest. */
function holding(): { desk: Desk; amount: string } {
  const desk = new Desk([fileOf('static-grid')])
  desk.quote('BTC_USDT', 60_000)
  desk.settle(desk.candle('BTC_USDT', '1m', 60_000))
  const { amount } = desk.order('sgrid.grid.b1.1')
  desk.settle(desk.fill('sgrid.grid.b1.1'))
  return { desk, amount }
}

const faultOf = (desk: Desk, amount: string | null) =>
  writeOffFault(desk.engine.state, { ...gone, amount, price: '58000' })
const holdingOf = (desk: Desk) => desk.engine.state.strategies['sgrid']?.holdings['btc']

/** The venue has closed the position: what would sell it is taken back, and ended. */
function taken(desk: Desk): void {
  const [strange] = [{ BTC_USDT: { long: '0', short: '0' } }]
  for (let times = 0; times < 3; times++) desk.tell({ kind: 'positions', held: strange })
  for (const id of cancelsOf(desk.wait(6000))) desk.takenBack(id)
}

test('a position that the venue has closed is written off at the given price, and nothing is sold for it', () => {
  const { desk, amount } = holding()
  expect(faultOf(desk, null)).toMatch(/^sgrid\.grid\.mb1\.1 may still close/)
  desk.tell({ ...gone, amount: null, price: '58000' })
  expect(desk.ladder('sgrid', 'grid').held.position).toBe(amount)
  desk.tell({ kind: 'positions', held: { BTC_USDT: { long: amount, short: '0' } } })
  taken(desk)
  expect(desk.engine.state.strategies['sgrid']?.halted).toMatch(/others closed/)
  expect(faultOf(desk, null)).toBeUndefined()
  const step = desk.tell({ ...gone, amount: null, price: '58000' })
  expect(step.notes[0]).toMatchObject({
    type: 'alert',
    message: expect.stringMatching(/^written off .*liquidated$/),
  })
  const ladder = desk.ladder('sgrid', 'grid')
  expect([ladder.held.position, ladder.exits.mirrors, ladder.filled]).toEqual(['0', {}, []])
  // What was bought at 59500.
  expect(Number(holdingOf(desk)?.realized)).toBeCloseTo(-1500 * Number(amount), 6)
  expect(faultOf(desk, null)).toBe('sgrid.grid holds no position')
  desk.tell({ kind: 'positions', held: { BTC_USDT: { long: '0', short: '0' } } })
  expect(desk.engine.state.drift).toMatchObject({ suspect: null, lacking: {} })
  // It goes on as after a sale: the line is bought again, and nothing is sold.
  desk.at += 1000
  const resumed = desk.settle(
    desk.tell({ kind: 'operator', act: 'resume', strategy: 'sgrid', reason: 'looked' }),
  )
  desk.quote('BTC_USDT', 60_000)
  const sent = [
    ...resumed,
    ...desk.settle(desk.candle('BTC_USDT', '1m', 60_000)),
    ...desk.settle(desk.wait(1000)),
  ]
  expect(sent.filter(({ role }) => role === 'exit')).toEqual([])
  const decision = desk.steps.flatMap(({ step: { decisions } }) => decisions).at(-1)
  expect(decision?.writtenOff).toMatch(/at 58000: liquidated$/)
})

test('a part of a position can be written off: only the rest is sold', () => {
  const { desk, amount } = holding()
  desk.settle(desk.takenBack('sgrid.grid.mb1.1'))
  expect(faultOf(desk, '1000')).toBe(`sgrid.grid holds ${amount}, not 1000`)
  expect(faultOf(desk, '0')).toMatch(/not 0$/)
  // The mirror is offered again at once: it must be gone first.
  expect(faultOf(desk, null)).toMatch(/may still close/)
  desk.tell({ kind: 'operator', act: 'halt', strategy: 'sgrid', reason: 'a part is gone', freeze: true })
  desk.takenBack('sgrid.grid.mb1.2')
  const part = (Number(amount) / 2).toFixed(6)
  desk.tell({ ...gone, amount: part, price: '58000' })
  const left = (Number(amount) - Number(part)).toFixed(6)
  expect(Number(desk.ladder('sgrid', 'grid').held.position)).toBeCloseTo(Number(left), 9)
  const resumed = submitsOf(
    desk.tell({ kind: 'operator', act: 'resume', strategy: 'sgrid', reason: 'looked' }),
  )
  const exits = resumed.flatMap(({ orders }) => orders).filter(({ role }) => role === 'exit')
  expect(told(exits)).toEqual([`sgrid.grid.mb1.3 sell ${Number(left)} at 60000`])
})

test('a write-off leaves the resting exit for the rest open', () => {
  const { desk, amount } = holding()
  desk.settle(desk.fill('sgrid.grid.b2.1'))
  const other = desk.order('sgrid.grid.b2.1').amount
  const [both, left] = [Number(amount) + Number(other), Number(other)].map((sum) => sum.toFixed(6))
  desk.tell({ kind: 'positions', held: { BTC_USDT: { long: both!, short: '0' } } })
  for (let times = 0; times < 3; times++)
    desk.settle(desk.tell({ kind: 'positions', held: { BTC_USDT: { long: left!, short: '0' } } }))
  desk.settle(desk.wait(6000))
  const resting = desk.resting().filter((id) => id.includes('.m'))
  expect(resting).toHaveLength(1)
  const [kept] = resting
  const part = kept === 'sgrid.grid.mb1.1' ? other : amount
  expect(faultOf(desk, part)).toBeUndefined()
  expect(faultOf(desk, null)).toContain(`${kept} may still close`)
  desk.tell({ ...gone, amount: part, price: '58000' })
  const ladder = desk.ladder('sgrid', 'grid')
  expect(Object.values(ladder.exits.mirrors)).toMatchObject([{ amount: ladder.held.position, order: kept }])
  expect(ladder.filled).toEqual([kept === 'sgrid.grid.mb1.1' ? 'b1' : 'b2'])
})
