import { expect, test } from 'vitest'
import { Decimal } from '#src/core/money/decimal.ts'
import { startFaultyVenue } from '#test/support/faulty-venue.ts'
import { startEventLoopClock } from '#test/support/event-loop-clock.ts'
import { worldWith } from '#test/support/world.ts'
import { botAtWork, emptyFolder } from './bot-at-work.ts'
import { StoryOracle } from './oracle.ts'
import { grid, until } from './story.ts'

test('a bot with a lost journal adopts no earlier order, and books none of its fills', async () => {
  const former = emptyFolder()
  const folder = emptyFolder()
  const { clock, stop } = startEventLoopClock()
  const about = { world: worldWith(), clock, profile: 'full', seed: 'story', speed: 20 } as const
  const venue = await startFaultyVenue({ ...about, sources: { seeded: true } })
  const begin = (path: string, total: string) =>
    botAtWork({
      url: venue.url,
      folder: path,
      strategies: [grid().replace('total: 6000', `total: ${total}`)],
      clock,
      speed: 20,
      foundOrders: 'ignore',
    })
  try {
    const before = await begin(former.path, '6000')
    const isPlaced = () => Object.values(before.state.orders).filter(({ status }) => status === 'resting')
    await until(clock, () => isPlaced().length >= 8 && before.notes.some(({ type }) => type === 'fill'))
    await before.abandon()
    const oracle = new StoryOracle(venue.running)
    const theirs = new Map([...oracle.resting(), ...oracle.ended()].map((order) => [order.id, order]))
    expect(theirs.size).toBeGreaterThan(8)

    const bot = await begin(folder.path, '3000')
    try {
      const ours = () => Object.values(bot.state.orders)
      const adopted = () => ours().filter(({ id, status }) => theirs.has(id) && status !== 'ended')
      await until(clock, () => ours().filter(({ status }) => status === 'resting').length >= 6)
      await until(clock, () => bot.notes.some(({ type }) => type === 'drift') && adopted().length === 0)
      for (const { id, filled } of ours()) if (theirs.has(id)) expect([id, filled]).toEqual([id, '0'])
      const held = bot.state.strategies['story']?.holdings['btc']?.position ?? '0'
      const own = ours().map(({ side, filled }) => `${side === 'buy' ? '' : '-'}${filled}`)
      expect(new Decimal(held).toFixed()).toBe(
        own.reduce((sum, each) => sum.plus(each), new Decimal(0)).toFixed(),
      )
      expect(bot.broken).toEqual([])
    } finally {
      await bot.stop()
    }
  } finally {
    await venue.close()
    stop()
    former.remove()
    folder.remove()
  }
})
