import { createHash } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { createClient, type Client } from '#src/client/client.ts'
import { httpTransport } from '#src/client/http.ts'
import { nonceFile } from '#src/client/nonce-file.ts'
import { Nonces } from '#src/client/nonce.ts'
import type { AnyOutcome } from '#src/client/outcome.ts'
import type { EndpointName } from '#src/contract/table.ts'
import { BotError } from '#src/errors/bot-error.ts'
import type { Venue } from '#src/settings/venue.ts'
import { systemClock } from '#src/time/clock.ts'

/** Makes one call with a client of its own. */
export async function send(
  name: EndpointName,
  parameters: Record<string, unknown>,
  venue: Venue,
  stateDir: string,
): Promise<AnyOutcome> {
  const client = clientFor(venue, stateDir)
  try {
    return await client.call(name, parameters)
  } finally {
    await client.close()
  }
}

function clientFor(venue: Venue, stateDir: string): Client {
  const { credentials, euUrl } = venue
  return createClient({
    transport: httpTransport(venue.url),
    ...(euUrl === undefined ? {} : { secondTransport: httpTransport(euUrl) }),
    ...(credentials === undefined
      ? {}
      : {
          key: {
            credentials,
            nonces: new Nonces({
              clock: systemClock,
              mode: venue.nonce,
              memory: nonceFile(nonceFilePath(stateDir, credentials.key)),
            }),
          },
        }),
    spelling: venue.spelling,
    // The shortest pauses: a person waits, and learns more from "nothing answers" now than in some seconds.
    random: () => 0,
  })
}

/** One file for each key; its name does not tell the key. */
function nonceFilePath(stateDir: string, key: string): string {
  try {
    mkdirSync(stateDir, { recursive: true, mode: 0o700 })
  } catch (cause) {
    const reason = cause instanceof Error && 'code' in cause ? ` (${String(cause.code)})` : ''
    throw new BotError('FILE_UNREADABLE', {
      seen: `${stateDir} cannot be made${reason}`,
      fix: 'Name a folder that you may write to with --state-dir',
      cause,
    })
  }
  return join(stateDir, `nonce-${createHash('sha256').update(key).digest('hex').slice(0, 16)}.json`)
}
