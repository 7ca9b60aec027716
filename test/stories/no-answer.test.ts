import { expect, test } from 'vitest'
import { createClient } from '#src/venues/whitebit/client/client.ts'
import { httpTransport } from '#src/venues/whitebit/client/transport/http.ts'
import { Nonces } from '#src/venues/whitebit/client/calls/nonces.ts'
import { Secret } from '#src/venues/whitebit/contract/wire/signing.ts'
import { story, until } from './story.ts'

/** Venues with only the documented calls, which do not list open orders. */
const quiet = { profile: 'spec', bulks: 4 } as const

test.concurrent('sending the same ids again resolves unknown outcomes', () =>
  story({
    ...quiet,
    plan(venue) {
      for (const nth of [1, 3, 5]) venue.plan('collateralBulk', nth, 'answer lost')
      venue.plan('collateralBulk', 2, 'lost')
    },
    events: ['order-unknown', 'order-resolved'],
  }))

test.concurrent('with reusable ids, the frozen balance resolves unknown outcomes', () =>
  story({
    ...quiet,
    world: { switches: { clientIds: 'live' } },
    bot: { clientIds: 'unproven' },
    // Orders of a grid freeze equal amounts, so they can be distinguished only while nothing else is sent.
    block: 'market',
    plan(venue) {
      venue.plan('collateralBulk', 1, 'lost')
      venue.plan('collateralBulk', 2, 'answer lost')
    },
    events: ['order-unknown', 'order-resolved'],
  }))

test.concurrent('after a crash the next process finds its orders and the fills in between', () =>
  story({
    ...quiet,
    plan(venue) {
      venue.plan('collateralBulk', 2, 'answer lost')
    },
    async meanwhile(context) {
      await until(context.clock, () => context.bulks() >= 2)
      const rival = createClient({
        transport: httpTransport(context.venue.running.url),
        key: {
          credentials: { key: 'rival-key', secret: new Secret('rival-secret') },
          nonces: new Nonces({ clock: context.clock, mode: 'strict' }),
        },
      })
      const order = { market: 'BTC_PERP', side: 'sell', price: '59976', amount: '0.005', ioc: true } as const
      await Promise.all([context.restart(), rival.collateralBulk({ orders: [order] })])
      await rival.close()
      expect(context.oracle.ended().length).toBeGreaterThan(0)
    },
    events: ['order-unknown', 'order-resolved', 'fill'],
  }))
