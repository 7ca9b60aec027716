import { createClient, type Client } from '#src/venues/whitebit/client/client.ts'
import { httpTransport } from '#src/venues/whitebit/client/transport/http.ts'
import { nonceFile } from '#src/venues/whitebit/client/calls/nonce-file.ts'
import { Nonces } from '#src/venues/whitebit/client/calls/nonces.ts'
import type { AnyOutcome } from '#src/venues/whitebit/client/answers/outcome.ts'
import { windowAfter } from '#src/venues/whitebit/client/calls/recent-calls.ts'
import { contract, type EndpointName } from '#src/venues/whitebit/contract/endpoint-table.ts'
import { BotError } from '#src/core/errors/bot-error.ts'
import type { VenueSettings } from '#src/venues/whitebit/settings/venue-file.ts'
import { systemClock } from '#src/core/time/clock.ts'
import { nonceFilePath } from '#src/cli/files/state-folder.ts'
import { hiding } from '#src/cli/files/venue-access.ts'

/** The usual rate window and timeout: after a killed run, a call waits instead of failing. */
const deadlineMs = 20_000

/** Makes one call with its own client. */
export async function send(
  name: EndpointName,
  parameters: Record<string, unknown>,
  venue: VenueSettings,
  stateDir: string,
): Promise<AnyOutcome> {
  const { client, recent } = clientFor(venue, stateDir)
  const waitMs = windowAfter(recent, contract[name], 0).wait(0)
  const seconds = Math.ceil(waitMs / 1000)
  try {
    if (waitMs >= deadlineMs) {
      throw new BotError('NOT_SENT_IN_TIME', {
        seen: `earlier calls with this key may have used the rate limit of ${contract[name].path}`,
        fix: `Try again in ${seconds} s`,
      })
    }
    if (waitMs > 0) {
      process.stderr.write(
        `Earlier calls with this key may have used the rate limit: this call waits ${seconds} s\n`,
      )
    }
    return await client.call(name, parameters, { deadlineMs })
  } finally {
    await client.close()
  }
}

function clientFor(venue: VenueSettings, stateDir: string): { client: Client; recent: Nonces['recent'] } {
  const { credentials, euUrl } = venue
  const key = credentials && {
    credentials,
    nonces: new Nonces({
      clock: systemClock,
      mode: venue.nonce,
      memory: nonceFile(nonceFilePath(stateDir, credentials.key)),
    }),
  }
  if (key?.nonces.notice !== undefined) process.stderr.write(`${key.nonces.notice}\n`)
  const client = createClient({
    transport: httpTransport(venue.url, { hide: hiding(venue) }),
    ...(euUrl === undefined ? {} : { secondTransport: httpTransport(euUrl, { hide: hiding(venue) }) }),
    ...(key && { key }),
    spelling: venue.spelling,
    // The shortest pauses: a person prefers an immediate "no answer" to one some seconds later.
    random: () => 0,
  })
  return { client, recent: key?.nonces.recent ?? [] }
}
