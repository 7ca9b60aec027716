import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { lastingExchange, startExchange, temporaryFolder } from '#test/cli/support/process.ts'
import { chanceOf } from '#test/fuzz/chance.ts'
import { seed, times } from '#test/properties/runs.ts'
import { acceptedIn, isType, startBot, type StartedBot } from '#test/runtime/support/bot-process.ts'
import { disagreements, venueFileText } from '#test/runtime/support/venue-records.ts'
import { missingPostgres, startPostgres } from '#test/support/postgres.ts'
import { realTime } from '#test/support/real-time.ts'

const strategies = ['01-static-grid', '05-market-making'].map((name) =>
  fileURLToPath(new URL(`../../strategies/${name}.yaml`, import.meta.url)),
)

/** How a process ends, or seems to. */
const strikes = ['SIGKILL', 'SIGSTOP', 'SIGTERM'] as const
const takeOvers = times(2, 50)

test.skipIf(missingPostgres !== undefined)(
  `${takeOvers} take-overs by a standby: no order is doubled or unknown, and a process that wakes up sends nothing`,
  async () => {
    using folder = temporaryFolder()
    await using server = await startPostgres()
    const world = await lastingExchange(folder.file('world'), seed)
    const fast = await startExchange([...world, '--speed', '60'])
    const venueFile = folder.file('venue.yaml')
    writeFileSync(venueFile, venueFileText(fast.url))
    const words = (name: string) => [...strategies, '--venue', venueFile, '--state-dir', folder.file(name)]
    const bot = (name: string) => ({
      name,
      process: startBot([...words(name), '--speed', '60', '--fleet', server.url, '--standby']),
    })
    const chance = chanceOf(seed)

    let holder = bot('a')
    await holder.process.said(isType('bulk-sent'))
    let standby = bot('b')
    for (let round = 0; round < takeOvers; round++) {
      await standby.process.said(isType('lease-waiting'))
      await realTime(chance.below(1500))
      const strike = strikes[round % strikes.length]!
      holder.process.kill(strike)
      await standby.process.said(isType('lease-taken'))
      await standby.process.said(isType('started'))
      if (strike === 'SIGSTOP') await wakesTooLate(holder.process)
      const { code, signal } = await holder.process.ended
      expect({ code, signal }, holder.process.stderr()).toEqual(ends[strike])
      await holder.process[Symbol.asyncDispose]()
      ;[holder, standby] = [standby, bot(holder.name)]
    }
    await standby.process.said(isType('lease-waiting'))
    standby.process.kill('SIGTERM')
    // It has not traded, and ends at once.
    expect((await standby.process.ended).code, standby.process.stderr()).toBe(0)
    holder.process.kill('SIGTERM')
    expect((await holder.process.ended).code, holder.process.stderr()).toBe(0)

    await fast.end()
    await using slow = await startExchange(world)
    const about = { words: words(holder.name), stateDir: folder.file(holder.name) }
    expect(await disagreements(slow.url, about)).toEqual([])
  },
  3_600_000,
)

const ends = {
  SIGKILL: { code: null, signal: 'SIGKILL' },
  SIGSTOP: { code: 75, signal: null },
  SIGTERM: { code: 0, signal: null },
} as const

/** Another process trades when it wakes up. */
async function wakesTooLate(bot: StartedBot): Promise<void> {
  const before = acceptedIn(bot.lines).length
  bot.kill('SIGCONT')
  await bot.ended
  expect(acceptedIn(bot.lines).length).toBe(before)
  expect(bot.stderr()).toMatch(/^LEASE_LOST: /m)
}
