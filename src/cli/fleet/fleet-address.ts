import { BotError } from '#src/core/errors/bot-error.ts'
import { Database, ServerUnreachable, sqlState } from '#src/fleet/database.ts'
import { roster, type RosterRow } from '#src/fleet/roster.ts'
import { printable } from '#src/operate/terminal/printable.ts'
import { usage } from '#src/cli/words/usage.ts'

export function refusePassword(address: string, of: 'fleet' | 'queue' = 'fleet'): void {
  if (!URL.canParse(address) || new URL(address).password === '') return
  throw usage(
    `the address of the ${of} with a password, which every user of this machine could see`,
    'Set the environment variable PGPASSWORD instead',
  )
}

/** What the server or the network has reported, as an error with its remedy. */
export function unavailable(
  cause: unknown,
  code: 'FLEET_UNAVAILABLE' | 'QUEUE_UNAVAILABLE' = 'FLEET_UNAVAILABLE',
): unknown {
  if (sqlState(cause) !== undefined && cause instanceof Error)
    return new BotError(code, { seen: cause.message, cause })
  if (!(cause instanceof ServerUnreachable)) return cause
  const reason = cause.cause instanceof Error ? `: ${cause.cause.message}` : ''
  return new BotError(code, { seen: `${cause.message}${reason}`, cause })
}

const waitMs = 5000

/** Runs a command for operators at the server of a fleet. */
export async function atFleet<Result>(
  address: string,
  act: (database: Database) => Promise<Result>,
): Promise<Result> {
  refusePassword(address)
  await using database = await Database.open(address, { connectMs: waitMs, queryMs: waitMs })
  try {
    return await act(database)
  } catch (cause) {
    throw unavailable(cause)
  }
}

/** The accounts that a command is for: those of which the name contains one of the texts, or all. */
export async function accountsOf(
  database: Database,
  texts: readonly string[] | undefined,
): Promise<RosterRow[]> {
  const rows = await roster(database)
  if (rows.length === 0)
    throw new BotError('BOT_MISSING', {
      seen: 'no bot has joined this fleet yet',
      fix: 'Start a bot with rungs run FILE --venue FILE --fleet ADDRESS',
    })
  for (const text of texts ?? []) {
    if (rows.some(({ account }) => account.includes(text))) continue
    const names = rows.map(({ account }) => printable(account)).join(', ')
    throw usage(`no account of the fleet has "${printable(text)}" in its name`, `The accounts are: ${names}`)
  }
  return texts === undefined
    ? rows
    : rows.filter(({ account }) => texts.some((text) => account.includes(text)))
}
