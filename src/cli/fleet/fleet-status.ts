import { exitCodes } from '#src/core/errors/error-catalogue.ts'
import { exposureFaults, exposureOf, type ExposureLimit } from '#src/fleet/exposure.ts'
import { isAlive, roster, type RosterRow } from '#src/fleet/roster.ts'
import { columns } from '#src/cli/words/text.ts'
import { printable } from '#src/operate/terminal/printable.ts'
import { atFleet } from './fleet-address.ts'
import { fleetTables } from './fleet-tables.ts'

type StatusFlags = { json?: boolean; maxExposure?: ExposureLimit[] }

/**
 * `rungs fleet status`: the bots of a fleet, and the exposure over all accounts. Exit code 2 if no process trades for an
 * account, or if an exposure may be above a limit.
 */
export async function fleetStatus(address: string, flags: StatusFlags): Promise<number> {
  const rows = await atFleet(address, roster)
  const faults = exposureFaults(rows, flags.maxExposure ?? [])
  const text =
    flags.json === true
      ? JSON.stringify({ accounts: rows, exposure: exposureOf(rows), faults })
      : statusText(rows, faults)
  process.stdout.write(`${text}\n`)
  return rows.every(isAlive) && faults.length === 0 ? exitCodes.ok : exitCodes.findings
}

function statusText(rows: readonly RosterRow[], faults: readonly string[]): string {
  if (rows.length === 0) return 'No bot has joined this fleet yet.'
  return [
    fleetTables(rows)
      .map((table) => columns([table.header, ...table.rows]).join('\n'))
      .join('\n\n'),
    ...faults.map((fault) => `Above a limit: ${printable(fault)}`),
  ].join('\n')
}
