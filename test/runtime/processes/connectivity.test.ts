import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { rungsHere } from '#test/cli/support/in-process.ts'
import { startExchange, temporaryFolder } from '#test/cli/support/process.ts'
import { isType, startBot } from '#test/runtime/support/bot-process.ts'

const statusLine = z.object({
  at: z.number(),
  process: z.object({
    readAt: z.number().nullable(),
    lost: z.object({ since: z.number(), reason: z.string() }).nullable(),
  }),
  strategies: z.array(z.object({ feeds: z.array(z.object({ ageMs: z.number() })) })),
})

test('status reports a silent venue, and the summary the age of the last read', async () => {
  using folder = temporaryFolder()
  const exchange = await startExchange('--profile full --market seeded --speed 60 --seed run'.split(' '))
  const venue = folder.file('venue.yaml')
  writeFileSync(venue, `url: ${exchange.url}\nsettle: 0s\nkey: paper-key\nsecret: paper-secret\n`)
  const words = ['strategies/01-static-grid.yaml', '--venue', venue, '--speed', '60']
  await using bot = startBot([...words, '--state-dir', folder.path])
  await bot.said(isType('order-accepted'))
  const inFolder = (...more: string[]) => rungsHere(['status', '--state-dir', folder.path, ...more])
  const status = async () => statusLine.parse(JSON.parse((await inFolder('--json')).stdout))

  const before = await status()
  expect(before.process.lost).toBeNull()
  expect(before.process.readAt).toBeLessThanOrEqual(before.at)
  expect((await inFolder()).stdout).toMatch(/^account read \d+ s ago$/m)

  await exchange[Symbol.asyncDispose]()
  let after = before
  await expect.poll(async () => (after = await status()).process.lost, { interval: 200 }).not.toBeNull()
  expect(after.process.readAt).not.toBeNull()
  expect(after.process.lost?.since).toBeGreaterThan(after.process.readAt ?? 0)
  const { stdout } = await inFolder()
  expect(stdout).toMatch(/^the venue does not answer since 20\S+Z, \d+ s ago: \S.+$/m)
  expect(stdout).toMatch(/^account read \d+ s ago$/m)

  bot.kill('SIGTERM')
  await bot.ended
  const summary = z.object({ type: z.literal('summary'), at: z.number(), readAgeMs: z.number() })
  const { at, readAgeMs } = summary.parse(bot.lines.at(-1))
  expect(at - readAgeMs).toBe(after.process.readAt)
})
