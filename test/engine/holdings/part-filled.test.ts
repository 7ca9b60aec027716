import { expect, test } from 'vitest'
import { cancelsOf, restingGrid, told, type EngineHarness } from '#test/engine/support/engine-harness.ts'

/** Each line is worth 105 of money; the market takes orders from 5 on. */
const b1 = 'sgrid.grid.b1.1'

const exitsIn = (orders: ReturnType<EngineHarness['settle']>) =>
  told(orders.filter(({ role }) => role === 'exit'))

/** What exits still offer of a side. */
function offered(harness: EngineHarness): number {
  const exits = Object.values(harness.engine.state.orders).filter(
    ({ role, status }) => role === 'exit' && status !== 'ended',
  )
  const lots = exits.reduce((sum, { amount, filled }) => sum + Number(amount) - Number(filled), 0)
  return Number(lots.toFixed(6))
}

test('fills of a resting entry are offered at once, and later fills beside them', () => {
  const harness = restingGrid()
  expect(exitsIn(harness.settle(harness.fill(b1, 0.5)))).toEqual(['sgrid.grid.mb1.1 sell 0.000882 at 60000'])
  expect(harness.order(b1).status).toBe('resting')
  expect(exitsIn(harness.settle(harness.fill(b1, 0.75)))).toEqual([
    'sgrid.grid.mb1-2.1 sell 0.000441 at 60000',
  ])
  expect(exitsIn(harness.settle(harness.fill(b1)))).toEqual(['sgrid.grid.mb1-3.1 sell 0.000441 at 60000'])
  expect(harness.ladder('sgrid', 'grid').held.position).toBe('0.001764')
  // The level waits for all three.
  for (const id of ['mb1-2.1', 'mb1.1'])
    expect(told(harness.settle(harness.fill(`sgrid.grid.${id}`)))).not.toContainEqual(
      expect.stringContaining('sgrid.grid.b1.2'),
    )
  expect(told(harness.settle(harness.fill('sgrid.grid.mb1-3.1')))).toContain(
    'sgrid.grid.b1.2 buy 0.001764 at 59500',
  )
})

test('a fill below the minimum of the market waits for more, and all of it is offered together', () => {
  const harness = restingGrid()
  // 4.2 and 9.4 of money.
  expect(exitsIn(harness.settle(harness.fill(b1, 0.04)))).toEqual([])
  expect(exitsIn(harness.settle(harness.fill(b1, 0.09)))).toEqual(['sgrid.grid.mb1.1 sell 0.000159 at 60000'])
})

test('a mirror that fills while its entry still rests leaves the entry at rest, and its label is used again', () => {
  const harness = restingGrid()
  harness.settle(harness.fill(b1, 0.5))
  const sent = harness.settle(harness.fill('sgrid.grid.mb1.1'))
  expect(sent).toEqual([])
  expect(harness.order(b1)).toMatchObject({ status: 'resting', withdrawing: false })
  expect(harness.ladder('sgrid', 'grid')).toMatchObject({ held: { position: '0' }, filled: [] })
  expect(exitsIn(harness.settle(harness.fill(b1)))).toEqual(['sgrid.grid.mb1.2 sell 0.000882 at 60000'])
  expect(harness.ladder('sgrid', 'grid').filled).toEqual(['b1'])
  expect(told(harness.settle(harness.fill('sgrid.grid.mb1.2')))).toEqual([
    'sgrid.grid.b1.2 buy 0.001764 at 59500',
  ])
})

test('the unfilled rest of a cancelled entry needs no mirror, and its level waits for the resting mirror', () => {
  const harness = restingGrid()
  const b6 = 'sgrid.grid.b6.1'
  harness.settle(harness.fill(b6, 0.5))
  harness.quote('BTC_USDT', 61_200)
  const step = harness.wait(1000)
  expect(cancelsOf(step)).toContain(b6)
  harness.settle(step)
  expect(harness.order(b6).status).toBe('ended')
  harness.quote('BTC_USDT', 60_000)
  const again = harness.settle(harness.wait(1000)).map(({ level }) => level)
  expect(again).not.toContain('b6')
  expect(again).not.toContain('mb6')
  expect(offered(harness)).toBe(Number(harness.order(b6).filled))
  const last = harness.settle(harness.fill('sgrid.grid.mb6.1'))
  expect(last.map(({ id }) => id)).toContain('sgrid.grid.b6.2')
})

test('while the outcome of a mirror is unknown, no more is offered than the fills', () => {
  const harness = restingGrid({ clientIds: 'unproven' })
  harness.settle(harness.fill(b1, 0.5), () => ({ kind: 'unknown', reason: 'the connection broke' }))
  expect(harness.order('sgrid.grid.mb1.1').status).toBe('doubtful')
  expect(exitsIn(harness.settle(harness.fill(b1)))).toEqual(['sgrid.grid.mb1-2.1 sell 0.000882 at 60000'])
  expect(offered(harness)).toBe(0.001764)
  const proof = { kind: 'operator', act: 'resolve', as: 'absent', reason: 'looked' } as const
  expect(exitsIn(harness.settle(harness.tell({ ...proof, order: 'sgrid.grid.mb1.1' })))).toEqual([
    'sgrid.grid.mb1.2 sell 0.000882 at 60000',
  ])
  expect(offered(harness)).toBe(0.001764)
})

test('an entry that fills in many small parts has at most nine mirrors, which cover all fills', () => {
  const harness = restingGrid()
  for (let part = 1; part < 20; part++) harness.settle(harness.fill(b1, part / 20))
  const labels = harness.resting().filter((id) => id.includes('.mb1'))
  expect(labels).toHaveLength(9)
  const filled = Number(harness.order(b1).filled)
  expect(offered(harness)).toBeLessThan(filled)
  // The rest follows as soon as one of them has filled.
  const sold = Number(harness.order('sgrid.grid.mb1.1').amount)
  expect(exitsIn(harness.settle(harness.fill('sgrid.grid.mb1.1')))).toHaveLength(1)
  expect(offered(harness)).toBe(Number((filled - sold).toFixed(6)))
})

test('a part that is too small for an order joins the parts that wait for a free mirror', () => {
  const harness = restingGrid()
  for (let part = 1; part < 11; part++) harness.settle(harness.fill(b1, part / 20))
  // 2.1 of money.
  harness.settle(harness.fill(b1, 0.52))
  expect(exitsIn(harness.settle(harness.fill('sgrid.grid.b2.1')))).toEqual([
    'sgrid.grid.mb2.1 sell 0.001779 at 59500',
  ])
  expect(exitsIn(harness.settle(harness.fill('sgrid.grid.mb1.1')))).toEqual([
    'sgrid.grid.mb1.2 sell 0.000123 at 60000',
  ])
})
