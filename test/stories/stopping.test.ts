import { expect, test } from 'vitest'
import { startFaultyVenue } from '#test/support/faulty-venue.ts'
import { startEventLoopClock } from '#test/support/event-loop-clock.ts'
import { worldWith } from '#test/support/world.ts'
import { botAtWork, emptyFolder } from './bot-at-work.ts'
import { grid, until } from './story.ts'

const named = (name: string) => grid().replace('name: story', `name: ${name}`)

test.each([
  ['rungs stop STRATEGY', { act: 'halt', strategy: 'second' }, ['first']],
  ['rungs stop', { act: 'stop' }, []],
] as const)(
  '%s: entries that wait in the queue of the client do not leave',
  async (_command, act, goingOn) => {
    const { path: folder, remove } = emptyFolder()
    // The bulk is slow, so that the bulk of the other strategy waits in the queue.
    const world = worldWith({ switches: { executionDelay: '2s' } })
    const { clock, stop } = startEventLoopClock()
    const venue = await startFaultyVenue({ world, clock, profile: 'full', seed: 'stopping', speed: 1 })
    const bot = await botAtWork({
      url: venue.url,
      folder,
      strategies: [named('first'), named('second')],
      clock,
    })
    const bulks = (from = 0) =>
      venue.calls.slice(from).flatMap(({ name, body }) => (name === 'collateralBulk' ? [body] : []))
    const sending = () => Object.values(bot.state.orders).filter(({ status }) => status === 'sending')
    try {
      await until(clock, () => bulks().length === 1)
      expect(bulks()[0]).toContain('"first.')
      await until(clock, () => sending().some(({ strategy }) => strategy === 'second'))
      expect(bulks()).toHaveLength(1)
      const before = venue.calls.length
      await bot.operate({ kind: 'operator', ...act, reason: 'lunch' })
      await until(clock, () => sending().every(({ strategy }) => strategy !== 'second'))
      await until(clock, () => sending().length === 0 || bulks(before).length > 1)
      const left = bulks(before).flatMap((body) =>
        [...body.matchAll(/"(first|second)\./g)].map(([, one]) => one),
      )
      expect([...new Set(left)]).toEqual(goingOn)
      const stopped = Object.values(bot.state.orders).filter(({ strategy }) => strategy === 'second')
      expect(stopped.length).toBeGreaterThan(0)
      expect(new Set(stopped.map(({ why }) => why))).toEqual(
        new Set(['not sent: Cancelled in the queue, before it was sent']),
      )
      expect(bot.broken).toEqual([])
    } finally {
      await bot.stop()
      await venue.close()
      stop()
      remove()
    }
  },
)
