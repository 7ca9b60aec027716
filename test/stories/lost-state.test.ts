import { expect, test } from 'vitest'
import { startFaultyVenue } from '#test/support/faulty-venue.ts'
import { startEventLoopClock } from '#test/support/event-loop-clock.ts'
import { worldWith } from '#test/support/world.ts'
import { botAtWork, emptyFolder } from './bot-at-work.ts'
import { StoryOracle } from './oracle.ts'
import { grid, until } from './story.ts'

test('after a venue loses confirmed orders, the bot places nothing in their place and reports it', async () => {
  const { path: folder, remove } = emptyFolder()
  const { clock, stop } = startEventLoopClock()
  const about = { world: worldWith(), clock, profile: 'full', seed: 'story', speed: 20 } as const
  const venue = await startFaultyVenue({ ...about, sources: { seeded: true } })
  const strategies = [grid({ haltAfter: '3s' })]
  const bot = await botAtWork({ url: venue.url, folder, strategies, clock, speed: 20 })
  try {
    const restingHere = () => Object.values(bot.state.orders).filter(({ status }) => status === 'resting')
    const doubtful = () => Object.values(bot.state.orders).filter(({ status }) => status === 'doubtful')
    await until(clock, () => restingHere().length >= 8 && bot.notes.some(({ type }) => type === 'fill'))
    await venue.forget()
    const oracle = new StoryOracle(venue.running)
    venue.watch(() => oracle.check())
    // The bot may notice the missing position first.
    await until(clock, () => bot.notes.some(({ type }) => type === 'halted') && doubtful().length > 3)
    // No label has both an open order at the venue and an unknown outcome at the bot.
    const labels = new Set(doubtful().map(({ id }) => id.replace(/\.\d+$/, '')))
    expect(oracle.resting().filter(({ label }) => labels.has(label))).toEqual([])
    expect(oracle.faults).toEqual([])
    expect(bot.broken).toEqual([])
  } finally {
    await bot.stop()
    await venue.close()
    stop()
    remove()
  }
})
