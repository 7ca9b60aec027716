import { exitCodes } from '#src/core/errors/error-catalogue.ts'
import { Database } from '#src/fleet/database.ts'
import { roster, type RosterRow } from '#src/fleet/roster.ts'
import { columns } from '#src/cli/words/text.ts'
import { printable } from '#src/operate/terminal/printable.ts'
import { refusePassword, unavailable } from './fleet-address.ts'

const waitMs = 5000

/** `rungs fleet status`: which process trades for each account. Exit code 2 if no process trades for one of them. */
export async function fleetStatus(address: string, flags: { json?: boolean }): Promise<number> {
  refusePassword(address)
  await using database = await Database.open(address, { connectMs: waitMs, queryMs: waitMs })
  const rows = await rowsOf(database)
  process.stdout.write(`${flags.json === true ? JSON.stringify(rows) : rosterText(rows)}\n`)
  return rows.every(({ holds }) => holds) ? exitCodes.ok : exitCodes.findings
}

async function rowsOf(database: Database): Promise<RosterRow[]> {
  try {
    return await roster(database)
  } catch (cause) {
    throw unavailable(cause)
  }
}

function rosterText(rows: readonly RosterRow[]): string {
  if (rows.length === 0) return 'No bot has joined this fleet yet.'
  return columns([
    ['ACCOUNT', 'PROCESS', 'STATE', 'EPOCH', 'RECORDS'],
    ...rows.map(({ account, holder, holds, ms, epoch, records }) => [
      printable(account),
      printable(holder),
      holds ? 'trades' : `does not trade, for ${Math.round(ms / 1000)} s`,
      String(epoch),
      String(records),
    ]),
  ]).join('\n')
}
