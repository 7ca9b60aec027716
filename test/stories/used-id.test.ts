import { expect, test } from 'vitest'
import { createClient } from '#src/venues/whitebit/client/client.ts'
import { httpTransport } from '#src/venues/whitebit/client/transport/http.ts'
import { Nonces } from '#src/venues/whitebit/client/calls/nonces.ts'
import { Secret } from '#src/venues/whitebit/contract/wire/signing.ts'
import { startFaultyVenue } from '#test/support/faulty-venue.ts'
import { startEventLoopClock } from '#test/support/event-loop-clock.ts'
import { worldWith } from '#test/support/world.ts'
import { botAtWork, emptyFolder } from './bot-at-work.ts'
import { grid, until } from './story.ts'

test('an order with an id of another order never counts as placed, not even after a resubmission', async () => {
  const id = 'story.grid.b1.1'
  const { path: folder, remove } = emptyFolder()
  const { clock, stop } = startEventLoopClock()
  const keys = ['paper', 'hand'].map((name) => ({
    key: `${name}-key`,
    secret: `${name}-secret`,
    permissions: ['read', 'trade', 'funds', 'account'],
  }))
  const venue = await startFaultyVenue({
    world: worldWith({ accounts: { paper: { keys } } }),
    clock,
    profile: 'full',
    seed: 'story',
    speed: 20,
    sources: { seeded: true },
  })
  const person = createClient({
    transport: httpTransport(venue.running.url),
    key: {
      credentials: { key: 'hand-key', secret: new Secret('hand-secret') },
      nonces: new Nonces({ clock, mode: 'strict' }),
    },
  })
  try {
    const other = { market: 'BTC_PERP', side: 'buy', price: '40000', amount: '0.005' } as const
    await person.collateralBulk({ orders: [{ ...other, client_order_id: id, ioc: true }] })
    // Too early for the start to find it.
    await clock.sleep(100)
    // The first attempt is lost, and the second one collides with the order of the person.
    venue.plan('collateralBulk', 1, 'lost')
    const bot = await botAtWork({ url: venue.url, folder, strategies: [grid()], clock, speed: 20 })
    try {
      const about = () => bot.notes.filter((note) => 'order' in note && note.order === id)
      const outcomes = () => about().flatMap((note) => (note.type === 'order-resolved' ? [note.outcome] : []))
      await until(clock, () => outcomes().length > 0)
      expect(about().map((note) => ('reason' in note ? note.reason : ''))).toContainEqual(
        expect.stringContaining('its id was already used at the second submission'),
      )
      expect(outcomes()).toEqual(['absent'])
      expect(about().filter(({ type }) => type === 'order-accepted')).toEqual([])
      expect(bot.broken).toEqual([])
    } finally {
      await bot.stop()
    }
  } finally {
    await person.close()
    await venue.close()
    stop()
    remove()
  }
})
