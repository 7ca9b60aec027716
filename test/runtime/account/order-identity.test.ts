import { expect, test } from 'vitest'
import type { NewEvent } from '#src/runtime/loop/driver.ts'
import { AccountReading } from '#src/runtime/account/account-reading.ts'
import { orderOf, stateWith } from '#test/engine/support/state-fixture.ts'
import { beginsAtMs, openVenue, type Venue } from '#test/support/venue.ts'
import { adapterOf } from '#test/support/adapter.ts'

const perp = { market: 'BTC_PERP', side: 'buy', price: '50000', amount: '0.02' } as const
const named = (client_order_id: string, about: object = {}) => ({
  orders: [{ ...perp, client_order_id, ...about }],
})
const ours = (id: string) => orderOf(id, { amount: perp.amount, sentAt: beginsAtMs })
const venueIdIn = ([event]: readonly NewEvent[]) =>
  event?.kind === 'seen' ? (event.orders[0]?.venueId ?? '') : ''

async function inVenue(story: (venue: Venue, begin: () => AccountReading) => Promise<void>) {
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
      { sentAt: beginsAtMs + 2001 },
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
    const same = { price: '50000.00', amount: '0.0200', sentAt: beginsAtMs + 2000 }
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
