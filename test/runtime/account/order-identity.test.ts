import { expect, test } from 'vitest'
import type { NewEvent } from '#src/runtime/loop/driver.ts'
import { AccountReading } from '#src/runtime/account/account-reading.ts'
import { VenueClock } from '#src/runtime/loop/venue-clock.ts'
import type { Order } from '#src/engine/state/state.ts'
import { orderOf, stateWith } from '#test/engine/support/state-fixture.ts'
import { beginsAtMs, openVenue, type TestVenue } from '#test/support/venue.ts'
import { adapterOf } from '#test/support/adapter.ts'

const perp = { market: 'BTC_PERP', side: 'buy', price: '50000', amount: '0.02' } as const
const named = (client_order_id: string, about: object = {}) => ({
  orders: [{ ...perp, client_order_id, ...about }],
})
const ours = (id: string) => orderOf(id, { amount: perp.amount, sentAt: beginsAtMs })
const venueIdIn = ([event]: readonly NewEvent[]) =>
  event?.kind === 'seen' ? (event.orders[0]?.venueId ?? '') : ''

async function inVenue(story: (venue: TestVenue, begin: () => AccountReading) => Promise<void>) {
  const venue = await openVenue('socket', { profile: 'full' })
  const begin = () =>
    new AccountReading({
      venue: adapterOf(venue.paper),
      capabilities: ['open_orders'],
      venueClock: { now: () => venue.clock.now(), speed: 1, isSure: () => true },
      settleMs: 0,
    })
  try {
    await story(venue, begin)
  } finally {
    await venue.close()
  }
}

test('an order with our id is not ours if market, side, price, amount or time differ', () =>
  inVenue(async (venue, begin) => {
    const account = begin()
    await venue.paper.collateralBulk(named('s.g.1.1'))
    await venue.paper.collateralBulk(named('s.g.2.1', { price: '60000' }))
    await venue.rival.collateralBulk({ orders: [{ ...perp, side: 'sell', price: '60000' }] })
    const about = [
      { market: 'ETH_PERP' },
      { side: 'sell' as const },
      { price: '50000.1' },
      { amount: '0.021' },
      { sentAt: beginsAtMs + 2001, heard: beginsAtMs + 2001 },
      { venueId: '1' },
    ]
    for (const difference of about) {
      const state = stateWith(
        { ...ours('s.g.1.1'), ...difference },
        { ...ours('s.g.2.1'), price: '60000', ...difference },
      )
      expect(await begin().orders(state)).toEqual([
        {
          kind: 'foreign',
          orders: [expect.stringContaining('at 50000'), expect.stringContaining('at 60000')],
        },
      ])
    }
    const dated = { sentAt: beginsAtMs + 2000, heard: beginsAtMs + 2000 }
    const same = { price: '50000.00', amount: '0.0200', ...dated }
    const state = stateWith(
      { ...ours('s.g.1.1'), ...same },
      { ...ours('s.g.2.1'), ...same, price: '60000.0' },
    )
    expect(await account.orders(state)).toMatchObject([
      { kind: 'seen', orders: [{ id: 's.g.1.1' }, { id: 's.g.2.1' }] },
    ])
  }))

test('an order that the venue has acknowledged is ours, whatever its date', () =>
  inVenue(async (venue, begin) => {
    await venue.paper.collateralBulk(named('s.g.1.1'))
    const venueId = venueIdIn(await begin().orders(stateWith(ours('s.g.1.1'))))
    const late = { ...ours('s.g.1.1'), sentAt: beginsAtMs + 3_600_000, venueId }
    expect(await begin().orders(stateWith(late))).toMatchObject([{ kind: 'seen' }])
  }))

test('an order is ours if it was sent while our estimate of the time was ahead of the venue', () =>
  inVenue(async (venue) => {
    const { clock, paper } = venue
    const venueClock = new VenueClock(clock, 1, beginsAtMs + 65_000)
    venueClock.heard(clock.now())
    const sentAt = venueClock.now()
    expect(sentAt).toBe(beginsAtMs + 65_000)
    const heard = venueClock.lastHeard
    await paper.collateralBulk(named('s.g.1.1', { price: '60000' }))
    await paper.collateralBulk(named('s.g.2.1'))
    await venue.rival.collateralBulk({ orders: [{ ...perp, side: 'sell', price: '60000' }] })
    for (let second = 0; second < 130; second++) {
      venue.advance(1000)
      venueClock.heard(clock.now())
    }
    expect(venueClock.isSure(sentAt)).toBe(true)
    const read = (about: Partial<Order>) => {
      const parts = { venue: adapterOf(paper), capabilities: ['open_orders'] as const, settleMs: 0 }
      const state = stateWith(
        { ...ours('s.g.1.1'), price: '60000', ...about },
        { ...ours('s.g.2.1'), ...about },
      )
      return new AccountReading({ ...parts, venueClock }).orders(state)
    }
    const found = [
      { id: 's.g.2.1', ended: false },
      { id: 's.g.1.1', ended: true },
    ]
    expect(await read({ sentAt, ...(heard !== undefined && { heard }) })).toMatchObject([
      { kind: 'seen', orders: found },
    ])
    // If the venue's time before the send is not known, they are neither ours nor of others.
    expect(await read({ sentAt })).toEqual([])
    expect(await read({ sentAt, heard: beginsAtMs + 2001 })).toMatchObject([
      { kind: 'foreign', orders: [expect.stringContaining('at 50000')] },
    ])
  }))

test('before the account is read, unknown orders with ids of our form are found, and are not reported again later', () =>
  inVenue(async (venue, begin) => {
    await venue.paper.collateralBulk(named('s.g.1.q21'))
    await venue.paper.collateralBulk(named('by-hand'))
    const account = begin()
    const session = { beganAt: 0, awaySince: 0, isAccountRead: false }
    const state = { ...stateWith(), tag: 'k7', session }
    const byHand = { kind: 'foreign', orders: [expect.stringMatching(/^BTC_PERP: buy 0.02 at 50000/)] }
    expect(await account.orders(state)).toEqual([byHand])
    const open = { id: 's.g.1.q21', ...perp, filled: '0', ended: false }
    expect(account.found).toEqual([expect.objectContaining(open)])
    expect(await account.orders({ ...state, session: { ...session, isAccountRead: true } })).toEqual([])
    // In a later session of the journal that placed them, they are no strangers.
    const later = begin()
    expect(await later.orders({ ...state, ...stateWith(ours('s.g.1.q21')) })).toMatchObject([
      { kind: 'seen' },
      byHand,
    ])
    expect(later.found).toEqual([])
  }))
