import { join } from 'node:path'
import { startExchange } from '#src/exchange/http/server.ts'
import type { World } from '#src/exchange/world-file.ts'
import { Secret, type Credentials } from '#src/venues/whitebit/contract/wire/signing.ts'
import { BotError } from '#src/core/errors/bot-error.ts'
import type { VenueSettings } from '#src/venues/whitebit/settings/venue-file.ts'
import { systemClock } from '#src/core/time/clock.ts'
import { behindBadLine, type Served } from './fault-proxy.ts'
import { packagedWorld, readWorld } from '#src/cli/files/packaged-world.ts'

const account = 'paper'
const simulated = { sources: { seeded: true }, clock: systemClock, profile: 'full' } as const
/** A market that has just begun has a round price and no trades. */
const pastMs = 60_000

/**
 * The embedded exchange in this process, over real sockets, with simulated prices. Its world is stored beside the journal of the
 * bot, so that both remember the same orders.
 */
export async function startOwnExchange(about: {
  stateDir: string
  speed: number
  /** The share of calls with a fault. */
  faults?: number
  onBroken: (error: unknown) => void
}): Promise<{ running: Served; venue: VenueSettings }> {
  const { world, credentials } = ownWorld()
  const running = await startExchange({
    ...simulated,
    world,
    speed: about.speed,
    dataDirectory: join(about.stateDir, 'exchange'),
    onBroken: about.onBroken,
  })
  const { exchange } = running
  // The folder alone proves nothing: a first start may have been interrupted.
  if (exchange.state.turnedMs === 0) exchange.moveClock(pastMs, exchange.state.at)
  const served = about.faults === undefined ? running : await behindBadLine(running, { share: about.faults })
  return { running: served, venue: venueOf(served, world, credentials) }
}

/** The same, for a short use: nothing is stored and no time passes. */
export async function startPassingExchange(): Promise<{ running: Served; venue: VenueSettings }> {
  const { world, credentials } = ownWorld()
  const running = await startExchange({
    ...simulated,
    world,
    onBroken(error) {
      throw error
    },
  })
  return { running, venue: venueOf(running, world, credentials) }
}

/** The world and its accounts, checked before the exchange starts. */
function ownWorld(): { world: World; credentials: Credentials } {
  const world = readWorld()
  const [key] = world.accounts[account]?.keys ?? []
  if (key === undefined) {
    throw new BotError('FILE_INVALID', { seen: `the account ${account} of ${packagedWorld} has no key` })
  }
  return { world, credentials: { key: key.key, secret: new Secret(key.secret) } }
}

function venueOf({ url, euUrl }: Served, world: World, credentials: Credentials): VenueSettings {
  return {
    url,
    euUrl,
    streamUrl: undefined,
    spelling: 'spec',
    nonce: 'strict',
    clientIds: 'forever',
    stopOnFailAnswer: world.switches.stopOnFailAnswer,
    batchMax: world.switches.batchMax,
    settleMs: 0,
    leverage: undefined,
    limits: undefined,
    // In one-way mode the venue has one position for both sides; the bot separates its own by its fills.
    shortSide: true,
    account: undefined,
    world: undefined,
    prices: {},
    credentials,
  }
}
