import { expect, test } from 'vitest'
import type { OrderAnswer, VenueFacts } from '#src/engine/events.ts'
import {
  accepted,
  Desk,
  fileOf,
  hour,
  minute,
  refusal,
  submitsOf,
  told,
} from '#test/engine/support/engine-harness.ts'

/** A market a tenth below its high, and the ladder about to be sent. */
function dip(facts: Partial<VenueFacts> = {}) {
  const desk = new Desk([fileOf('geometric-dip')], facts)
  desk.past(
    'ETH_USDT',
    '1d',
    Array.from({ length: 40 }, () => 2500),
  )
  desk.quote('ETH_USDT', 2250)
  return { desk, step: desk.candle('ETH_USDT', '5m', 2250) }
}

test('fifteen buys are sent as one chunk with stopOnFail, and the anchor stays fixed', () => {
  const { desk, step } = dip()
  const [submit] = submitsOf(step)
  expect(submit?.stopOnFail).toBe(true)
  const rungs = told(submit?.orders ?? [])
  expect([rungs.length, rungs[0]]).toEqual([15, 'ggeo.dip.1.1 buy 0.028449 at 2216.25'])
  desk.settle(step)
  desk.at += 5 * minute
  desk.quote('ETH_USDT', 2240)
  desk.candle('ETH_USDT', '5m', 2240)
  desk.wait(hour)
  expect(desk.ladder('ggeo', 'dip')).toMatchObject({ anchor: '2250', episode: 1, goal: 'ensure' })
  expect(desk.resting().length).toBe(15)
})

test('the position is sold in three parts above the average entry, then the episode ends', () => {
  const { desk, step } = dip()
  desk.settle(step)
  desk.fill('ggeo.dip.1.1')
  desk.fill('ggeo.dip.2.1')
  const { entry, position } = desk.ladder('ggeo', 'dip').held
  expect(Number(entry)).toBeGreaterThan(2189)
  const sold: string[] = []
  for (const gain of [1.0241, 1.0321, 1.0401]) {
    desk.at += 1000
    const orders = desk.settle(desk.quote('ETH_USDT', Number(entry) * gain, 0.02))
    sold.push(...orders.map(({ id, side, ioc }) => `${id} ${side} ${ioc}`))
  }
  expect(sold).toEqual(['ggeo.dip.t1.1 sell true', 'ggeo.dip.t2.1 sell true', 'ggeo.dip.t3.1 sell true'])
  const said = desk.steps.flatMap(({ step }) => step.notes).filter((note) => note.type === 'exit-sent')
  expect(said.map(({ order, kind }) => `${order} ${kind}`)).toEqual(
    ['t1', 't2', 't3'].map((label) => `ggeo.dip.${label}.1 take_profit`),
  )
  const sum = sold.reduce((sum, text) => sum + Number(desk.order(text.split(' ')[0] ?? '').amount), 0)
  expect(sum).toBeCloseTo(Number(position), 6)
  desk.wait(1000)
  expect(desk.ladder('ggeo', 'dip')).toMatchObject({ goal: 'none', openedAt: null, filled: [] })
  expect(desk.ladder('ggeo', 'dip').held.position).toBe('0')
})

test('remaining entries are cancelled at the end of the episode, and the next one has new generations', () => {
  const { desk, step } = dip()
  desk.settle(step)
  desk.fill('ggeo.dip.1.1')
  desk.at += 1000
  desk.settle(desk.quote('ETH_USDT', 2400))
  desk.at += 1000
  desk.settle(desk.quote('ETH_USDT', 2400))
  desk.at += 1000
  desk.settle(desk.quote('ETH_USDT', 2400))
  const cancels = desk.steps.flatMap(({ step }) =>
    step.commands.flatMap((command) => (command.kind === 'cancel' ? command.orders : [])),
  )
  expect(cancels.map(({ id }) => id).includes('ggeo.dip.2.1')).toBe(true)
  desk.takenBack(...cancels.map(({ id }) => id))
  expect(desk.resting()).toEqual([])
  desk.at += 7 * hour
  desk.quote('ETH_USDT', 2200)
  const sent = desk.settle(desk.candle('ETH_USDT', '5m', 2200))
  expect(sent.map(({ id }) => id)).toEqual(expect.arrayContaining(['ggeo.dip.1.2', 'ggeo.dip.15.2']))
})

test('a refused rung halts the ladder: rungs behind it were not attempted, and are not retried', () => {
  const { desk, step } = dip()
  const answers = new Map<string, OrderAnswer>([
    ['ggeo.dip.1.1', accepted({ amount: '1', price: '1', ioc: false })],
    ['ggeo.dip.2.1', refusal(10, 'Not enough balance.')],
  ])
  const sent = desk.settle(step, ({ id }) => answers.get(id) ?? { kind: 'not-attempted' })
  expect(sent.length).toBe(15)
  expect(desk.wait(minute).commands).toEqual([])
  expect(desk.ladder('ggeo', 'dip').frozen).toMatch(/ggeo.dip.2.1 was refused: Not enough balance/)
  const again = desk.settle(
    desk.tell({ kind: 'operator', act: 'resume', strategy: 'ggeo', reason: 'money came in' }),
  )
  expect(again.map(({ id }) => id)[0]).toBe('ggeo.dip.2.2')
})

test('while the outcome of one order is unknown, the ladder sends none', () => {
  const { desk, step } = dip({ clientIds: 'until-ended' })
  desk.settle(step, ({ id }) =>
    id === 'ggeo.dip.3.1'
      ? { kind: 'unknown', reason: 'no answer came' }
      : id < 'ggeo.dip.3'
        ? accepted({ amount: '1', price: '1', ioc: false })
        : { kind: 'not-attempted' },
  )
  expect(desk.order('ggeo.dip.3.1').status).toBe('doubtful')
  expect(submitsOf(desk.wait(minute)).flatMap(({ orders }) => orders.map(({ id }) => id))).toEqual([])
  const resolved = desk.tell({
    kind: 'operator',
    act: 'resolve',
    order: 'ggeo.dip.3.1',
    as: 'absent',
    reason: 'seen',
  })
  expect(desk.settle(resolved).map(({ id }) => id)).toContain('ggeo.dip.3.2')
})

test('a new high pauses entries while it lasts, and no exits', () => {
  const { desk, step } = dip()
  desk.settle(step)
  desk.fill('ggeo.dip.1.1')
  desk.at += 5 * minute
  const high = desk.candle('ETH_USDT', '5m', 2600)
  expect(desk.engine.state.strategies['ggeo']?.pauses).toEqual({ euphoria: 'a new high' })
  expect(desk.settle(high).map(({ level }) => level)).toContain('t1')
  desk.at += 5 * minute
  desk.candle('ETH_USDT', '5m', 2500)
  expect(desk.engine.state.strategies['ggeo']?.pauses).toEqual({})
})
