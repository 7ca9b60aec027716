import { expect, test } from 'vitest'
import { startFaultyVenue } from '#test/support/faulty-venue.ts'
import { startEventLoopClock } from '#test/support/event-loop-clock.ts'
import { worldWith } from '#test/support/world.ts'
import { botAtWork, emptyFolder } from './bot-at-work.ts'
import { grid, until } from './story.ts'

test('at shutdown the search for an order stops, and the account is read once more', async () => {
  const { path: folder, remove } = emptyFolder()
  const world = worldWith({ switches: { clientIds: 'live' } })
  const { clock, stop } = startEventLoopClock()
  const venue = await startFaultyVenue({ world, clock, profile: 'spec', seed: 'ending' })
  venue.plan('collateralBulk', 1, 'answer lost')
  const about = { clientIds: 'unproven', settleMs: 3_600_000, strategies: [grid()] } as const
  const bot = await botAtWork({ url: venue.url, folder, clock, ...about })
  try {
    await until(clock, () => bot.state.looking !== null)
    const before = venue.calls.length
    await bot.end()
    const read = venue.calls.slice(before).map(({ name }) => name)
    await bot.close()
    // Only the account monitor calls in this order.
    expect(read.slice(-3)).toEqual(['tradingBalance', 'mainBalance', 'orderHistory'])
    expect(bot.broken).toEqual([])
  } finally {
    await venue.close()
    stop()
    remove()
  }
})
