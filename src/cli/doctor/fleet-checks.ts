import { BotError } from '#src/core/errors/bot-error.ts'
import { catalogue } from '#src/core/errors/error-catalogue.ts'
import { isLoopback } from '#src/core/network/loopback.ts'
import { systemClock } from '#src/core/time/clock.ts'
import type { Database } from '#src/fleet/database.ts'
import { makeTables } from '#src/fleet/tables.ts'
import { atFleet } from '#src/cli/fleet/fleet-address.ts'
import { spoken } from '#src/cli/program/error-text.ts'
import { bad, good, note, type Finding } from './doctor-checks.ts'

const about = 'fleet'
const queries = 5

/** What `rungs doctor --fleet` finds at the server of a fleet. */
export async function fleetFindings(address: string): Promise<Finding[]> {
  try {
    return await atFleet(address, async (database) => {
      await makeTables(database)
      return [
        await answerFinding(database),
        ...(await replicationFindings(database)),
        ...(await restoreFindings(database)),
        ...encryptionFindings(address),
      ]
    })
  } catch (error) {
    if (!(error instanceof BotError)) throw error
    const found = `${catalogue[error.code].sentence}: ${spoken(error.seen)}`
    return [bad(about, found, 'a bot of this fleet does not start', error.fix)]
  }
}

async function answerFinding(database: Database): Promise<Finding> {
  const took: number[] = []
  for (let query = 0; query < queries; query++) {
    const began = systemClock.monotonic()
    await database.query('SELECT 1')
    took.push(systemClock.monotonic() - began)
  }
  const middle = took.toSorted((a, b) => a - b)[Math.floor(queries / 2)] ?? 0
  return good(
    about,
    `${database.name} answers in ${middle.toFixed(1)} ms, and confirms only what is on its disk`,
    'each order waits for the server: for the answer, and for one write to its disk',
  )
}

/** A server that is promoted must have all confirmed records. */
async function replicationFindings(database: Database): Promise<Finding[]> {
  const { rows } = await database.query(
    `SELECT count(*) AS copies, current_setting('synchronous_standby_names') AS names FROM pg_stat_replication`,
  )
  const { copies = 0, names = '' } = rows[0] ?? {}
  if (Number(copies) === 0 || names !== '') return []
  return [
    bad(
      about,
      'the server has standby servers, and does not wait for any of them',
      'a standby server that is promoted can lack records of orders that exist',
      'Set synchronous_standby_names of the server',
    ),
  ]
}

/** A database that was restored in part: leases that are older than their records, or that lack some of them. */
async function restoreFindings(database: Database): Promise<Finding[]> {
  const { rows } = await database.query(
    `SELECT lease.account FROM rungs.leases AS lease JOIN rungs.records AS record USING (account)
     GROUP BY lease.account, lease.epoch, lease.confirmed
     HAVING max(record.epoch) > lease.epoch OR max(record.seq) <> lease.confirmed ORDER BY 1`,
  )
  return rows.map(({ account }) =>
    bad(
      about,
      `the lease of ${String(account)} does not belong to its records`,
      'the database was restored in part, and the next process could continue without records of orders that exist',
      'Restore all tables of the schema rungs from one backup',
    ),
  )
}

function encryptionFindings(address: string): Finding[] {
  const url = new URL(address)
  if (isLoopback(`http://${url.hostname}`) || url.searchParams.has('sslmode')) return []
  return [
    note(
      about,
      'the connection to the server is not encrypted',
      'others in the network can read strategies and orders',
      'Add ?sslmode=verify-full to the address, unless you trust the network',
    ),
  ]
}
