import { expect, test } from 'vitest'
import { cancelFault } from '#src/engine/orders/cancel-by-operator.ts'
import { cancelsOf, restingGrid, told } from '#test/engine/support/engine-harness.ts'

const b3 = 'sgrid.grid.b3.1'
const command = { kind: 'operator', act: 'cancel', reason: 'too near' } as const

test('rungs cancel cancels one entry, and its rung stays empty until rungs resume', () => {
  const harness = restingGrid()
  const step = harness.tell({ ...command, order: 'sgrid.grid.b3' })
  expect(cancelsOf(step)).toEqual([b3])
  const others = harness.resting().filter((id) => id !== b3)
  harness.withdrawn([b3], 'canceled', '')
  harness.settle(harness.wait(60_000))
  expect(harness.resting()).toEqual(others)
  const rung = harness.steps
    .flatMap(({ step: { decisions } }) => decisions)
    .at(-1)
    ?.rungs.find(({ level }) => level === 'b3')
  expect(rung).toMatchObject({
    why: 'an operator has cancelled its order: too near',
    change: 'rungs resume sgrid places it again',
  })
  const resumed = { kind: 'operator', act: 'resume', strategy: 'sgrid', reason: 'calm' } as const
  expect(told(harness.settle(harness.tell(resumed)))).toEqual([
    expect.stringMatching(/^sgrid\.grid\.b3\.2 buy /),
  ])
})

test('a request to cancel without an answer is repeated, although the rung fits', () => {
  const harness = restingGrid()
  harness.tell({ ...command, order: b3 })
  harness.withdrawn([b3], 'unknown', 'no answer in time')
  expect(cancelsOf(harness.wait(5000))).toEqual([b3])
})

test('an order that cannot be cancelled is refused with the reason', () => {
  const harness = restingGrid()
  const { state } = harness.engine
  harness.settle(harness.fill('sgrid.grid.b1.1'))
  for (const [name, why] of [
    ['sgrid.grid.mb1.1', 'is an exit'],
    ['sgrid.grid.b1', 'there is no open order sgrid.grid.b1'],
    ['sgrid.grid.constructor', 'there is no open order'],
    ['sgrid.grid.b3.7', 'there is no open order sgrid.grid.b3.7'],
    ['nothing', 'there is no open order nothing'],
  ] as const)
    expect(cancelFault(state, name)).toContain(why)
  expect(cancelFault(state, b3)).toBeUndefined()
  harness.order(b3).status = 'doubtful'
  expect(cancelFault(state, b3)).toContain('the outcome of sgrid.grid.b3.1 is unknown')
  state.venue.capabilities = ['bulk', 'history', 'balance']
  expect(cancelFault(state, 'sgrid.grid.b2')).toBe('sgrid.grid.b2.1: the venue cannot cancel orders')
})
