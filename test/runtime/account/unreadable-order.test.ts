import { expect, test } from 'vitest'
import { z } from 'zod'
import { AccountReading } from '#src/runtime/account/account-reading.ts'
import { createClient } from '#src/venues/whitebit/client/client.ts'
import { httpTransport } from '#src/venues/whitebit/client/transport/http.ts'
import { Nonces } from '#src/venues/whitebit/client/calls/nonces.ts'
import { Secret } from '#src/venues/whitebit/contract/wire/signing.ts'
import { orderOf, stateWith } from '#test/engine/support/state-fixture.ts'
import { startFaultyVenue } from '#test/support/faulty-venue.ts'
import { beginsAtMs } from '#test/support/venue.ts'
import { worldWith } from '#test/support/world.ts'
import { ManualClock, systemClock } from '#src/core/time/clock.ts'
import { adapterOf } from '#test/support/adapter.ts'

const perp = { market: 'BTC_PERP', side: 'buy', price: '50000', amount: '0.02' } as const

const resting = (id: string) => orderOf(id, { amount: perp.amount, sentAt: 0, status: 'resting' })

test('an unlisted order is not gone while a list has an unreadable element, and other orders are still reported', async () => {
  const venue = await startFaultyVenue({
    world: worldWith(),
    clock: systemClock,
    profile: 'full',
    seed: 'odd',
  })
  const clock = new ManualClock(beginsAtMs)
  const nonces = new Nonces({ clock: systemClock, mode: 'strict' })
  const credentials = { key: 'paper-key', secret: new Secret('paper-secret') }
  const client = createClient({ transport: httpTransport(venue.url), key: { credentials, nonces } })
  const said: string[] = []
  const account = new AccountReading({
    venue: adapterOf(client),
    capabilities: ['open_orders'],
    venueClock: { now: () => clock.now(), speed: 1, isSure: () => true },
    settleMs: 0,
    onUnread: (reason) => said.push(reason),
  })
  try {
    for (const id of ['s.g.1.1', 's.g.2.1'])
      await client.collateralBulk({ orders: [{ ...perp, client_order_id: id }] })
    const isOdd = { now: true }
    venue.rewrite('openOrders', (answer) =>
      z
        .array(z.looseObject({ client_order_id: z.string() }))
        .parse(answer)
        .filter(({ client_order_id: id }) => isOdd.now || id !== 's.g.1.1')
        .map((each) =>
          each.client_order_id === 's.g.1.1'
            ? Object.assign(each, { client_order_id: null, deal_stock: 'some' })
            : Object.assign(each, { deal_stock: '0.005', deal_money: '250' }),
        ),
    )
    const state = stateWith(resting('s.g.1.1'), resting('s.g.2.1'))
    const later = async () => {
      clock.advance(10_000)
      return (await account.read(state)).filter(({ kind }) => kind === 'withdrawn' || kind === 'seen')
    }
    const other = { kind: 'seen', orders: [{ id: 's.g.2.1', filled: '0.005' }] }
    for (let readings = 0; readings < 3; readings++) expect(await later()).toMatchObject([other])
    expect(account.contact).toMatchObject({ readAt: null, lost: { unreadable: true } })
    expect(said).toEqual(['open orders: the bot cannot read [1].client_order_id: null'])
    isOdd.now = false
    expect(await later()).toMatchObject([other])
    expect(await later()).toMatchObject([other, { orders: [{ id: 's.g.1.1', outcome: 'gone' }] }])
    expect(account.contact).toMatchObject({ lost: null })
  } finally {
    await client.close()
    await venue.close()
  }
})
