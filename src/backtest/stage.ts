import { askVenue, type Asked } from '#src/bot/capabilities.ts'
import { VenueClock } from '#src/bot/venue-clock.ts'
import { createClient, type Client } from '#src/client/client.ts'
import { inProcessTransport } from '#src/client/in-process.ts'
import { Nonces } from '#src/client/nonce.ts'
import type { Transport } from '#src/client/transport.ts'
import { Secret } from '#src/contract/signing.ts'
import { createExchange, type Exchange } from '#src/exchange/exchange.ts'
import type { World } from '#src/exchange/world.ts'
import type { PastMarket } from '#src/market/past-market.ts'
import type { ManualClock } from '#src/time/clock.ts'
import type { FillModel } from './result.ts'
import { longWay } from './ways.ts'
import { account } from './world.ts'

/** Time that is turned is the venue's own: nobody has to guess it from what the venue says. */
export class TurnedClock extends VenueClock {
  override heard(): void {}
}

export function openExchange(about: {
  world: World
  markets: ReadonlyMap<string, PastMarket>
  fill: FillModel
  seed: string
  from: number
}): Exchange {
  const { world, markets, fill, seed, from } = about
  const files = [...markets].map(([symbol, market]) => ({ markets: [symbol], market }))
  return createExchange({
    world,
    seed,
    begin: from,
    profile: 'full',
    sources: { seeded: false, recorded: { files, fill, moved: false } },
  })
}

/** The two ways to the venue: the one that orders take, and one for looks at the account, which cost no time. */
export function clientsOf(
  { handle }: Pick<Exchange, 'handle'>,
  clock: ManualClock,
  latencyMs: number,
): { trading: Client; looking: Client } {
  const transport = inProcessTransport(handle, clock)
  return {
    trading: clientOf(longWay(transport, clock, latencyMs), clock, account.trading),
    looking: clientOf(transport, clock, account.looking),
  }
}

function clientOf(
  transport: Transport,
  clock: ManualClock,
  { key, secret }: { key: string; secret: string },
): Client {
  return createClient({
    transport,
    clock,
    random: () => 0.5,
    key: { credentials: { key, secret: new Secret(secret) }, nonces: new Nonces({ clock, mode: 'strict' }) },
  })
}

/** What a bot finds out about a venue of ours. */
export function askOwnVenue(client: Client, { switches: { batchMax } }: World): Promise<Asked> {
  const declared = { clientIds: 'forever' as const, batchMax, leverage: undefined, speed: 1, shortSide: true }
  return askVenue(client, { ...declared, markets: null })
}
