import { expect, test } from 'vitest'
import { story, until } from './story.ts'

const hourMs = 3_600_000

test.concurrent.each([
  ['an hour', hourMs],
  ['eight days', 8 * 24 * hourMs],
])('a bot whose clock was %s ahead for a moment trades on, and so does the next one', async (_, aheadMs) => {
  // The machine starts before its clock is set; later a time server has it wrong for a moment.
  let offMs = aheadMs
  await story({
    offMs: () => offMs,
    bulks: 10,
    async meanwhile(stage) {
      const traded = async () => {
        const before = stage.bulks()
        await until(stage.clock, () => stage.bulks() > before)
      }
      await traded()
      offMs = 0
      await stage.restart()
      await traded()
      offMs = aheadMs
      await traded()
      offMs = 0
      await stage.restart()
      await traded()
      expect(stage.bot.broken).toEqual([])
    },
  })
})
