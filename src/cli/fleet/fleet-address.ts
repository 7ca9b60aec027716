import { BotError } from '#src/core/errors/bot-error.ts'
import { ServerUnreachable, sqlState } from '#src/fleet/database.ts'
import { usage } from '#src/cli/words/usage.ts'

export function refusePassword(address: string): void {
  if (!URL.canParse(address) || new URL(address).password === '') return
  throw usage(
    'the address of the fleet with a password, which every user of this machine could see',
    'Set the environment variable PGPASSWORD instead',
  )
}

/** What the server or the network has reported, as an error with its remedy. */
export function unavailable(cause: unknown): unknown {
  if (sqlState(cause) !== undefined && cause instanceof Error)
    return new BotError('FLEET_UNAVAILABLE', { seen: cause.message, cause })
  if (!(cause instanceof ServerUnreachable)) return cause
  const reason = cause.cause instanceof Error ? `: ${cause.cause.message}` : ''
  return new BotError('FLEET_UNAVAILABLE', { seen: `${cause.message}${reason}`, cause })
}
