import type { FillRule } from '#src/exchange/simulation/recorded/recorded-market.ts'
import { venueCosts } from '#src/cli/files/venue-costs.ts'
import { withCosts } from '#src/exchange/world-costs.ts'
import { startExchange } from '#src/exchange/http/server.ts'
import { exitCodes } from '#src/core/errors/error-catalogue.ts'
import { sourcesOf } from '#src/cli/files/market-sources.ts'
import { systemClock } from '#src/core/time/clock.ts'
import { behindBadLine } from './fault-proxy.ts'
import { Shutdown } from '#src/cli/run/shutdown.ts'
import { readWorld } from '#src/cli/files/packaged-world.ts'

type ExchangeFlags = {
  port: number
  euPort?: number
  profile: 'spec' | 'full'
  spelling: 'spec' | 'camel'
  market?: string[]
  fill: FillRule
  speed: number
  faults?: number
  data?: string
  world?: string
  venue?: string
  admin?: number
  seed?: string
}

/** The address in config/paper.yaml. */
const paperPort = 8787

/** Runs the embedded exchange until it is asked to end. */
export async function exchange(flags: ExchangeFlags): Promise<number> {
  const ending = new Shutdown()
  const { venue } = flags
  const named = readWorld(flags.world)
  const world = venue === undefined ? named : withCosts(named, venueCosts(venue))
  const market = flags.market && sourcesOf(flags.market, flags.fill, world)
  const ports = {
    port: flags.port,
    euPort: flags.euPort ?? (flags.port === 0 || flags.port === 65_535 ? 0 : flags.port + 1),
  }
  const running = await startExchange({
    world,
    worldNamed: flags.world !== undefined || venue !== undefined,
    ...(market && { sources: market.sources }),
    speed: flags.speed,
    clock: systemClock,
    ...(flags.faults === undefined && ports),
    profile: flags.profile,
    spelling: flags.spelling,
    ...(flags.seed === undefined ? {} : { seed: flags.seed }),
    ...(flags.data === undefined ? {} : { dataDirectory: flags.data }),
    ...(flags.admin === undefined ? {} : { adminPort: flags.admin }),
    onBroken: (error) => ending.fail(error),
  })
  const { seed, faults: share } = flags
  const served =
    share === undefined
      ? running
      : await behindBadLine(running, { share, ...ports, ...(seed !== undefined && { seed }) })
  const { url, euUrl, wsUrl, adminUrl } = served
  process.stdout.write(`${JSON.stringify({ event: 'listening', url, euUrl, wsUrl })}\n`)
  const about = {
    url,
    euUrl,
    adminUrl,
    worldFile: flags.world,
    port: flags.port,
    notes: [...(market?.notes ?? []), ...faultNotes(share)],
  }
  process.stderr.write(`${welcome(about)}\n`)
  await ending.requested
  // Writes pending data to the disk first, however long that takes.
  await ending.withoutDeadline(served.close())
  ending.rethrow()
  return exitCodes.ok
}

function faultNotes(share: number | undefined): string[] {
  if (share === undefined) return []
  return [`${share * 100}% of the calls fail in the network, and streams disconnect at random.`]
}

type Welcome = {
  url: string
  euUrl: string
  adminUrl: string | undefined
  worldFile: string | undefined
  port: number
  notes: string[]
}

/** The address, the accounts, and commands to try next. */
function welcome({ url, euUrl, adminUrl, worldFile, port, notes }: Welcome): string {
  const who =
    worldFile === undefined
      ? 'the account is "paper", its API key is in config/paper.yaml'
      : `the accounts and API keys are in ${worldFile}`
  return [
    `The exchange listens at ${url}, its second region at ${euUrl}. Ctrl-C stops it.`,
    `The exchange holds paper money only: ${who}.`,
    ...(adminUrl === undefined ? [] : [`Admin listener for clock and deposits: ${adminUrl}`]),
    ...notes,
    `Next, in another terminal: npx rungs api main-balance${port === paperPort ? '' : ` --url ${url}`}`,
    'For a bot in any language, with addresses and keys: docs/other-bots.md',
  ].join('\n')
}
