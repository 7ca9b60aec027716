import { DatabaseSync } from 'node:sqlite'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { isType } from '#test/runtime/support/bot-process.ts'
import { tradingAtFaultyVenue } from '#test/runtime/support/at-faulty-venue.ts'

const withTime = z.looseObject({ time: z.number() })

test('a start keeps the time that the venue told first, though its later answers about the time have none', async () => {
  const told: number[] = []
  await tradingAtFaultyVenue(
    async (bot, stateDir) => {
      await bot.said(isType('started'))
      using journal = new DatabaseSync(join(stateDir, 'journal.sqlite'), { readOnly: true })
      const began = () => journal.prepare(`SELECT body FROM events WHERE kind = 'began'`).get()
      await expect.poll(began).toBeDefined()
      expect(JSON.parse(String(began()?.['body']))).toMatchObject({ heard: told[0] })
      expect(told.length).toBeGreaterThan(1)
    },
    {
      change: (venue) =>
        venue.rewrite('time', (answer) => {
          told.push(withTime.parse(answer).time * 1000)
          return told.length === 1 ? answer : {}
        }),
    },
  )
})
