import { expect, test } from 'vitest'
import { systemClock } from '#src/core/time/clock.ts'
import { CommandChannel } from '#src/fleet/command-channel.ts'
import { Database } from '#src/fleet/database.ts'
import { makeTables } from '#src/fleet/tables.ts'
import { missingPostgres, startPostgres } from '#test/support/postgres.ts'
import { realTime } from '#test/support/real-time.ts'
import { memberReport, rethrown } from './support/fake-member.ts'

test.skipIf(missingPostgres !== undefined)(
  'a holder that has just begun to trade waits for an answer of the venue before it hands over',
  async () => {
    await using server = await startPostgres()
    await using database = await Database.open(server.url, { connectMs: 5000, queryMs: 5000 })
    await makeTables(database)
    const about = { database, account: 'a', clock: systemClock, onBroken: rethrown }
    await using standby = new CommandChannel({
      ...about,
      process: 'b',
      reachesVenue: () => Promise.resolve(true),
    })
    await using holder = new CommandChannel({
      ...about,
      process: 'a',
      reachesVenue: () => Promise.resolve(false),
    })
    expect(standby).toBeDefined()
    holder.took(1)
    // Its first calls without a key were slow, and then it has read the account.
    await realTime(1500)
    const servedAt = systemClock.monotonic()
    const successor = await new Promise<string>((resolve) => {
      holder.serve({
        report: () => memberReport(),
        execute: () => Promise.resolve({ refused: null }),
        handOver: (process) => Promise.resolve(resolve(process)),
      })
    })
    expect(successor).toBe('b')
    expect(systemClock.monotonic() - servedAt).toBeGreaterThanOrEqual(2000)
  },
)
