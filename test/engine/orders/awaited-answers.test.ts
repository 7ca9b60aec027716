import { expect, test } from 'vitest'
import type { VenueFacts } from '#src/engine/events.ts'
import type { Step } from '#src/engine/step-context.ts'
import { accepted, EngineHarness, fileOf, submitsOf } from '#test/engine/support/engine-harness.ts'
import { twoBuys } from '#test/engine/support/two-buys.ts'

const buys = twoBuys('mirror: 1', ['max_loss: 350', 'max_loss: 1000'])

/** The venue answers that all orders of the step rest. */
function rest(harness: EngineHarness, step: Step): Step {
  const [sent] = submitsOf(step)
  if (!sent) throw new Error('nothing was sent')
  return harness.tell({ kind: 'answered', chunk: sent.chunk, orders: sent.orders.map(accepted) })
}

const idsOf = (step: Step) => submitsOf(step).flatMap(({ orders }) => orders.map(({ id }) => id))
const cancelsOf = (step: Step) =>
  step.commands.flatMap((command) => (command.kind === 'cancel' ? command.orders.map(({ id }) => id) : []))

function priced(text: string, facts: Partial<VenueFacts> = {}): { harness: EngineHarness; step: Step } {
  const harness = new EngineHarness([text], facts)
  harness.quote('BTC_USDT', 60_000)
  return { harness, step: harness.candle('BTC_USDT', '1m', 60_000) }
}

test('the rest of a ladder is sent with the answer to its first chunk', () => {
  const { harness, step } = priced(fileOf('static-grid'), { batchMax: 4 })
  expect(idsOf(step)).toHaveLength(4)
  expect(idsOf(rest(harness, step))).toHaveLength(4)
})

test('an order that was no longer wanted in flight is cancelled with the answer', () => {
  const text = buys.replace('do: [freeze: grid,', 'do: [retire: grid,')
  const { harness, step } = priced(text.replace('    for: 10m\n', ''))
  const sent = idsOf(step)
  harness.at += 60_000
  expect(cancelsOf(harness.candle('BTC_USDT', '1m', 53_000))).toEqual([])
  expect(cancelsOf(rest(harness, step))).toEqual(sent)
})

/** Both buys have filled at a venue with one order a request: the first mirror is on its way. */
function filled(): { harness: EngineHarness; step: Step } {
  const { harness, step } = priced(buys, { batchMax: 1 })
  const sent = harness.settle(step).map(({ id }) => id)
  return { harness, step: harness.seenEnded(sent, ({ amount }) => amount) }
}

test('the second exit is sent with the answer to the first', () => {
  const { harness, step } = filled()
  expect([idsOf(step), idsOf(rest(harness, step))]).toEqual([['sgrid.grid.m1.1'], ['sgrid.grid.m2.1']])
})

test('the same if a tick came between them', () => {
  const { harness, step } = filled()
  expect(idsOf(harness.wait(1000))).toEqual([])
  expect(idsOf(rest(harness, step))).toEqual(['sgrid.grid.m2.1'])
})

test('an answer that brings nothing new evaluates nothing', () => {
  const { harness, step } = priced(buys)
  const { worth } = harness.engine.state.strategies['sgrid']!
  // An evaluation would notice the new day.
  harness.at += 24 * 3_600_000
  const before = worth.day
  expect([rest(harness, step).commands, worth.day]).toEqual([[], before])
  harness.wait(0)
  expect(worth.day).toBe(before + 1)
})
