import { expect, test } from 'vitest'
import { createClient } from '#src/venues/whitebit/client/client.ts'
import { httpTransport } from '#src/venues/whitebit/client/transport/http.ts'
import { Nonces } from '#src/venues/whitebit/client/calls/nonces.ts'
import { Secret } from '#src/venues/whitebit/contract/wire/signing.ts'
import { story, until } from './story.ts'

test.concurrent('processes crash with orders in flight, and the next ones resolve them', () =>
  story({
    bulks: 14,
    async meanwhile(context) {
      const { clock, venue } = context
      for (const fault of ['answer lost', 'lost', 'failed after'] as const) {
        const before = context.bulks()
        venue.plan('collateralBulk', 2, fault)
        await until(clock, () => context.bulks() >= before + 2)
        venue.down(true)
        const dying = context.restart()
        venue.down(false)
        await dying
      }
    },
    events: ['started', 'order-unknown', 'order-resolved', 'fill'],
  }))

test.concurrent('processes crash with orders in flight and reusable ids, and the next ones resolve them', () =>
  story({
    world: { switches: { clientIds: 'live' } },
    bot: { clientIds: 'unproven' },
    bulks: 8,
    async meanwhile(context) {
      for (let life = 0; life < 2; life++) {
        const before = context.bulks()
        context.venue.plan('collateralBulk', 1, 'answer lost')
        await until(context.clock, () => context.bulks() > before)
        await context.restart()
      }
    },
    events: ['order-unknown', 'order-resolved'],
  }))

test.concurrent('streams break repeatedly, and polling finds every fill', () =>
  story({
    bulks: 16,
    async meanwhile(context) {
      for (let times = 0; times < 6; times++) {
        await context.clock.sleep(250)
        context.venue.cutStreams()
      }
    },
    events: ['fill'],
  }))

test.concurrent('the connection is down for a while, and orders sent into it are resolved afterwards', () =>
  story({
    bulks: 12,
    async meanwhile({ clock, venue, bulks }) {
      await until(clock, () => bulks() >= 2)
      venue.down(true)
      await clock.sleep(1500)
      venue.down(false)
    },
    events: ['fill'],
  }))

test.concurrent('the system clock is stepped by hours in both directions', () => {
  let offMs = 0
  return story({
    offMs: () => offMs,
    bulks: 16,
    plan(venue) {
      for (const nth of [3, 6, 9]) venue.plan('collateralBulk', nth, 'answer lost')
    },
    async meanwhile({ clock, bulks }) {
      for (const hours of [1, -1, 0]) {
        const before = bulks()
        await until(clock, () => bulks() > before)
        offMs = hours * 3_600_000
      }
    },
    events: ['order-unknown', 'order-resolved', 'fill'],
  })
})

test.concurrent('orders of a person on the same account are reported and never adopted', () => {
  const keys = ['paper', 'hand'].map((name) => ({
    key: `${name}-key`,
    secret: `${name}-secret`,
    permissions: ['read', 'trade', 'funds', 'account'],
  }))
  return story({
    world: { accounts: { paper: { keys } } },
    bulks: 12,
    async meanwhile({ clock, venue, notes, bot }) {
      const hand = createClient({
        transport: httpTransport(venue.running.url),
        key: {
          credentials: { key: 'hand-key', secret: new Secret('hand-secret') },
          nonces: new Nonces({ clock, mode: 'strict' }),
        },
      })
      await until(clock, () => bot.state.drift.base !== null)
      const order = { market: 'BTC_PERP', side: 'buy', price: '50000', amount: '0.001' } as const
      await hand.collateralBulk({ orders: [order] })
      await hand.collateralMarket({ market: 'ETH_PERP', side: 'buy', amount: '0.07' })
      await until(clock, () => notes('drift').length >= 3)
      await hand.close()
      expect(notes('drift').map((note) => ('message' in note ? note.message : ''))).toEqual(
        expect.arrayContaining([
          expect.stringContaining('BTC_PERP: buy 0.001 at 50000'),
          expect.stringContaining('+0.07 in ETH_PERP'),
        ]),
      )
    },
    events: ['fill'],
  })
})
