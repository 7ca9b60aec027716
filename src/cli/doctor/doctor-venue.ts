import { fileURLToPath } from 'node:url'
import { isLoopback } from '#src/core/network/loopback.ts'
import { loadVenueFile } from '#src/venues/whitebit/settings/venue-file.ts'
import { startPassingExchange } from '#src/cli/exchange/embedded-exchange.ts'
import { clientOf } from '#src/cli/files/venue-access.ts'

export type DoctorFlags = { venue?: string; stateDir?: string; json?: boolean }

const paperVenue = fileURLToPath(new URL('../../../config/paper.yaml', import.meta.url))

/** The venue of the file; otherwise the embedded exchange, in its own process if it runs, or started for the checks. */
export async function venueFor({ venue: named }: DoctorFlags, closing: AsyncDisposableStack) {
  const path = named ?? paperVenue
  const venue = loadVenueFile({ path })
  const { url } = venue
  const where = isLoopback(url) ? 'on this machine: orders are not real' : 'orders at this address are real'
  if (named !== undefined)
    return { venue, path, found: `${path} names ${url}`, means: where, isPassing: false }
  const probe = clientOf(venue)
  const told = await probe.ping()
  await probe.close()
  if (told.kind !== 'not-sent')
    return { venue, path, found: `the embedded exchange at ${url}`, means: where, isPassing: false }
  const passing = await startPassingExchange()
  closing.defer(() => passing.running.close())
  return {
    venue: passing.venue,
    path,
    found: `a temporary embedded exchange, because ${url} does not answer`,
    means: 'rungs run trades here when no venue is named; --venue FILE checks another venue',
    isPassing: true,
  }
}
