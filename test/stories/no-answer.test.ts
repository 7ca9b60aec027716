import { expect, test } from 'vitest'
import { createClient } from '#src/venues/whitebit/client/client.ts'
import { httpTransport } from '#src/venues/whitebit/client/transport/http.ts'
import { Nonces } from '#src/venues/whitebit/client/calls/nonces.ts'
import { Secret } from '#src/venues/whitebit/contract/wire/signing.ts'
import { story, until } from './story.ts'

/** Venues of the documented calls alone, where resting orders are nowhere listed. */
const quiet = { profile: 'spec', bulks: 4 } as const

test.concurrent('the same ids again prove what became of orders', () =>
  story({
    ...quiet,
    plan(venue) {
      for (const nth of [1, 3, 5]) venue.plan('collateralBulk', nth, 'answer lost')
      venue.plan('collateralBulk', 2, 'lost')
    },
    told: ['order-unknown', 'order-resolved'],
  }))

test.concurrent('where ids are free again, what the venue holds back does', () =>
  story({
    ...quiet,
    world: { switches: { clientIds: 'live' } },
    bot: { clientIds: 'unproven' },
    // A grid has many orders that hold the same: only while nothing else is sent can they be told apart.
    block: 'market',
    plan(venue) {
      venue.plan('collateralBulk', 1, 'lost')
      venue.plan('collateralBulk', 2, 'answer lost')
    },
    told: ['order-unknown', 'order-resolved'],
  }))

test.concurrent('a process that dies leaves its orders to the next one, which sees what has filled meanwhile', () =>
  story({
    ...quiet,
    plan(venue) {
      venue.plan('collateralBulk', 2, 'answer lost')
    },
    async meanwhile(stage) {
      await until(stage.clock, () => stage.bulks() >= 2)
      const rival = createClient({
        transport: httpTransport(stage.venue.running.url),
        key: {
          credentials: { key: 'rival-key', secret: new Secret('rival-secret') },
          nonces: new Nonces({ clock: stage.clock, mode: 'strict' }),
        },
      })
      const order = { market: 'BTC_PERP', side: 'sell', price: '59976', amount: '0.005', ioc: true } as const
      await Promise.all([stage.restart(), rival.collateralBulk({ orders: [order] })])
      await rival.close()
      expect(stage.oracle.ended().length).toBeGreaterThan(0)
    },
    told: ['order-unknown', 'order-resolved', 'fill'],
  }))
