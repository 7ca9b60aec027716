import { expect, test } from 'vitest'
import type { OrderAnswer, VenueFacts } from '#src/engine/events.ts'
import {
  accepted,
  EngineHarness,
  fileOf,
  hour,
  minute,
  refusal,
  submitsOf,
  told,
} from '#test/engine/support/engine-harness.ts'

/** A market a tenth below its high, and the ladder about to be sent. */
function dip(facts: Partial<VenueFacts> = {}) {
  const harness = new EngineHarness([fileOf('geometric-dip')], facts)
  harness.past(
    'ETH_USDT',
    '1d',
    Array.from({ length: 40 }, () => 2500),
  )
  harness.quote('ETH_USDT', 2250)
  return { harness, step: harness.candle('ETH_USDT', '5m', 2250) }
}

test('fifteen buys are sent as one chunk with stopOnFail, and the anchor stays fixed', () => {
  const { harness, step } = dip()
  const [submit] = submitsOf(step)
  expect(submit?.stopOnFail).toBe(true)
  const rungs = told(submit?.orders ?? [])
  expect([rungs.length, rungs[0]]).toEqual([15, 'ggeo.dip.1.1 buy 0.028449 at 2216.25'])
  harness.settle(step)
  harness.at += 5 * minute
  harness.quote('ETH_USDT', 2240)
  harness.candle('ETH_USDT', '5m', 2240)
  harness.wait(hour)
  expect(harness.ladder('ggeo', 'dip')).toMatchObject({ anchor: '2250', episode: 1, goal: 'ensure' })
  expect(harness.resting().length).toBe(15)
})

test('the position is sold in three parts above the average entry, then the episode ends', () => {
  const { harness, step } = dip()
  harness.settle(step)
  harness.fill('ggeo.dip.1.1')
  harness.fill('ggeo.dip.2.1')
  const { entry, position } = harness.ladder('ggeo', 'dip').held
  expect(Number(entry)).toBeGreaterThan(2189)
  const sold: string[] = []
  for (const gain of [1.0241, 1.0321, 1.0401]) {
    harness.at += 1000
    const orders = harness.settle(harness.quote('ETH_USDT', Number(entry) * gain, 0.02))
    sold.push(...orders.map(({ id, side, ioc }) => `${id} ${side} ${ioc}`))
  }
  expect(sold).toEqual(['ggeo.dip.t1.1 sell true', 'ggeo.dip.t2.1 sell true', 'ggeo.dip.t3.1 sell true'])
  const said = harness.steps.flatMap(({ step }) => step.notes).filter((note) => note.type === 'exit-sent')
  expect(said.map(({ order, kind }) => `${order} ${kind}`)).toEqual(
    ['t1', 't2', 't3'].map((label) => `ggeo.dip.${label}.1 take_profit`),
  )
  const sum = sold.reduce((sum, text) => sum + Number(harness.order(text.split(' ')[0] ?? '').amount), 0)
  expect(sum).toBeCloseTo(Number(position), 6)
  harness.wait(1000)
  expect(harness.ladder('ggeo', 'dip')).toMatchObject({ goal: 'none', openedAt: null, filled: [] })
  expect(harness.ladder('ggeo', 'dip').held.position).toBe('0')
})

test('remaining entries are cancelled at the end of the episode, and the next one has new generations', () => {
  const { harness, step } = dip()
  harness.settle(step)
  harness.fill('ggeo.dip.1.1')
  harness.at += 1000
  harness.settle(harness.quote('ETH_USDT', 2400))
  harness.at += 1000
  harness.settle(harness.quote('ETH_USDT', 2400))
  harness.at += 1000
  harness.settle(harness.quote('ETH_USDT', 2400))
  const cancels = harness.steps.flatMap(({ step }) =>
    step.commands.flatMap((command) => (command.kind === 'cancel' ? command.orders : [])),
  )
  expect(cancels.map(({ id }) => id).includes('ggeo.dip.2.1')).toBe(true)
  harness.takenBack(...cancels.map(({ id }) => id))
  expect(harness.resting()).toEqual([])
  harness.at += 7 * hour
  harness.quote('ETH_USDT', 2200)
  const sent = harness.settle(harness.candle('ETH_USDT', '5m', 2200))
  expect(sent.map(({ id }) => id)).toEqual(expect.arrayContaining(['ggeo.dip.1.2', 'ggeo.dip.15.2']))
})

test('a refused rung halts the ladder: rungs behind it were not attempted, and are not retried', () => {
  const { harness, step } = dip()
  const answers = new Map<string, OrderAnswer>([
    ['ggeo.dip.1.1', accepted({ amount: '1', price: '1', ioc: false })],
    ['ggeo.dip.2.1', refusal(10, 'Not enough balance.')],
  ])
  const sent = harness.settle(step, ({ id }) => answers.get(id) ?? { kind: 'not-attempted' })
  expect(sent.length).toBe(15)
  expect(harness.wait(minute).commands).toEqual([])
  expect(harness.ladder('ggeo', 'dip').frozen).toMatch(/ggeo.dip.2.1 was refused: Not enough balance/)
  const again = harness.settle(
    harness.tell({ kind: 'operator', act: 'resume', strategy: 'ggeo', reason: 'money came in' }),
  )
  expect(again.map(({ id }) => id)[0]).toBe('ggeo.dip.2.2')
})

test('while the outcome of one order is unknown, the ladder sends none', () => {
  const { harness, step } = dip({ clientIds: 'until-ended' })
  harness.settle(step, ({ id }) =>
    id === 'ggeo.dip.3.1'
      ? { kind: 'unknown', reason: 'no answer came' }
      : id < 'ggeo.dip.3'
        ? accepted({ amount: '1', price: '1', ioc: false })
        : { kind: 'not-attempted' },
  )
  expect(harness.order('ggeo.dip.3.1').status).toBe('doubtful')
  expect(submitsOf(harness.wait(minute)).flatMap(({ orders }) => orders.map(({ id }) => id))).toEqual([])
  const resolved = harness.tell({
    kind: 'operator',
    act: 'resolve',
    order: 'ggeo.dip.3.1',
    as: 'absent',
    reason: 'seen',
  })
  expect(harness.settle(resolved).map(({ id }) => id)).toContain('ggeo.dip.3.2')
})

test('a new high pauses entries while it lasts, and no exits', () => {
  const { harness, step } = dip()
  harness.settle(step)
  harness.fill('ggeo.dip.1.1')
  harness.at += 5 * minute
  const high = harness.candle('ETH_USDT', '5m', 2600)
  expect(harness.engine.state.strategies['ggeo']?.pauses).toEqual({ euphoria: 'a new high' })
  expect(harness.settle(high).map(({ level }) => level)).toContain('t1')
  harness.at += 5 * minute
  harness.candle('ETH_USDT', '5m', 2500)
  expect(harness.engine.state.strategies['ggeo']?.pauses).toEqual({})
})
