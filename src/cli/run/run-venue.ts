import { loadVenueFile, type VenueSettings } from '#src/venues/whitebit/settings/venue-file.ts'
import { BotError } from '#src/core/errors/bot-error.ts'
import { usage } from '#src/cli/words/usage.ts'
import { readWorld } from '#src/cli/files/packaged-world.ts'
import { factsOfWorld } from '#src/cli/files/world-rules.ts'
import type { Shutdown } from './shutdown.ts'
import { fingerprintOf } from '#src/cli/files/state-folder.ts'
import { refuseUnlessMeant } from '#src/cli/files/venue-access.ts'

export type VenueFlags = { venue?: string; live?: boolean; speed?: number; faults?: number }

const ownSpeed = 60

/** The venue of the file, or the embedded exchange in this process. */
export async function venueFor(
  flags: VenueFlags,
  stateDir: string,
  ending: Shutdown,
  closing: AsyncDisposableStack,
): Promise<{ venue: VenueSettings; speed: number; who: string }> {
  if (flags.venue !== undefined) {
    if (flags.faults !== undefined) {
      throw usage(
        '--faults with --venue',
        'Omit one of them: faults need the embedded exchange of this process',
      )
    }
    const venue = loadVenueFile({ path: flags.venue })
    refuseUnlessMeant(venue, flags.live ?? false)
    if (venue.credentials === undefined) {
      throw new BotError('KEY_MISSING', { seen: `${flags.venue} names no API key, and a bot needs one` })
    }
    // Journals hold this text as their account and are opened with the same text only: it must not change.
    const who = `the key ${fingerprintOf(venue.credentials.key)} at ${venue.url}`
    return { venue, speed: flags.speed ?? 1, who }
  }
  if (flags.live === true) {
    throw usage(
      '--live without --venue',
      'Name the venue with --venue FILE, or omit --live to trade paper money',
    )
  }
  const speed = flags.speed ?? ownSpeed
  const onBroken = (error: unknown) => ending.fail(error)
  // A run at another venue need not load the exchange.
  const { startOwnExchange } = await import('#src/cli/exchange/embedded-exchange.ts')
  const { running, venue } = await startOwnExchange({
    stateDir,
    speed,
    ...(flags.faults !== undefined && { faults: flags.faults }),
    onBroken,
  })
  closing.defer(() => running.close())
  // Like the one above.
  return { venue, speed, who: 'paper at the exchange in exchange/ of this folder' }
}

export function declaredMarkets({ world }: VenueSettings) {
  return world === undefined ? null : factsOfWorld(readWorld(world))
}
