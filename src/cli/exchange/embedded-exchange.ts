import { join } from 'node:path'
import { startExchange } from '#src/exchange/http/server.ts'
import { worldSchema, type World } from '#src/exchange/world-file.ts'
import { Secret, type Credentials } from '#src/venues/whitebit/contract/wire/signing.ts'
import { BotError } from '#src/core/errors/bot-error.ts'
import { readYaml } from '#src/core/yaml/yaml-file.ts'
import type { VenueSettings } from '#src/venues/whitebit/settings/venue-file.ts'
import { systemClock } from '#src/core/time/clock.ts'
import { behindBadLine, type Served } from './fault-proxy.ts'
import { packagedWorld } from '#src/cli/files/packaged-world.ts'

const account = 'paper'
/** A market that has just begun stands at a round price, and nobody has traded there. */
const pastMs = 60_000

/**
 * The embedded exchange in this process, over real sockets, with prices that move by themselves. Its world is kept beside
 * the journal of the bot: what the one remembers must not be forgotten by the other.
 */
export async function startOwnExchange(about: {
  stateDir: string
  speed: number
  /** The share of calls that meet a fault on their way. */
  faults?: number
  onBroken: (error: unknown) => void
}): Promise<{ running: Served; venue: VenueSettings }> {
  const { world, credentials } = ownWorld()
  const running = await startExchange({
    world,
    sources: { seeded: true },
    speed: about.speed,
    clock: systemClock,
    profile: 'full',
    dataDirectory: join(about.stateDir, 'exchange'),
    onBroken: about.onBroken,
  })
  const { exchange } = running
  // Not whether its folder is there: a first start may have been cut off before this.
  if (exchange.state.turnedMs === 0) exchange.turn(pastMs, exchange.state.at)
  const served = about.faults === undefined ? running : await behindBadLine(running, { share: about.faults })
  return { running: served, venue: venueOf(served, world, credentials) }
}

/** The same for as long as somebody looks at it: it keeps nothing, and no time passes that nobody lives through. */
export async function startPassingExchange(): Promise<{ running: Served; venue: VenueSettings }> {
  const { world, credentials } = ownWorld()
  const running = await startExchange({
    world,
    sources: { seeded: true },
    clock: systemClock,
    profile: 'full',
    onBroken(error) {
      throw error
    },
  })
  return { running, venue: venueOf(running, world, credentials) }
}

/** The world and who trades there: nothing of an exchange is begun that nobody could trade at. */
function ownWorld(): { world: World; credentials: Credentials } {
  const world = readYaml(packagedWorld, worldSchema, { confidential: true })
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
    spelling: 'spec',
    nonce: 'strict',
    clientIds: 'forever',
    stopOnFailAnswer: world.switches.stopOnFailAnswer,
    batchMax: world.switches.batchMax,
    settleMs: 0,
    leverage: undefined,
    limits: undefined,
    // Positions of both sides are one there, and ours are told apart by their fills.
    shortSide: true,
    account: undefined,
    world: undefined,
    prices: {},
    credentials,
  }
}
