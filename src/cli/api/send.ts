import type { AnyOutcome } from '#src/venues/whitebit/client/answers/outcome.ts'
import { windowAfter } from '#src/venues/whitebit/client/calls/recent-calls.ts'
import { contract, type EndpointName } from '#src/venues/whitebit/contract/endpoint-table.ts'
import { BotError } from '#src/core/errors/bot-error.ts'
import type { Transport } from '#src/venues/whitebit/client/transport/transport.ts'
import type { VenueSettings } from '#src/venues/whitebit/settings/venue-file.ts'
import { clientOf, noncesOf } from '#src/cli/files/venue-access.ts'

/** The usual rate window and timeout: after a killed run, a call waits instead of failing. */
const deadlineMs = 20_000

/** Makes one call with its own client. `body` is the last answer as the venue sent it. */
export async function send(
  name: EndpointName,
  parameters: Record<string, unknown>,
  venue: VenueSettings,
  stateDir: string,
): Promise<{ outcome: AnyOutcome; body: string | undefined }> {
  const nonces = noncesOf(venue, stateDir)
  if (nonces?.notice !== undefined) process.stderr.write(`${nonces.notice}\n`)
  let body: string | undefined
  const keepingBody = (inner: Transport): Transport => ({
    async send(request, withinMs) {
      const delivery = await inner.send(request, withinMs)
      if (delivery.kind === 'answered') body = delivery.response.body
      return delivery
    },
    close: () => inner.close(),
  })
  const client = clientOf(venue, { nonces, readsAnywhere: true, around: keepingBody })
  const waitMs = windowAfter(nonces?.recent ?? [], contract[name], 0).wait(0)
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
    const outcome = await client.call(name, parameters, { deadlineMs })
    return { outcome, body }
  } finally {
    await client.close()
  }
}
