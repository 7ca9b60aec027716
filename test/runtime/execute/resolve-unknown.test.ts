import { expect, test } from 'vitest'
import { createClient, type Client } from '#src/venues/whitebit/client/client.ts'
import { httpTransport } from '#src/venues/whitebit/client/transport/http.ts'
import { Nonces } from '#src/venues/whitebit/client/calls/nonces.ts'
import { Secret } from '#src/venues/whitebit/contract/wire/signing.ts'
import { inDealOrder } from '#src/runtime/account/fills-in-deal-order.ts'
import { stateWith } from '#test/engine/support/state-fixture.ts'
import { beginsAtMs, openVenue, type TestVenue } from '#test/support/venue.ts'
import {
  inVenue,
  knowing,
  one,
  order,
  partsOf,
  question,
  seek,
  sell,
  sent,
} from '#test/runtime/support/unknown-order-venue.ts'
import { empty } from '#test/support/empty.ts'
import { adapterOf } from '#test/support/adapter.ts'

const full = { profile: 'full' } as const

test('open and filled orders are found, and lost ones are not', () =>
  inVenue(full, async (venue) => {
    await venue.paper.collateralBulk({ orders: [order('s.g.1.1'), order('s.g.2.1', { price: '49000' })] })
    await venue.rival.collateralBulk(sell())
    const [fills, evidence, ...more] = await seek(
      partsOf(venue, { listed: true }),
      question('s.g.1.1', 's.g.2.1', 's.g.3.1'),
      knowing(sent('s.g.1.1'), sent('s.g.2.1', { price: '49000' }), sent('s.g.3.1')),
    )
    expect(more).toEqual([])
    expect(fills).toMatchObject({ kind: 'seen', orders: [{ id: 's.g.1.1', filled: '0.01' }] })
    expect(evidence).toMatchObject({ kind: 'evidence', fencedAt: beginsAtMs, listed: true })
    expect(evidence).toHaveProperty(
      ['found', 's.g.1.1'],
      expect.objectContaining({ ended: true, filled: '0.01' }),
    )
    expect(evidence).toHaveProperty(
      ['found', 's.g.2.1'],
      expect.objectContaining({ ended: false, filled: '0' }),
    )
    expect(evidence).not.toHaveProperty(['found', 's.g.3.1'])
  }))

test('without lists the evidence has the frozen balance and the ends of other orders', () =>
  inVenue({}, async (venue) => {
    await venue.paper.collateralBulk({ orders: [order('s.g.1.1'), order('s.g.2.1', { price: '49000' })] })
    await venue.rival.collateralBulk(sell())
    const told = await seek(partsOf(venue), question('s.g.2.1', 's.g.3.1'), one)
    expect(told).toMatchObject([
      { kind: 'seen', orders: [{ id: 's.g.1.1', filled: '0.01', ended: true }] },
      { kind: 'evidence', found: empty, listed: false, freeze: { USDT: '490', BTC: '0' } },
    ])
  }))

test('an older order with our id, price and amount is not ours, open or filled', () =>
  inVenue(full, async (venue) => {
    await venue.paper.collateralBulk({ orders: [order('s.g.1.1'), order('s.g.2.1', { price: '49000' })] })
    await venue.rival.collateralBulk(sell())
    venue.advance(5_174_000)
    const sentAt = venue.clock.now()
    const times = { sentAt, heard: sentAt }
    const orders = knowing(sent('s.g.1.1', times), sent('s.g.2.1', { price: '49000', ...times }))
    const asked = { ...question('s.g.1.1', 's.g.2.1'), sentSince: sentAt }
    expect(await seek(partsOf(venue, { listed: true }), asked, orders)).toMatchObject([
      {
        found: empty,
        listed: true,
        strangers: { 's.g.1.1': { identity: 'older' }, 's.g.2.1': { identity: 'older' } },
      },
    ])
  }))

test('an order that a person has modified is not ours any more, and the original is', () =>
  inVenue(full, async (venue) => {
    await venue.paper.collateralBulk({ orders: [order('s.g.1.1')] })
    await venue.paper.modifyOrder({ market: 'BTC_PERP', client_order_id: 's.g.1.1', amount: '0.5' })
    expect(await seek(partsOf(venue, { listed: true }), question('s.g.1.1'), one)).toMatchObject([
      { found: { 's.g.1.1': { ended: true, filled: '0' } }, strangers: { 's.g.1.1': { identity: 'other' } } },
    ])
  }))

const later = (ms: number) => knowing(sent('s.g.1.1', { sentAt: beginsAtMs + ms }))

test('with an unknown venue clock the date of an order proves nothing', () =>
  inVenue(full, async (venue) => {
    await venue.paper.collateralBulk({ orders: [order('s.g.1.1')] })
    const parts = partsOf(venue, { listed: true })
    const unsure = { ...parts, venueClock: { ...parts.venueClock, isSure: () => false } }
    expect(await seek(unsure, question('s.g.1.1'), later(60_000))).toMatchObject([
      { found: { 's.g.1.1': {} } },
    ])
    expect(await seek(unsure, question('s.g.1.1'), later(60_001))).toMatchObject([
      { found: empty, strangers: { 's.g.1.1': { identity: 'unsure' } } },
    ])
  }))

test('reads are two seconds apart, and a fence of the nonce window takes its width', () =>
  inVenue({}, async (venue) => {
    await seek(partsOf(venue), question('s.g.1.1'), one)
    expect(venue.clock.now() - beginsAtMs).toBe(2000)
    await seek(
      partsOf(venue, { venue: adapterOf(venue.paper, { terms: { nonce: 'window' } }), settleMs: 10_000 }),
      question('s.g.1.1'),
      one,
    )
    expect(venue.clock.now() - beginsAtMs).toBe(2000 + 7000 + 20_000)
  }))

test('a search waits for a late history', () =>
  inVenue({ profile: 'full', world: { switches: { historyLag: '30s' } } }, async (venue) => {
    await venue.rival.collateralBulk(sell())
    await venue.paper.collateralBulk({ orders: [order('s.g.1.1')] })
    const patient = partsOf(venue, { listed: true, settleMs: 30_000 })
    expect(await seek(patient, question('s.g.1.1'), one)).toMatchObject([
      { kind: 'seen' },
      { found: { 's.g.1.1': { filled: '0.01' } } },
    ])
  }))

test('an order that ends between two reads is never considered absent', () =>
  inVenue({ profile: 'full', world: { switches: { historyLag: '3s' } } }, async (venue) => {
    await venue.paper.collateralBulk({ orders: [order('s.g.1.1')] })
    const parts = partsOf(venue, { listed: true, settleMs: 3000 })
    let sleeps = 0
    const clock = {
      sleep: async (ms: number) => {
        sleeps += 1
        if (sleeps === 2) await venue.rival.collateralBulk(sell())
        await parts.clock.sleep(ms)
      },
    }
    const told = await seek({ ...parts, clock }, question('s.g.1.1'), one)
    expect(told.at(-1)).toMatchObject({ found: { 's.g.1.1': {} } })
  }))

test('an admitted order that the venue executes late is found', () =>
  inVenue({ profile: 'full', world: { switches: { executionDelay: '20s' } } }, async (venue) => {
    const client = createClient({
      transport: httpTransport(venue.streamUrl.replace('ws', 'http').replace('/ws', '')),
      key: {
        credentials: { key: 'paper-key', secret: new Secret('paper-secret') },
        nonces: new Nonces({ clock: venue.clock, mode: 'strict' }),
      },
      clock: venue.clock,
    })
    const sent = await client.collateralBulk({ orders: [order('s.g.1.1')] }, { deadlineMs: 300 })
    expect(sent.kind).toBe('unknown')
    const parts = partsOf(venue, { venue: adapterOf(client), listed: true, settleMs: 20_000 })
    expect(await seek(parts, question('s.g.1.1'), one)).toMatchObject([
      { found: { 's.g.1.1': { ended: false } } },
    ])
  }))

/** Acts before each call of one name, so that the venue changes between pages. */
function disturbed(
  venue: TestVenue,
  name: 'openOrders' | 'orderHistory',
  act: (call: number) => Promise<unknown>,
): Client {
  let calls = 0
  return {
    ...venue.paper,
    [name]: async (parameters: object) => {
      calls += 1
      await act(calls)
      return venue.paper[name](parameters)
    },
  }
}

test('shifting pages hide no order', () =>
  inVenue(full, async (venue) => {
    const ids = Array.from({ length: 250 }, (_, index) => `s.g.${index + 1}.1`)
    for (let from = 0; from < ids.length; from += 20) {
      const orders = ids.slice(from, from + 20).map((id) => order(id, { amount: '0.001' }))
      await venue.paper.collateralBulk({ orders })
    }
    const cancelNewest = async (call: number) => {
      const newest = ids.slice(-15 * call).slice(0, 15)
      await venue.paper.cancelOrders({
        orders: newest.map((client_order_id) => ({ market: 'BTC_PERP', client_order_id })),
      })
    }
    const client = disturbed(venue, 'openOrders', cancelNewest)
    const [evidence] = await seek(
      partsOf(venue, { venue: adapterOf(client), listed: true }),
      question(...ids, 'absent.g.1.1'),
      knowing(...ids.map((id) => sent(id, { amount: '0.001' }))),
    )
    expect(evidence).toMatchObject({ listed: true })
    const found = evidence?.kind === 'evidence' ? Object.keys(evidence.found) : []
    expect(found.toSorted()).toEqual(ids.toSorted())
  }))

test('without stable pages nothing is concluded', () =>
  inVenue(full, async (venue) => {
    const place = async () => {
      await venue.paper.cancelAll({ market: 'BTC_PERP' })
      const one = { ...order(''), amount: '0.001' }
      const orders = Array.from({ length: 20 }, () => one)
      for (let bulk = 0; bulk < 6; bulk++) await venue.paper.collateralBulk({ orders })
    }
    const client = disturbed(venue, 'openOrders', place)
    const told = await seek(
      partsOf(venue, { venue: adapterOf(client), listed: true }),
      question('s.g.1.1'),
      one,
    )
    expect(told).toMatchObject([{ found: empty, listed: false, freeze: null }])
  }))

test('reads that never agree prove nothing', () =>
  inVenue({}, async (venue) => {
    const place = async (call: number) => {
      await venue.paper.collateralBulk({ orders: [order(`s.g.${call}.1`, { amount: '0.001' })] })
    }
    const client = disturbed(venue, 'orderHistory', place)
    const told = await seek(partsOf(venue, { venue: adapterOf(client) }), question('absent.g.1.1'), one)
    expect(told).toMatchObject([{ found: empty, listed: false, freeze: null }])
  }))

test('a venue that does not answer proves nothing', async () => {
  const venue = await openVenue('socket')
  const parts = partsOf(venue)
  await venue.close()
  expect(await seek(parts, question('s.g.1.1'), one)).toMatchObject([
    { found: empty, listed: false, freeze: null },
  ])
})

test('a search that a shutdown aborts has no result', () =>
  inVenue({}, async (venue) => {
    expect(await seek(partsOf(venue, { signal: AbortSignal.abort() }), question('s.g.1.1'), one)).toEqual([])
  }))

/** The same client, whose lists hold one more element that cannot be read. */
function withUnreadable(client: Client, element: object): Client {
  const unread = [{ path: [0, 'deal_fee'], value: element }]
  return {
    ...client,
    async openOrders(...words) {
      const outcome = await client.openOrders(...words)
      return outcome.kind === 'answer' ? { ...outcome, unread } : outcome
    },
  }
}

test('a list with an unreadable element does not prove that this order is absent', () =>
  inVenue(full, async (venue) => {
    await venue.paper.collateralBulk({ orders: [order('s.g.1.1')] })
    const evidenceOf = async (element: object, ...ids: string[]) => {
      const parts = partsOf(venue, { listed: true, venue: adapterOf(withUnreadable(venue.paper, element)) })
      const [evidence] = await seek(parts, question(...ids), knowing(...ids.map((id) => sent(id))))
      return evidence
    }
    const found = { 's.g.1.1': expect.objectContaining({ ended: false }) }
    // Without an id it may be any order.
    expect(await evidenceOf({ order_id: 7 }, 's.g.1.1', 's.g.2.1')).toMatchObject({ ids: ['s.g.1.1'], found })
    expect(await evidenceOf({ order_id: 7 }, 's.g.2.1')).toMatchObject({ found: empty, listed: false })
    expect(await evidenceOf({ client_order_id: 's.g.2.1' }, 's.g.2.1')).toMatchObject({ listed: false })
    // What is found is found, and another id than the one in question is no hindrance.
    expect(await evidenceOf({ order_id: 7 }, 's.g.1.1')).toMatchObject({ found, listed: true })
    expect(await evidenceOf({ client_order_id: 'by.hand' }, 's.g.2.1')).toMatchObject({
      found: empty,
      listed: true,
    })
  }))

test('a search reports its fills deal by deal, with their times', () =>
  inVenue(full, async (venue) => {
    await venue.paper.collateralBulk({ orders: [order('s.g.1.1')] })
    const known = stateWith(sent('s.g.1.1'), sent('s.g.2.1', { side: 'sell', price: '51000' }))
    for (const amount of ['0.004', '0.006']) {
      venue.advance(1000)
      await venue.rival.collateralBulk(sell('50000', amount))
    }
    const parts = partsOf(venue, {
      listed: true,
      inDealOrder: (listed) => inDealOrder(adapterOf(venue.paper).account, known, listed),
    })
    const told = await seek(parts, question('s.g.1.1'), () => known.orders)
    expect(told).toMatchObject([
      {
        kind: 'seen',
        orders: [
          { filled: '0.004', dealtAt: beginsAtMs + 1000, passing: true },
          { filled: '0.01', dealtAt: beginsAtMs + 2000, ended: true },
        ],
      },
      { kind: 'evidence' },
    ])
  }))
