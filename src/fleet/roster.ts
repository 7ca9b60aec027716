import { sqlState, type Database } from './database.ts'

/** An account of a fleet, and the process that trades for it or did at last. */
export type RosterRow = {
  account: string
  holder: string
  /** Whether the holder may trade now. */
  holds: boolean
  /** Milliseconds until its lease ends, or since it has ended. */
  ms: number
  epoch: number
  /** Records of the journal at the server. */
  records: number
}

/** All accounts of a fleet, by name. */
export async function roster(database: Database): Promise<RosterRow[]> {
  const { rows } = await database
    .query(
      `SELECT account, holder, epoch, confirmed, extract(epoch FROM expires - clock_timestamp()) * 1000 AS remaining
       FROM rungs.leases ORDER BY account`,
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
      holds: remaining > 0,
      ms: Math.round(Math.abs(remaining)),
      epoch: Number(row['epoch']),
      records: Number(row['confirmed']),
    }
  })
}

/** SQLSTATE of a missing schema, and of a missing table. */
const noTable: ReadonlySet<string> = new Set(['3F000', '42P01'])
