import { sqlState, type Database } from './database.ts'
import { parseReport } from './member-report.ts'

/** An account of a fleet, and the process that trades for it or did at last. */
export type RosterRow = Awaited<ReturnType<typeof roster>>[number]

/** A process reports twice a second. */
const silentMsMost = 3000

/** All accounts of a fleet, by name. */
export async function roster(database: Database) {
  const { rows } = await database
    .query(
      `SELECT lease.account, holder, lease.epoch, confirmed,
         extract(epoch FROM expires - clock_timestamp()) * 1000 AS remaining,
         extract(epoch FROM clock_timestamp() - own.reported) * 1000 AS silent, own.report,
         (SELECT count(*) FROM rungs.reports AS other WHERE other.account = lease.account AND other.epoch IS NULL
           AND other.reported > clock_timestamp() - interval '${silentMsMost} milliseconds') AS standbys
       FROM rungs.leases AS lease
       LEFT JOIN rungs.reports AS own ON own.account = lease.account AND own.epoch = lease.epoch
       ORDER BY lease.account`,
    )
    .catch((error: unknown) => {
      // The first bot makes the tables.
      if (noTable.has(sqlState(error) ?? '')) return { rows: [] }
      throw error
    })
  return rows.map((row) => {
    const remaining = Number(row['remaining'])
    return {
      account: String(row['account']),
      holder: String(row['holder']),
      /** Whether the holder may trade now. */
      holds: remaining > 0,
      /** Milliseconds until its lease ends, or since it has ended. */
      ms: Math.round(Math.abs(remaining)),
      epoch: Number(row['epoch']),
      /** Records of the journal at the server. */
      records: Number(row['confirmed']),
      /** Processes that wait for the lease. */
      standbys: Number(row['standbys']),
      /** Milliseconds since the last report of the holder; null without one. */
      silentMs: row['silent'] === null ? null : Math.round(Number(row['silent'])),
      /** Null before the bot of the holder trades, and if this version cannot read it. */
      report: typeof row['report'] === 'string' ? (parseReport(row['report']) ?? null) : null,
    }
  })
}

/** Whether the process of an account trades and reports. */
export function isAlive({ holds, silentMs }: RosterRow): boolean {
  return holds && silentMs !== null && silentMs <= silentMsMost
}

/** SQLSTATE of a missing schema, and of a missing table. */
const noTable: ReadonlySet<string> = new Set(['3F000', '42P01'])
