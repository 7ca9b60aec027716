import { expect, test, vi } from 'vitest'
import { cancelAtVenue } from '#src/runtime/execute/cancel-orders.ts'
import type { NewEvent } from '#src/runtime/loop/driver.ts'
import { createClient } from '#src/venues/whitebit/client/client.ts'
import { httpTransport } from '#src/venues/whitebit/client/transport/http.ts'
import { Nonces } from '#src/venues/whitebit/client/calls/nonces.ts'
import { Secret } from '#src/venues/whitebit/contract/wire/signing.ts'
import { systemClock } from '#src/core/time/clock.ts'
import { startFaultyVenue } from '#test/support/faulty-venue.ts'
import { openVenue } from '#test/support/venue.ts'
import { worldWith } from '#test/support/world.ts'
import { asListed } from '#test/runtime/support/unknown-order-venue.ts'
import { adapterOf } from '#test/support/adapter.ts'

const order = { market: 'BTC_PERP', side: 'buy', price: '50000', amount: '0.02' } as const
const lagMs = 10_000
const lists = { isListed: true, isOurs: () => true, inDealOrder: asListed }

test('all results of a request are one event', async () => {
  const venue = await openVenue('socket', { profile: 'full' })
  try {
    const ids = ['s.g.1.1', 's.g.2.1', 's.g.3.1']
    await venue.paper.collateralBulk({ orders: ids.map((id) => ({ ...order, client_order_id: id })) })
    await venue.rival.collateralBulk({ orders: [{ ...order, side: 'sell', amount: '0.02' }] })
    const told: NewEvent[] = []
    const orders = ids.map((id) => ({ id, market: 'BTC_PERP', venueId: null }))
    const tell = (event: NewEvent) => void told.push(event)
    await cancelAtVenue(
      { venue: adapterOf(venue.paper), tell, settled: () => Promise.resolve(false), ...lists },
      orders,
    )
    // As the history has them, what ended last before the others.
    const ended = ['s.g.3.1', 's.g.2.1', 's.g.1.1'].map((id) => ({ id, ended: true }))
    const outcomes = ['gone', 'canceled', 'canceled']
    expect(told).toMatchObject([
      { kind: 'seen', orders: ended },
      { kind: 'withdrawn', orders: ids.map((id, index) => ({ id, outcome: outcomes[index] })) },
    ])
  } finally {
    await venue.close()
  }
})

type Venue = Awaited<ReturnType<typeof openVenue>>

/** One order that rests with a part of it gone. */
async function partlyFilled(venue: Venue) {
  const id = 's.g.1.1'
  await venue.paper.collateralBulk({ orders: [{ ...order, client_order_id: id }] })
  await venue.rival.collateralBulk({ orders: [{ ...order, side: 'sell', amount: '0.015' }] })
  return [{ id, market: 'BTC_PERP', venueId: null }]
}

test.each([true, false])(
  'the result of a cancellation is emitted when the history shows it, and not before: %s',
  async (isWaited) => {
    const world = { switches: { historyLag: '10s' } }
    const venue = await openVenue('socket', { profile: 'full', world })
    try {
      const orders = await partlyFilled(venue)
      const told: NewEvent[] = []
      const tell = (event: NewEvent) => void told.push(event)
      const settled = async () => {
        expect(told).toEqual([])
        venue.advance(lagMs)
        return isWaited
      }
      await cancelAtVenue({ venue: adapterOf(venue.paper), tell, settled, ...lists }, orders)
      const seen = { kind: 'seen', orders: [{ id: 's.g.1.1', filled: '0.015', ended: true }] }
      const withdrawn = { kind: 'withdrawn', orders: [{ id: 's.g.1.1', outcome: 'canceled' }] }
      expect(told).toMatchObject(isWaited ? [seen, withdrawn] : [])
    } finally {
      await venue.close()
    }
  },
)

test('a cancelled order is found behind many others that end during the delay of the history', async () => {
  const venue = await openVenue('socket', { profile: 'full', world: { switches: { historyLag: '10s' } } })
  try {
    const orders = await partlyFilled(venue)
    const told: NewEvent[] = []
    const tell = (event: NewEvent) => void told.push(event)
    const settled = async () => {
      const others = Array.from({ length: 20 }, () => ({ ...order, amount: '0.001', ioc: true }))
      await venue.paper.collateralBulk({ orders: others })
      venue.advance(lagMs)
      return true
    }
    await cancelAtVenue({ venue: adapterOf(venue.paper), tell, settled, ...lists }, orders)
    expect(told).toMatchObject([
      { kind: 'seen', orders: [{ filled: '0.015', ended: true }] },
      { kind: 'withdrawn', orders: [{ outcome: 'canceled' }] },
    ])
  } finally {
    await venue.close()
  }
})

async function placed(venue: Venue, ladder: string, count: number) {
  const ids = Array.from({ length: count }, (_, index) => `s.${ladder}.${index}.1`)
  for (let from = 0; from < count; from += 20) {
    const orders = ids
      .slice(from, from + 20)
      .map((client_order_id) => Object.assign({ client_order_id }, order, { amount: '0.001' }))
    expect(await venue.paper.collateralBulk({ orders })).toMatchObject({ kind: 'answered' })
  }
  return ids.map((id) => ({ id, market: 'BTC_PERP', venueId: null }))
}

const countsOf = (told: readonly NewEvent[]) =>
  told.flatMap((event) =>
    'orders' in event && Array.isArray(event.orders) ? [`${event.kind} ${event.orders.length}`] : [],
  )

test('cancellations of two ladders do not wait for each other', async () => {
  const venue = await openVenue('socket', { profile: 'full' })
  try {
    const ladders = [await placed(venue, 'a', 30), await placed(venue, 'b', 30)]
    const told: NewEvent[] = []
    const settled = vi.fn<() => Promise<boolean>>(async () => true)
    const tell = (event: NewEvent) => void told.push(event)
    const withdrawing = { venue: adapterOf(venue.paper), tell, settled, ...lists }
    await Promise.all(ladders.map((orders) => cancelAtVenue(withdrawing, orders)))
    expect(settled).not.toHaveBeenCalled()
    expect(countsOf(told)).toEqual(['seen 30', 'withdrawn 30', 'seen 30', 'withdrawn 30'])
  } finally {
    await venue.close()
  }
})

test('more than a page of cancelled orders are found', async () => {
  const venue = await openVenue('socket', { profile: 'full', world: { switches: { historyLag: '10s' } } })
  try {
    const orders = await placed(venue, 'g', 120)
    const told: NewEvent[] = []
    const settled = async () => {
      venue.advance(lagMs)
      return true
    }
    const tell = (event: NewEvent) => void told.push(event)
    await cancelAtVenue({ venue: adapterOf(venue.paper), tell, settled, ...lists }, orders)
    expect(countsOf(told)).toEqual(['seen 120', 'withdrawn 120'])
  } finally {
    await venue.close()
  }
})

test.each([
  ['a lost request', 'lost', true],
  ['an answer that is lost', 'answer lost', false],
  ['half of an answer', 'cut', false],
  ['the answer of a gateway', 'failed after', false],
] as const)('%s proves no cancellation: the order may rest', async (_, fault, rests) => {
  const world = worldWith()
  const venue = await startFaultyVenue({ world, clock: systemClock, profile: 'full', seed: 'cancel' })
  const client = createClient({
    transport: httpTransport(venue.url),
    key: {
      credentials: { key: 'paper-key', secret: new Secret('paper-secret') },
      nonces: new Nonces({ clock: systemClock, mode: 'strict' }),
    },
  })
  try {
    const id = 's.g.1.1'
    await client.collateralBulk({ orders: [{ ...order, client_order_id: id }] })
    venue.plan('cancelOrders', 1, fault)
    const told: NewEvent[] = []
    const tell = (event: NewEvent) => void told.push(event)
    const withdrawing = { venue: adapterOf(client), tell, settled: async () => true, ...lists }
    await cancelAtVenue(withdrawing, [{ id, market: 'BTC_PERP', venueId: null }])
    expect(told).toMatchObject([{ kind: 'withdrawn', orders: [{ id, outcome: 'unknown' }] }])
    const resting = await client.openOrders({ market: 'BTC_PERP' })
    expect(resting.kind === 'answer' && resting.value.length).toBe(rests ? 1 : 0)
  } finally {
    await client.close()
    await venue.close()
  }
})

test('an older order with the same client id is neither cancelled nor counted as ours', async () => {
  const venue = await openVenue('socket', { profile: 'full', world: { switches: { clientIds: 'live' } } })
  try {
    const ids = ['s.g.1.1', 's.g.2.1']
    const placing = (price: string) =>
      venue.paper.collateralBulk({
        orders: ids.map((id) => Object.assign({ client_order_id: id }, order, { price })),
      })
    const placed = await placing('50000')
    const venueIds =
      placed.kind === 'answered'
        ? placed.orders.map((each) => (each.kind === 'accepted' ? String(each.order.order_id) : null))
        : []
    // A person cancels both orders and places others under their ids.
    await venue.paper.cancelAll({ market: 'BTC_PERP' })
    await placing('40000')
    const told: NewEvent[] = []
    const withdrawing = {
      venue: adapterOf(venue.paper),
      tell: (event: NewEvent) => void told.push(event),
      settled: async () => true,
      ...lists,
      isOurs: ({ price }: { price: string | null }) => price === '50000',
    }
    // The venue has told its id of the first one alone.
    const asked = ids.map((id, index) => ({
      id,
      market: 'BTC_PERP',
      venueId: index === 0 ? venueIds[0]! : '',
    }))
    await cancelAtVenue(withdrawing, asked)
    const outcomes = told.flatMap((event) => (event.kind === 'withdrawn' ? event.orders : []))
    expect(outcomes.map(({ id, outcome }) => `${id} ${outcome}`).toSorted()).toEqual(
      ids.map((id) => `${id} gone`),
    )
    const resting = await venue.paper.openOrders({ market: 'BTC_PERP' })
    expect(resting.kind === 'answer' && resting.value.length).toBe(2)
  } finally {
    await venue.close()
  }
})
