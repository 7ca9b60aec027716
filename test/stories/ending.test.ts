import { expect, test } from 'vitest'
import { startFaultyVenue } from '#test/support/faulty-venue.ts'
import { startTurningClock } from '#test/support/turning-clock.ts'
import { worldWith } from '#test/support/world.ts'
import { botAtWork, emptyFolder } from './bot-at-work.ts'
import { grid, until } from './story.ts'

test('whoever looks for an order gives up when the process ends, and the account is read a last time', async () => {
  const { path: folder, remove } = emptyFolder()
  const world = worldWith({ switches: { clientIds: 'live' } })
  const { clock, stop } = startTurningClock()
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
    // In this order only the regular reading asks.
    expect(read.slice(-3)).toEqual(['tradingBalance', 'mainBalance', 'orderHistory'])
    expect(bot.broken).toEqual([])
  } finally {
    await venue.close()
    stop()
    remove()
  }
})
