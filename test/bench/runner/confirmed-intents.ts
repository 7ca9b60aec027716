import { systemClock } from '#src/core/time/clock.ts'
import type { Event } from '#src/engine/events.ts'
import { Database } from '#src/fleet/database.ts'
import { joinFleet } from '#src/fleet/membership.ts'
import { PostgresAccount } from '#src/fleet/postgres-account.ts'
import { makeTables } from '#src/fleet/tables.ts'
import type { Journal } from '#src/journal/port.ts'
import type { SqliteJournal } from '#src/journal/sqlite/journal.ts'
import type { CountingMachine } from '#test/journal/counting-machine.ts'
import { missingPostgres, startPostgres } from '#test/support/postgres.ts'
import { medianOf } from './median.ts'
import { note, report } from './report.ts'

/** A step that sends one order. */
export function intend(journal: Pick<Journal<CountingMachine>, 'machine' | 'append'>): void {
  const { machine } = journal
  const at = machine.state.at - (machine.state.at % 3) + 3
  const event: Event = { kind: 'quote', at, market: 'BTC_PERP', bid: 60_000, ask: 60_001, last: null }
  journal.append(event, machine.step(event))
  machine.state.orders = {}
  machine.state.chunks = {}
}

/** What the confirmation of a fleet adds to an order: the same intents, on this disk alone and also at a server on it. */
export async function confirmedIntents(
  open: (name: string) => SqliteJournal<CountingMachine>,
): Promise<void> {
  if (missingPostgres !== undefined) {
    note(`not measured: an intent of a fleet, since there is ${missingPostgres}`)
    return
  }
  await using server = await startPostgres()
  await using database = await Database.open(server.url, { connectMs: 5000, queryMs: 5000 })
  await makeTables(database)
  const [alone, local] = [open('alone'), open('fleet')]
  const { lease, journal } = await joinFleet({
    shared: new PostgresAccount(database, 'bench'),
    local,
    terms: { holder: 'bench', termMs: 60_000 },
    engine: 'bench',
    clock: systemClock,
    isStandby: false,
    onWaiting: () => {},
    onLost: (error) => {
      throw error
    },
    signal: new AbortController().signal,
  })
  const times = { alone: [] as number[], fleet: [] as number[] }
  for (let turn = 0; turn < 2000; turn++) {
    for (const [into, each] of [
      [times.alone, alone],
      [times.fleet, journal],
    ] as const) {
      intend(each)
      const start = performance.now()
      await each.commit()
      into.push(performance.now() - start)
    }
  }
  alone.close()
  await journal.close()
  await lease.release({ hasFailed: false })
  const [one, both] = [medianOf(times.alone), medianOf(times.fleet)]
  const detail = `${both.toFixed(2)} ms with the server, ${one.toFixed(2)} ms without`
  report({
    goal: 'P14',
    what: 'a fleet adds to one durable intent',
    ours: both - one,
    unit: 'ms',
    atMost: 2,
    detail,
  })
}
