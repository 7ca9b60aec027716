import { expect, test } from 'vitest'
import type { NewEvent } from '#src/runtime/loop/driver.ts'
import type { ResolveParts } from '#src/runtime/execute/resolve-unknown.ts'
import { createClient, type Client } from '#src/venues/whitebit/client/client.ts'
import { httpTransport } from '#src/venues/whitebit/client/transport/http.ts'
import { Nonces } from '#src/venues/whitebit/client/calls/nonces.ts'
import { Secret } from '#src/venues/whitebit/contract/wire/signing.ts'
import type { Search } from '#src/engine/events.ts'
import { beginsAtMs, type TestVenue } from '#test/support/venue.ts'
import {
  inVenue,
  knowing,
  one,
  order,
  partsOf,
  question,
  seek,
  sent,
} from '#test/runtime/support/unknown-order-venue.ts'
import { empty } from '#test/support/empty.ts'
import { adapterOf } from '#test/support/adapter.ts'

const full = { profile: 'full' } as const

/** Reads go to another region, of which nothing is known, while the home address is silent. */
function silentAtHome(venue: TestVenue): Client {
  return createClient({
    transport: {
      send: () => Promise.resolve({ kind: 'unanswered', reason: 'nothing was heard' }),
      close: () => Promise.resolve(),
    },
    secondTransport: httpTransport(venue.streamUrl.replace('ws', 'http').replace('/ws', '')),
    key: {
      credentials: { key: 'paper-key', secret: new Secret('paper-secret') },
      nonces: new Nonces({ clock: venue.clock, mode: 'strict' }),
    },
    clock: { now: () => venue.clock.now(), monotonic: () => venue.clock.monotonic(), sleep: async () => {} },
  })
}

test('another address proves nothing about orders of the primary address', () =>
  inVenue(full, async (venue) => {
    const client = silentAtHome(venue)
    expect((await client.tradingBalance()).kind).toBe('answer')
    expect(
      await seek(partsOf(venue, { venue: adapterOf(client), listed: true }), question('s.g.1.1'), one),
    ).toMatchObject([{ found: empty, listed: false, freeze: null }])
    await client.close()
  }))

/** Runs processes one after the other for `lifeMs` each; each continues from the progress of those before. */
async function lives(venue: TestVenue, about: Partial<ResolveParts>, lifeMs: number): Promise<NewEvent[][]> {
  const searched: Record<string, Search> = {}
  const found: NewEvent[][] = []
  for (let life = 0; life < 12 && found.at(-1)?.length !== 1; life++) {
    const ending = new AbortController()
    const endsAt = venue.clock.now() + lifeMs
    const { clock } = partsOf(venue)
    const sleep = async (ms: number) => {
      await clock.sleep(Math.min(ms, endsAt - venue.clock.now()))
      if (venue.clock.now() === endsAt) ending.abort()
    }
    const parts = partsOf(venue, { ...about, clock: { sleep }, signal: ending.signal })
    found.push(
      await seek(parts, { ...question('s.g.1.1', 's.g.2.1'), searched }, orders, (event) => {
        if (event.kind === 'searched') Object.assign(searched, event.orders)
      }),
    )
  }
  return found
}
const orders = knowing(sent('s.g.1.1'), sent('s.g.2.1'))

test.each(['full', 'spec'] as const)(
  'a search continues across processes that are too short for a complete one, profile %s',
  (profile) =>
    inVenue({ profile }, async (venue) => {
      await venue.paper.collateralBulk({ orders: [order('s.g.1.1')] })
      const nonces = venue.exchange.state.nonces.size
      const listed = profile === 'full'
      const found = await lives(venue, { listed, settleMs: 60_000 }, 45_000)
      // The fence, 60 s, the first read, 60 s, the second read.
      expect(found.map(({ length }) => length)).toEqual([0, 0, 1])
      expect(venue.clock.now() - beginsAtMs).toBe(120_000)
      const filled = listed ? { 's.g.1.1': { filled: '0' } } : {}
      expect(found.at(-1)).toMatchObject([{ ids: ['s.g.1.1', 's.g.2.1'], listed, found: filled }])
      expect(nonces).toBe(1)
    }),
)

test('a newer order with unknown outcome does not delay the searches of older ones', () =>
  inVenue(full, async (venue) => {
    const parts = partsOf(venue, { listed: true, settleMs: 10_000 })
    const searched = { 's.g.1.1': { fencedAt: beginsAtMs - 10_000 } }
    const told: NewEvent[] = []
    const evidence = await seek(parts, { ...question('s.g.1.1', 's.g.2.1'), searched }, orders, (event) =>
      told.push(event),
    )
    expect(evidence).toMatchObject([{ ids: ['s.g.1.1'], fencedAt: beginsAtMs }])
    const look = { at: beginsAtMs + 10_000, found: false }
    expect(told).toMatchObject([
      { orders: { 's.g.2.1': { fencedAt: beginsAtMs } } },
      { orders: { 's.g.1.1': { look: { at: beginsAtMs, found: false } } } },
      { orders: { 's.g.2.1': { fencedAt: beginsAtMs, look } } },
    ])
    expect(told.map((event) => (event.kind === 'searched' ? Object.keys(event.orders) : []))).toEqual([
      ['s.g.2.1'],
      ['s.g.1.1'],
      ['s.g.2.1'],
    ])
  }))
