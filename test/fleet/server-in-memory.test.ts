import { expect, test } from 'vitest'
import type { LogEnd } from '#src/core/log/hash-chain.ts'
import { Database } from '#src/fleet/database.ts'
import { PostgresAccount } from '#src/fleet/postgres-account.ts'
import type { RecordGroup, SharedAccount } from '#src/fleet/shared-account.ts'
import { makeTables } from '#src/fleet/tables.ts'
import { chanceOf, type Chance } from '#test/fuzz/chance.ts'
import { seed, times } from '#test/properties/runs.ts'
import { missingPostgres, startPostgres } from '#test/support/postgres.ts'
import { MemoryAccount } from './simulated/memory-account.ts'

type Server = Omit<SharedAccount, 'account' | 'server' | 'listen'> | MemoryAccount
/** What one process knows of its lease. */
type Process = {
  epoch: number
  confirmed: LogEnd
  /** The last records that it has sent, and what was before them. */
  sent: { before: LogEnd; group: RecordGroup } | undefined
}

const accounts = times(20, 200, 10)
const steps = 60
/** A lease ends at once or lasts, since the two servers have clocks of their own. */
const [endedMs, lastingMs] = [-1000, 3_600_000]

/** One random act of a process; returns what the server answers, without times and epochs. */
async function act(server: Server, process: Process, chance: Chance): Promise<unknown> {
  const { epoch, confirmed } = process
  const termMs = chance.percent(40) ? endedMs : lastingMs
  const trace = chance.percent(50) ? `trace ${chance.below(100)}` : undefined
  const [seq, what] = [chance.below(12), chance.below(12)]
  if (what < 2) return take(server, process, { holder: `process ${seq}`, termMs })
  if (what < 4) return confirm(server, process, chance, seq)
  if (what < 6) return confirm(server, process, chance, confirmed.seq)
  if (what === 6) return server.renew(epoch, { termMs, withinMs: 5000 }, trace)
  if (what === 7) return server.release(epoch, { trace, hasFailed: chance.percent(70) })
  if (what === 8 && confirmed.seq > 0) return server.keepState(epoch, stateAfter(confirmed))
  if (what === 9) return server.beginAt(epoch, stateAfter({ seq: seq + 1, link: `begins at ${seq + 1}` }))
  const found = await server.holder()
  return [
    found && { ...found, remainingMs: found.remainingMs > 0 },
    await server.after(seq),
    await server.linkAfter(seq),
    await server.confirmed(),
    await server.newestState(),
  ]
}

async function take(
  server: Server,
  process: Process,
  terms: { holder: string; termMs: number },
): Promise<unknown> {
  const taken = await server.take(terms)
  if (taken === undefined) return undefined
  const { epoch, confirmed, trace } = taken
  const isHigher = epoch > process.epoch
  Object.assign(process, { epoch, confirmed })
  return { isHigher, confirmed, trace: trace?.text }
}

/** Sends new records, or the last ones once more. */
async function confirm(server: Server, process: Process, chance: Chance, after: number): Promise<unknown> {
  const count = 1 + chance.below(3)
  const records = Array.from({ length: count }, (_, n) => ({
    seq: after + n + 1,
    event: `"event ${chance.below(1000)}"`,
    commands: chance.percent(50) ? ['"command"'] : [],
    decisions: [],
    chain: `link ${chance.below(1000)}`,
  }))
  const fresh = {
    before: { ...process.confirmed, seq: after },
    group: { engine: chance.oneOf(['1', '2']), records },
  }
  const { before, group } = chance.percent(30) ? (process.sent ?? fresh) : fresh
  process.sent = { before, group }
  const isConfirmed = await server.confirm(process.epoch, before, group)
  if (isConfirmed)
    process.confirmed = { seq: before.seq + group.records.length, link: String(group.records.at(-1)?.chain) }
  return isConfirmed
}

function stateAfter({ seq, link }: LogEnd) {
  return { seq, engine: '1', chain: link, hash: 'hash', proof: 'proof', state: `{"after":${seq}}` }
}

const processes = (): Process[] =>
  [0, 1].map(() => ({ epoch: 0, confirmed: { seq: 0, link: '' }, sent: undefined }))

test.skipIf(missingPostgres !== undefined)(
  `the server in memory of the simulation answers like PostgreSQL, for ${accounts} accounts`,
  async () => {
    await using server = await startPostgres()
    await using database = await Database.open(server.url, { connectMs: 5000, queryMs: 5000 })
    await makeTables(database)
    let confirmed = 0
    for (let number = seed; number < seed + accounts; number++) {
      let now = Date.now()
      const memory = new MemoryAccount(() => (now += 1))
      const postgres = new PostgresAccount(database, `account ${number}`)
      const [ours, theirs] = [processes(), processes()]
      for (let step = 0; step < steps; step++) {
        const site = number * 1000 + step
        const which = chanceOf(site).below(2)
        const inMemory = await act(memory, ours[which]!, chanceOf(site + 1))
        expect(inMemory, `seed ${number}, step ${step}`).toEqual(
          await act(postgres, theirs[which]!, chanceOf(site + 1)),
        )
        if (inMemory === true) confirmed += 1
      }
    }
    expect(confirmed).toBeGreaterThan(accounts)
  },
)
