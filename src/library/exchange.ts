import { readWorld } from '#src/cli/files/packaged-world.ts'
import { systemClock } from '#src/core/time/clock.ts'
import { startExchange } from '#src/exchange/http/server.ts'

/** How the exchange behaves. */
export type OpenExchangeOptions = {
  /** `spec` offers the calls of the specification, `full` all calls and the streams (default). */
  profile?: 'spec' | 'full'
  /** Whether simulated participants trade and move the prices; by default only your orders trade. */
  moving?: boolean
  /** The same seed gives the same prices and the same order ids; `test` by default. */
  seed?: string
  /** How many times as fast as real time the clock of the exchange runs; 1 by default. */
  speed?: number
  /** Names of fields: `client_order_id` (`spec`, default) or `clientOrderId` (`camel`). */
  spelling?: 'spec' | 'camel'
  /** A world file with markets, fees and accounts; that of the package by default. */
  world?: string
}

/** A running exchange. `await using` closes it at the end of the block. */
export type OpenExchange = AsyncDisposable & {
  /** Address of the HTTP API, on the loopback interface. */
  url: string
  /** Address of the WebSocket streams. */
  wsUrl: string
  /** API key of the first account. */
  key: string
  /** Secret of this key. */
  secret: string
  /** Ends all connections; the state of the exchange is lost. */
  close(): Promise<void>
}

/** Starts an exchange in this process, for tests of programs that trade. It listens on a free port of the loopback interface. */
export async function openExchange(options: OpenExchangeOptions = {}): Promise<OpenExchange> {
  const { profile = 'full', moving = false, seed = 'test', speed = 1, spelling = 'spec' } = options
  const world = readWorld(options.world)
  const { key = '', secret = '' } = Object.values(world.accounts)[0]?.keys[0] ?? {}
  const running = await startExchange({
    world,
    clock: systemClock,
    profile,
    seed,
    speed,
    spelling,
    sources: { seeded: moving },
  })
  const close = () => running.close()
  return { url: running.url, wsUrl: running.wsUrl, key, secret, close, [Symbol.asyncDispose]: close }
}
