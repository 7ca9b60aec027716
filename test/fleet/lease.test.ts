import { expect, test } from 'vitest'
import { Database, ServerUnreachable } from '#src/fleet/database.ts'
import { Lease } from '#src/fleet/lease.ts'
import { SeededRandom } from '#src/research/simulate/seeded-random.ts'
import { MachineClock, SimulatedMachine } from '#src/research/simulate/simulated-machine.ts'
import { SimulatedTime } from '#src/research/simulate/simulated-time.ts'
import { missingPostgres, startPostgres } from '#test/support/postgres.ts'
import { MemoryAccount } from './simulated/memory-account.ts'
import { FleetServer, ServerLink } from './simulated/server-link.ts'

const terms = { holder: 'one', termMs: 2000 }

/** A process in simulated time that takes the lease. */
function oneHolder(seed: number) {
  const time = new SimulatedTime(() => 0)
  const machine = new SimulatedMachine(() => {})
  const rows = new MemoryAccount(() => time.elapsed)
  const link = new ServerLink(new FleetServer(), { time, dice: new SeededRandom(seed), rows, faulty: 0 })
  const clock = new MachineClock({ time, beginsAt: 0, machine, wall: { skewMs: 0 } })
  const lost: unknown[] = []
  const onLost = (error: unknown) => lost.push(error)
  const take = async () => {
    const lease = await Lease.take({ shared: link.account(machine, 'a'), terms, clock, onLost })
    if (!(lease instanceof Lease)) throw new Error('another process has the lease')
    return lease
  }
  return { time, machine, rows, link, lost, take }
}

test('no call may leave before the server has the nonces, also if it does not answer at first', async () => {
  const { time, machine, rows, link, take } = oneHolder(1)
  const start = async () => {
    const lease = await take()
    link.cutFor(300, 'refused')
    await lease.keepTrace({ text: () => 'nonces of one', stored: () => {} })
    // From here on it may call, and it ends at once.
    machine.kill()
  }
  time.after(0, () => void start())
  await time.runUntil(5000)
  expect(rows.take({ ...terms, holder: 'two' })?.trace?.text).toBe('nonces of one')
})

test.each([1, 2, 3, 4, 5])(
  'a holder keeps its lease if one renewal has no answer, since the next one follows in time: %i',
  async (seed) => {
    const { time, rows, link, lost, take } = oneHolder(seed)
    time.after(0, () => void take())
    // Connections stay open, and nothing comes through.
    for (const at of [400, 3000, 6000]) time.after(at, () => link.cutFor(900, 'silent'))
    await time.runUntil(9000)
    expect(lost).toEqual([])
    expect(rows.holder()?.remainingMs).toBeGreaterThan(0)
  },
)

test.skipIf(missingPostgres !== undefined)('a query to PostgreSQL can have a limit of its own', async () => {
  await using server = await startPostgres()
  await using database = await Database.open(server.url, { connectMs: 60_000, queryMs: 60_000 })
  const sleep = database.query('SELECT pg_sleep(3600)', [], { withinMs: 500 })
  await expect(sleep).rejects.toBeInstanceOf(ServerUnreachable)
  expect((await database.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }])
})

test.skipIf(missingPostgres !== undefined)(
  'a listener that is stopped while its connection opens returns it, so that the program can end',
  async () => {
    await using server = await startPostgres()
    const database = await Database.open(server.url, { connectMs: 60_000, queryMs: 60_000 })
    const ending = new AbortController()
    const listening = database.listen('rungs_records', () => {}, ending.signal)
    ending.abort()
    await listening
    await database[Symbol.asyncDispose]()
  },
)
