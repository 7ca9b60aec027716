import { expect, test } from 'vitest'
import { Engine } from '#src/engine/engine.ts'
import type { OrderAnswer } from '#src/engine/events.ts'
import {
  accepted,
  askingGrid,
  cancelsOf,
  type Desk,
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
function denied(denial: OrderAnswer): { desk: Desk; id: string } {
  const { desk, step } = askingGrid()
  const [submit] = submitsOf(step)
  const [order, ...others] = submit?.orders ?? []
  if (!submit || !order) throw new Error('nothing was sent')
  const orders = [denial, ...others.map(accepted)]
  desk.tell({ kind: 'answered', chunk: submit.chunk, orders })
  expect(desk.order(order.id)).toMatchObject({ status: 'ended', venueId: null })
  return { desk, id: order.id }
}

const open = (desk: Desk, id: string) => desk.tell({ kind: 'seen', orders: [{ id, ...placed }] })

/** All that the engine sends in a minute of unchanged prices. */
function sentInAMinute(desk: Desk, label: string): string[] {
  const sent: string[] = []
  for (let second = 0; second < 60; second++) {
    desk.quote('BTC_USDT', 60_000)
    sent.push(...desk.settle(desk.wait(1000)).map(({ id }) => id))
  }
  return sent.filter((id) => id.startsWith(label))
}

test.each(denials)(
  'an order that a list shows as open is open, whatever its answer said: $kind',
  (denial) => {
    const { desk, id } = denied(denial)
    const { notes } = open(desk, id)
    expect(desk.order(id)).toMatchObject({
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
    expect(sentInAMinute(desk, 'sgrid.grid.b1.')).toEqual([])
    desk.settle(desk.fill(id))
    expect(desk.engine.state.strategies['sgrid']?.holdings['btc']?.position).toBe(desk.order(id).amount)
  },
)

test('a fill of an order with a refusal counts, also if no list has shown the order open', () => {
  const { desk, id } = denied(refusal(32, 'Validation failed'))
  desk.settle(desk.fill(id))
  expect(desk.engine.state.strategies['sgrid']?.holdings['btc']?.position).toBe(desk.order(id).amount)
  expect(sentInAMinute(desk, 'sgrid.grid.b1.')).toEqual([])
})

test('of two orders of one rung, the one with a refusal is cancelled', () => {
  const { desk, id } = denied({
    kind: 'not-sent',
    cause: 'throttled',
    reason: 'Too many requests',
  })
  const [second = ''] = sentInAMinute(desk, 'sgrid.grid.b1.')
  expect(second).toBe('sgrid.grid.b1.2')
  const step = open(desk, id)
  expect(cancelsOf(step)).toEqual([id])
  expect(desk.resting()).toContain(second)
  // A new process knows of both, too, and asks again.
  desk.engine = new Engine(JSON.parse(JSON.stringify(desk.engine.state)))
  desk.withdrawn([id], 'refused', 'not now')
  expect(desk.resting()).toContain(id)
  desk.quote('BTC_USDT', 60_000)
  expect(cancelsOf(desk.wait(5000))).toEqual([id])
  desk.settle(desk.takenBack(id))
  expect([desk.order(id).status, desk.order(second).status]).toEqual(['ended', 'resting'])
  expect(sentInAMinute(desk, 'sgrid.grid.b1.')).toEqual([])
})

test('of two orders of one rung, one that a list shows during the shutdown is cancelled by the next process', () => {
  const { desk, id } = denied({
    kind: 'not-sent',
    cause: 'throttled',
    reason: 'Too many requests',
  })
  const [second = ''] = sentInAMinute(desk, 'sgrid.grid.b1.')
  desk.tell({ kind: 'ending' })
  // An ending process sends nothing, and does not forget the order.
  expect(open(desk, id).commands).toEqual([])
  expect(desk.resting()).toEqual(expect.arrayContaining([id, second]))
  desk.engine = new Engine(JSON.parse(JSON.stringify(desk.engine.state)))
  expect(desk.begin({ readsFirst: true }).commands).toEqual([])
  expect(cancelsOf(desk.tell({ kind: 'accountRead' }))).toEqual([id])
  desk.settle(desk.takenBack(id))
  expect([desk.order(id).status, desk.order(second).status]).toEqual(['ended', 'resting'])
})

test('of two orders of one rung, one that a list shows during a stop with exits is cancelled after resume', () => {
  const { desk, id } = denied({
    kind: 'not-sent',
    cause: 'throttled',
    reason: 'Too many requests',
  })
  const [second = ''] = sentInAMinute(desk, 'sgrid.grid.b1.')
  desk.tell({ kind: 'operator', act: 'stop', reason: 'to look', freeze: true })
  expect(open(desk, id).commands).toEqual([])
  expect(desk.resting()).toEqual(expect.arrayContaining([id, second]))
  const resumed = desk.tell({ kind: 'operator', act: 'resume', reason: 'looked', strategy: null })
  expect(cancelsOf(resumed)).toEqual([id])
})

test('an older list does not reopen an order whose end the venue has reported', () => {
  const { desk, step } = askingGrid()
  desk.settle(step)
  const [id = ''] = desk.resting()
  desk.settle(desk.takenBack(id))
  open(desk, id)
  expect(desk.order(id).status).toBe('ended')
})
