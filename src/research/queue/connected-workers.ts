import { hostname } from 'node:os'
import { engineVersion } from '#src/engine/engine-version.ts'
import type { Database } from '#src/fleet/database.ts'

/** The server knows the processes that are connected by these names: a worker has connections as long as it lives. */
const prefix = `rungs worker ${engineVersion} `
/** Of a name at the server, in bytes. */
const nameMost = 63

/** The name of a worker at the server. */
export function workerApplication(pid: number): string {
  return `${prefix}${pid} ${hostname()}`.replaceAll(/[^\x20-\x7e]/g, '?').slice(0, nameMost)
}

export async function connectedWorkers(database: Database): Promise<number> {
  const { rows } = await database.query(
    `SELECT count(DISTINCT application_name) AS workers FROM pg_stat_activity
     WHERE datname = current_database() AND starts_with(application_name, $1)`,
    [prefix],
  )
  return Number(rows[0]?.['workers'])
}
