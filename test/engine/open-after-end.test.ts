import { expect, test } from 'vitest'
import { Engine } from '#src/engine/engine.ts'
import type { OrderAnswer } from '#src/engine/events.ts'
import {
  accepted,
  askingGrid,
  cancelsOf,
  type EngineHarness,
  refusal,
  submitsOf,
} from '#test/engine/support/engine-harness.ts'
import { placed } from '#test/engine/support/unknown-order.ts'

/** Answers that say that an order does not exist. */
const denials: OrderAnswer[] = [
  refusal(32, 'Validation failed'),
  { kind: 'not-attempted' },
  { kind: 'not-sent', cause: 'throttled', reason: 'Too many requests' },
]

/** A grid of which the venue has denied the first order, and taken all others. */
function denied(denial: OrderAnswer): { harness: EngineHarness; id: string } {
  const { harness, step } = askingGrid()
  const [submit] = submitsOf(step)
  const [order, ...others] = submit?.orders ?? []
  if (!submit || !order) throw new Error('nothing was sent')
  const orders = [denial, ...others.map(accepted)]
  harness.tell({ kind: 'answered', chunk: submit.chunk, orders })
  expect(harness.order(order.id)).toMatchObject({ status: 'ended', venueId: null })
  return { harness, id: order.id }
}

const open = (harness: EngineHarness, id: string) =>
  harness.tell({ kind: 'seen', orders: [{ id, ...placed }] })

/** All that the engine sends in a minute of unchanged prices. */
function sentInAMinute(harness: EngineHarness, label: string): string[] {
  const sent: string[] = []
  for (let second = 0; second < 60; second++) {
    harness.quote('BTC_USDT', 60_000)
    sent.push(...harness.settle(harness.wait(1000)).map(({ id }) => id))
  }
  return sent.filter((id) => id.startsWith(label))
}

test.each(denials)(
  'an order that a list shows as open is open, whatever its answer said: $kind',
  (denial) => {
    const { harness, id } = denied(denial)
    const { notes } = open(harness, id)
    expect(harness.order(id)).toMatchObject({
      status: 'resting',
      venueId: '7',
      endedAt: null,
      why: null,
    })
    expect(notes).toEqual([
      expect.objectContaining({
        type: 'drift',
        order: id,
        message: expect.stringContaining('is open at the venue'),
      }),
    ])
    // The rung has its order, so that no second one is sent.
    expect(sentInAMinute(harness, 'sgrid.grid.b1.')).toEqual([])
    harness.settle(harness.fill(id))
    expect(harness.engine.state.strategies['sgrid']?.holdings['btc']?.position).toBe(harness.order(id).amount)
  },
)

test('a fill of an order with a refusal counts, also if no list has shown the order open', () => {
  const { harness, id } = denied(refusal(32, 'Validation failed'))
  harness.settle(harness.fill(id))
  expect(harness.engine.state.strategies['sgrid']?.holdings['btc']?.position).toBe(harness.order(id).amount)
  expect(sentInAMinute(harness, 'sgrid.grid.b1.')).toEqual([])
})

test('of two orders of one rung, the one with a refusal is cancelled', () => {
  const { harness, id } = denied({
    kind: 'not-sent',
    cause: 'throttled',
    reason: 'Too many requests',
  })
  const [second = ''] = sentInAMinute(harness, 'sgrid.grid.b1.')
  expect(second).toBe('sgrid.grid.b1.2')
  const step = open(harness, id)
  expect(cancelsOf(step)).toEqual([id])
  expect(harness.resting()).toContain(second)
  // A new process knows of both, too, and asks again.
  harness.engine = new Engine(JSON.parse(JSON.stringify(harness.engine.state)))
  harness.withdrawn([id], 'refused', 'not now')
  expect(harness.resting()).toContain(id)
  harness.quote('BTC_USDT', 60_000)
  expect(cancelsOf(harness.wait(5000))).toEqual([id])
  harness.settle(harness.takenBack(id))
  expect([harness.order(id).status, harness.order(second).status]).toEqual(['ended', 'resting'])
  expect(sentInAMinute(harness, 'sgrid.grid.b1.')).toEqual([])
})

test('of two orders of one rung, one that a list shows during the shutdown is cancelled by the next process', () => {
  const { harness, id } = denied({
    kind: 'not-sent',
    cause: 'throttled',
    reason: 'Too many requests',
  })
  const [second = ''] = sentInAMinute(harness, 'sgrid.grid.b1.')
  harness.tell({ kind: 'ending' })
  // An ending process sends nothing, and does not forget the order.
  expect(open(harness, id).commands).toEqual([])
  expect(harness.resting()).toEqual(expect.arrayContaining([id, second]))
  harness.engine = new Engine(JSON.parse(JSON.stringify(harness.engine.state)))
  expect(harness.begin({ readsFirst: true }).commands).toEqual([])
  expect(cancelsOf(harness.tell({ kind: 'accountRead' }))).toEqual([id])
  harness.settle(harness.takenBack(id))
  expect([harness.order(id).status, harness.order(second).status]).toEqual(['ended', 'resting'])
})

test('of two orders of one rung, one that a list shows during a stop with exits is cancelled after resume', () => {
  const { harness, id } = denied({
    kind: 'not-sent',
    cause: 'throttled',
    reason: 'Too many requests',
  })
  const [second = ''] = sentInAMinute(harness, 'sgrid.grid.b1.')
  harness.tell({ kind: 'operator', act: 'stop', reason: 'to look', freeze: true })
  expect(open(harness, id).commands).toEqual([])
  expect(harness.resting()).toEqual(expect.arrayContaining([id, second]))
  const resumed = harness.tell({ kind: 'operator', act: 'resume', reason: 'looked', strategy: null })
  expect(cancelsOf(resumed)).toEqual([id])
})

test('an older list does not reopen an order whose end the venue has reported', () => {
  const { harness, step } = askingGrid()
  harness.settle(step)
  const [id = ''] = harness.resting()
  harness.settle(harness.takenBack(id))
  open(harness, id)
  expect(harness.order(id).status).toBe('ended')
})
