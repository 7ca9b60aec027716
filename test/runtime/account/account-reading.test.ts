import { expect, test } from 'vitest'
import type { NewEvent } from '#src/runtime/loop/driver.ts'
import { AccountReading } from '#src/runtime/account/account-reading.ts'
import { createClient, type Client } from '#src/venues/whitebit/client/client.ts'
import { httpTransport } from '#src/venues/whitebit/client/transport/http.ts'
import { Nonces } from '#src/venues/whitebit/client/calls/nonces.ts'
import { readAttemptsMax } from '#src/venues/whitebit/client/calls/retry.ts'
import { Secret } from '#src/venues/whitebit/contract/wire/signing.ts'
import type { EndpointName } from '#src/venues/whitebit/contract/endpoint-table.ts'
import type { Profile } from '#src/exchange/venue-context.ts'
import { orderOf, stateWith } from '#test/engine/support/state-fixture.ts'
import { startFaultyVenue, type FaultyVenue } from '#test/support/faulty-venue.ts'
import { beginsAtMs, openVenue, type TestVenue } from '#test/support/venue.ts'
import { worldWith } from '#test/support/world.ts'
import { ManualClock, systemClock } from '#src/core/time/clock.ts'
import { adapterOf } from '#test/support/adapter.ts'

const perp = { market: 'BTC_PERP', side: 'buy', price: '50000', amount: '0.02' } as const
const sell = (amount: string) => ({ orders: [{ ...perp, side: 'sell' as const, amount }] })
const named = (client_order_id: string, about: object = {}) => ({
  orders: [{ ...perp, client_order_id, ...about }],
})
const ours = (id: string) => orderOf(id, { amount: perp.amount, sentAt: beginsAtMs })
const dated = (now: () => number) => ({ now, speed: 1, isSure: () => true })
const venueIdIn = ([event]: readonly NewEvent[]) => (event?.kind === 'seen' && event.orders[0]?.venueId) || ''

async function reading(
  profile: Profile,
  story: (venue: TestVenue, begin: () => AccountReading) => Promise<void>,
) {
  const venue = await openVenue('socket', { profile })
  const begin = () =>
    new AccountReading({
      venue: adapterOf(venue.paper, { known: { profile, hedged: null } }),
      capabilities: profile === 'full' ? ['open_orders'] : [],
      venueClock: dated(() => venue.clock.now()),
      settleMs: 0,
    })
  try {
    await story(venue, begin)
  } finally {
    await venue.close()
  }
}

test('progress of an order is emitted once', () =>
  reading('full', async (venue, begin) => {
    const account = begin()
    const state = stateWith(ours('s.g.1.1'))
    expect(await account.orders(state)).toEqual([])
    await venue.paper.collateralBulk(named('s.g.1.1'))
    const placed = { id: 's.g.1.1', filled: '0', money: '0', fee: '0', ended: false }
    const first = await account.orders(state)
    expect(first).toMatchObject([{ kind: 'seen', orders: [placed] }])
    const venueId = venueIdIn(first)
    const known = stateWith({ ...ours('s.g.1.1'), status: 'resting', venueId })
    expect(await account.orders(known)).toEqual([])
    await venue.rival.collateralBulk(sell('0.005'))
    expect(await account.orders(known)).toEqual([
      { kind: 'seen', orders: [{ ...placed, venueId, filled: '0.005', money: '250', fee: '0.025' }] },
    ])
    await venue.rival.collateralBulk(sell('0.015'))
    const all = { ...placed, venueId, filled: '0.02', money: '1000', fee: '0.1', ended: true }
    expect(await account.orders(known)).toEqual([{ kind: 'seen', orders: [all] }])
    const over = { status: 'ended', venueId, filled: '0.02', endedAt: beginsAtMs } as const
    expect(await account.orders(stateWith({ ...ours('s.g.1.1'), ...over }))).toEqual([])
  }))

test('all order updates of a read are one event', () =>
  reading('full', async (venue, begin) => {
    for (const id of ['s.g.1.1', 's.g.2.1']) await venue.paper.collateralBulk(named(id))
    await venue.rival.collateralBulk(sell('0.02'))
    const state = stateWith(ours('s.g.1.1'), ours('s.g.2.1'))
    // What rests comes first.
    const orders = [
      { id: 's.g.2.1', ended: false },
      { id: 's.g.1.1', ended: true },
    ]
    expect(await begin().orders(state)).toMatchObject([{ kind: 'seen', orders }])
  }))

test('orders that ended between polls are found, even among many others', () =>
  reading('spec', async (venue, begin) => {
    await venue.paper.collateralBulk(named('s.g.1.1', { price: '60000' }))
    await venue.rival.collateralBulk({ orders: [{ ...perp, side: 'sell', price: '60000' }] })
    for (let bulk = 0; bulk < 10; bulk++) {
      venue.advance(20_000)
      const ioc = Array.from({ length: 20 }, () => ({ ...perp, ioc: true }))
      await venue.paper.collateralBulk({ orders: ioc })
    }
    venue.advance(1000)
    const [seen, ...more] = await begin().orders(stateWith({ ...ours('s.g.1.1'), price: '60000' }))
    expect(seen).toMatchObject({ kind: 'seen', orders: [{ id: 's.g.1.1', filled: '0.02', ended: true }] })
    expect(more).toEqual([])
  }))

test('orders of others are reported once, open or ended, but not earlier ones', () =>
  reading('full', async (venue, begin) => {
    await venue.paper.collateralBulk({ orders: [{ ...perp, ioc: true }] })
    venue.advance(1000)
    await venue.paper.collateralBulk(named('other.g.1.1'))
    const account = begin()
    const state = stateWith()
    const rests = { kind: 'foreign', orders: [expect.stringMatching(/^BTC_PERP: buy 0.02 at 50000, v/)] }
    expect(await account.orders(state)).toEqual([rests])
    expect(await account.orders(state)).toEqual([])
    venue.advance(1000)
    await venue.paper.collateralBulk({ orders: [{ ...perp, ioc: true, amount: '0.03' }] })
    const ended = { kind: 'foreign', orders: [expect.stringMatching(/^BTC_PERP: buy 0.03/)] }
    expect(await account.orders(state)).toEqual([ended])
  }))

test('an open order is ours until its end is listed; an ended order with our id stays ours', () =>
  reading('full', async (venue, begin) => {
    await venue.paper.collateralBulk(named('s.g.1.1', { ioc: true }))
    await venue.paper.collateralBulk(named('s.g.1.2', { price: '49000' }))
    const over = { ...ours('s.g.1.2'), price: '49000', status: 'ended', endedAt: 0 } as const
    const [denied] = await begin().orders(stateWith(over))
    expect(denied).toMatchObject({ kind: 'seen', orders: [{ id: 's.g.1.2', ended: false }] })
    const state = stateWith({ ...over, venueId: denied ? venueIdIn([denied]) : '' })
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- of a strategy only this is looked at
    state.strategies['s'] = { ladders: { g: { generations: { '1': 3 } } } } as never
    expect(await begin().orders({ ...state, at: 1000 })).toEqual([])
    const strange = [{ kind: 'foreign', orders: [expect.stringContaining('49000')] }]
    expect(await begin().orders({ ...state, at: 60_001 })).toEqual(strange)
    expect(await begin().orders({ ...state, orders: {} })).toEqual(strange)
  }))

test('an open order that is not listed for a while must be resolved', () =>
  reading('full', async (venue, begin) => {
    const account = begin()
    await venue.paper.collateralBulk(named('s.g.2.1'))
    const venueId = venueIdIn(await account.orders(stateWith(ours('s.g.2.1'))))
    const there = { ...ours('s.g.2.1'), status: 'resting', venueId } as const
    const state = stateWith({ ...ours('s.g.1.1'), status: 'resting', venueId: '7' }, there)
    expect(await account.orders(state)).toEqual([])
    venue.advance(3000)
    expect(await account.orders(state)).toEqual([])
    venue.advance(1)
    expect(await account.orders(state)).toMatchObject([
      { kind: 'withdrawn', orders: [{ id: 's.g.1.1', outcome: 'gone' }] },
    ])
    expect(await account.orders(state)).toEqual([])
  }))

test('positions and balances are emitted when they change', () =>
  reading('full', async (venue, begin) => {
    const account = begin()
    const state = stateWith(ours('s.g.1.1'))
    expect(await account.read(state)).toMatchObject([
      {
        kind: 'account',
        equity: '50000',
        available: { USDT: '50000', BTC: '1' },
        freeze: { USDT: '0' },
        main: { USDT: '100000' },
      },
      { kind: 'positions', held: {} },
    ])
    expect(await account.read(state)).toEqual([])
    const suspicious = {
      ...state,
      drift: { foreign: false, base: {}, suspect: { text: '+1', times: 1 }, lacking: {} },
    }
    expect(await account.read(suspicious)).toEqual([{ kind: 'positions', held: {} }])
    await venue.paper.collateralBulk(named('s.g.1.1'))
    expect(await account.read(state)).toMatchObject([
      { kind: 'account', freeze: { USDT: '1000' } },
      { kind: 'seen' },
    ])
    await venue.rival.collateralBulk(sell('0.005'))
    expect(await account.read(state)).toMatchObject([
      { kind: 'account', freeze: { USDT: '750' } },
      { kind: 'seen', orders: [{ filled: '0.005' }] },
      { kind: 'positions', held: { BTC_PERP: { long: '0.005', short: '0' } } },
    ])
  }))

test('long and short positions are separate if the venue separates them', () =>
  reading('full', async (venue, begin) => {
    await venue.paper.setHedgeMode({ hedgeMode: true })
    await venue.rival.collateralBulk({ orders: [perp, { ...perp, side: 'sell', price: '50001' }] })
    const both = [
      { ...perp, side: 'sell' as const, positionSide: 'SHORT' as const },
      { ...perp, amount: '0.01', price: '50001', positionSide: 'LONG' as const },
    ]
    await venue.paper.collateralBulk({ orders: both })
    expect((await begin().read(stateWith())).at(-1)).toEqual({
      kind: 'positions',
      held: { BTC_PERP: { long: '0.01', short: '0.02' } },
    })
  }))

test('a venue with only documented calls has balances and no equity', () =>
  reading('spec', async (venue, begin) => {
    await venue.paper.collateralBulk(named('s.g.1.1'))
    expect(await begin().read(stateWith())).toMatchObject([
      { kind: 'account', equity: null, freeze: { USDT: '1000' } },
    ])
    expect(await begin().orders(stateWith(ours('s.g.1.1')))).toEqual([])
  }))

test('a venue without an account summary is not considered silent', () =>
  reading('spec', async (venue) => {
    const about = { venue: adapterOf(venue.paper), capabilities: [], settleMs: 0 } as const
    const account = new AccountReading({ ...about, venueClock: dated(() => beginsAtMs) })
    expect(await account.balances.read()).toMatchObject([{ equity: null, freeze: { USDT: '0' } }])
    expect(account.contact.lost).toBeNull()
  }))

/** A venue behind a fault proxy, with a manual clock. */
async function readingOfFaulty(
  story: (stage: {
    venue: FaultyVenue
    client: Client
    clock: ManualClock
    account: AccountReading
  }) => Promise<void>,
) {
  const venue = await startFaultyVenue({ world: worldWith(), profile: 'full', clock: systemClock })
  const client = createClient({
    transport: httpTransport(venue.url),
    key: {
      credentials: { key: 'paper-key', secret: new Secret('paper-secret') },
      nonces: new Nonces({ clock: systemClock, mode: 'strict' }),
    },
    random: () => 0,
    keepRates: false,
  })
  const clock = new ManualClock(beginsAtMs)
  const about = { venue: adapterOf(client), capabilities: ['open_orders'], settleMs: 0 } as const
  const account = new AccountReading({ ...about, venueClock: dated(() => clock.now()) })
  try {
    await story({ venue, client, clock, account })
  } finally {
    await client.close()
    await venue.close()
  }
}

/** However often it is asked again. */
function fails(venue: FaultyVenue, name: EndpointName): void {
  for (let nth = 1; nth <= readAttemptsMax; nth++) venue.plan(name, nth, 'failed after')
}

test('an unlisted order of others is forgotten after a while, so that a later one with its id is reported', () =>
  readingOfFaulty(async ({ venue, client, clock, account }) => {
    const told = { kind: 'foreign', orders: [expect.stringMatching(/venue id 1000000000001$/)] }
    const placed = () => client.collateralBulk({ orders: [perp] })
    await placed()
    expect(await account.orders(stateWith())).toEqual([told])
    clock.advance(3_600_000)
    fails(venue, 'openOrders')
    expect(await account.orders(stateWith())).toEqual([])
    expect(await account.orders(stateWith())).toEqual([])
    await venue.forget()
    clock.advance(600_000)
    expect(await account.orders(stateWith())).toEqual([])
    await placed()
    expect(await account.orders(stateWith())).toEqual([])
    await venue.forget()
    clock.advance(600_001)
    expect(await account.orders(stateWith())).toEqual([])
    await placed()
    expect(await account.orders(stateWith())).toEqual([told])
  }))

test('unreadable equity keeps its value for a minute and is then unknown, and balances are emitted meanwhile', () =>
  readingOfFaulty(async ({ venue, client, clock, account }) => {
    const read = async () => (await account.read(stateWith())).filter(({ kind }) => kind === 'account')
    expect(await read()).toMatchObject([{ equity: '50000', freeze: { USDT: '0' } }])
    fails(venue, 'accountSummary')
    await client.collateralBulk(named('s.g.1.1'))
    clock.advance(60_000)
    expect(await read()).toMatchObject([{ equity: '50000', freeze: { USDT: '1000' } }])
    expect(account.contact).toMatchObject({ readAt: beginsAtMs, lost: { since: beginsAtMs + 60_000 } })
    fails(venue, 'accountSummary')
    clock.advance(1)
    expect(await read()).toMatchObject([{ equity: null, freeze: { USDT: '1000' } }])
    expect(await read()).toMatchObject([{ equity: '50000' }])
    expect(account.contact).toEqual({ readAt: beginsAtMs + 60_001, lost: null })
  }))

test('positions that change during a read are emitted by the next read', () =>
  reading('full', async (venue, begin) => {
    await venue.paper.collateralBulk(named('s.g.1.1'))
    const [account, state] = [begin(), stateWith(ours('s.g.1.1'))]
    const reads = account.read(state)
    await venue.rival.collateralBulk(sell('0.005'))
    expect((await reads).filter(({ kind }) => kind === 'positions')).toEqual([])
    expect((await account.read(state)).filter(({ kind }) => kind === 'positions')).toHaveLength(1)
  }))

test('a read without answers emits nothing', async () => {
  const venue = await openVenue('socket', { profile: 'full' })
  const about = { venue: adapterOf(venue.paper), capabilities: ['open_orders'], settleMs: 0 } as const
  const account = new AccountReading({ ...about, venueClock: dated(() => beginsAtMs) })
  await venue.close()
  expect(await account.read(stateWith(ours('s.g.1.1')))).toEqual([])
})
