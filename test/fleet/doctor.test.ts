import { expect, test } from 'vitest'
import { z } from 'zod'
import { Database } from '#src/fleet/database.ts'
import { makeTables } from '#src/fleet/tables.ts'
import { rungsHere } from '#test/cli/support/in-process.ts'
import { temporaryFolder } from '#test/cli/support/process.ts'
import { missingPostgres, startPostgres } from '#test/support/postgres.ts'

const findingsSchema = z.object({
  findings: z.array(z.object({ about: z.string(), verdict: z.string(), found: z.string() })),
})

test.skipIf(missingPostgres !== undefined)(
  'rungs doctor --fleet checks the server, and finds a database that was restored in part',
  async () => {
    using folder = temporaryFolder()
    await using server = await startPostgres()
    await using database = await Database.open(server.url, { connectMs: 60_000, queryMs: 60_000 })
    await makeTables(database)
    const checked = async () => {
      const words = ['doctor', '--fleet', server.url, '--state-dir', folder.file('doctor'), '--json']
      const { stdout } = await rungsHere(words)
      const { findings } = findingsSchema.parse(JSON.parse(stdout))
      return findings.filter(({ about }) => about === 'fleet')
    }
    expect(await checked()).toMatchObject([{ verdict: 'good', found: expect.stringContaining('answers in') }])
    await database.query(
      `INSERT INTO rungs.leases VALUES ('old', 7, 'process 1', clock_timestamp(), 1, 'x', '{}', null, null)`,
    )
    await database.query(`INSERT INTO rungs.records VALUES ('old', 1, 8, '1', '[]', 'x')`)
    expect(await checked()).toMatchObject([
      { verdict: 'good' },
      { verdict: 'bad', found: 'the lease of old does not belong to its records' },
    ])
  },
)
