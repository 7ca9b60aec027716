import { expect, test } from 'vitest'
import { story, until } from './story.ts'

const hourMs = 3_600_000

test.concurrent.each([
  ['an hour', hourMs],
  ['eight days', 8 * 24 * hourMs],
])(
  'after its clock was %s ahead for a moment, the bot keeps trading, and so does the next process',
  async (_, aheadMs) => {
    // The machine starts before its clock is set; later a time server is wrong for a moment.
    let offMs = aheadMs
    await story({
      offMs: () => offMs,
      bulks: 10,
      async meanwhile(context) {
        const traded = async () => {
          const before = context.bulks()
          await until(context.clock, () => context.bulks() > before)
        }
        await traded()
        offMs = 0
        await context.restart()
        await traded()
        offMs = aheadMs
        await traded()
        offMs = 0
        await context.restart()
        await traded()
        expect(context.bot.broken).toEqual([])
      },
    })
  },
)
