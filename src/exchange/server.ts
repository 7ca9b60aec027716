import { randomBytes } from 'node:crypto'
import type { Server } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import type { Spelling } from '#src/contract/spelling.ts'
import type { WireRequest, WireResponse } from '#src/contract/wire.ts'
import type { Clock } from '#src/time/clock.ts'
import { adminApp } from './admin.ts'
import { createExchange, type Exchange } from './exchange.ts'
import { end, listen, refusal, requestListener, urlOf } from './listener.ts'
import { Store } from './store.ts'
import { StreamSockets } from './streams/sockets.ts'
import type { Profile } from './venue.ts'
import { WebhookSender } from './webhook-sender.ts'
import type { World } from './world.ts'

export type ServerOptions = {
  world: World
  /** Whether the operator named the world, so that stored data of another one is a mistake. */
  worldNamed?: boolean
  clock: Clock
  profile?: Profile
  spelling?: Spelling
  port?: number
  euPort?: number
  /** The listener that turns the clock and cancels deposits; closed unless asked for. */
  adminPort?: number
  dataDirectory?: string
  seed?: string
  /** Told when the disk refuses, or when something happened that cannot: nothing more may be acknowledged. */
  onBroken?: (error: unknown) => void
}

export type RunningExchange = {
  url: string
  euUrl: string
  wsUrl: string
  adminUrl: string | undefined
  exchange: Exchange
  close(): Promise<void>
}

/** One world, two addresses, and what keeps both durable. */
export async function startExchange(options: ServerOptions): Promise<RunningExchange> {
  const { clock, profile = 'spec', spelling = 'spec' } = options
  const { exchange, store } = openWorld(options, profile, spelling)
  const now = venueTime(exchange, clock)
  const closing = new AbortController()

  async function durable(): Promise<void> {
    try {
      await store?.committed(exchange.state)
    } catch (error) {
      options.onBroken?.(error)
      throw error
    }
  }

  const webhooks = new WebhookSender(exchange, now, durable)

  /** An answer goes out when what it says is on disk; in memory that is at once. */
  function told(response: WireResponse): WireResponse | Promise<WireResponse> {
    return store === undefined ? response : durable().then(() => response)
  }

  function answer(request: WireRequest): WireResponse | Promise<WireResponse> {
    const admitted = exchange.admit(request, now())
    if ('status' in admitted) return told(admitted)
    const delayMs = admitted.row.effect === 'write' ? exchange.venue.switches.executionDelay : 0
    if (delayMs === 0) return told(exchange.execute(admitted, now()))
    return durable()
      .then(() => clock.sleep(delayMs, closing.signal))
      .then(() => (closing.signal.aborted ? ending() : told(exchange.execute(admitted, now()))), ending)
  }

  /** What cannot happen has happened, perhaps half way: nothing of it may reach the disk, and nothing may follow. */
  function fault(error: unknown): WireResponse {
    store?.abandon(error)
    options.onBroken?.(error)
    return ending()
  }

  const streams =
    profile === 'full'
      ? new StreamSockets({
          exchange,
          now,
          clock,
          durable: store && durable,
          fault: (error) => void fault(error),
        })
      : undefined
  const servers: Server[] = []
  try {
    // One by one: what listens already must be closed when the next cannot.
    const serve = requestListener(answer, fault)
    servers.push(await listen(serve, options.port ?? 0, streams))
    servers.push(await listen(serve, options.euPort ?? 0, streams))
    if (options.adminPort !== undefined) {
      const admin = adminApp({ exchange, now, durable, wake: () => webhooks.wake() })
      const serveAdmin = getRequestListener(admin.fetch)
      servers.push(
        await listen((incoming, outgoing) => void serveAdmin(incoming, outgoing), options.adminPort),
      )
    }
  } catch (error) {
    await Promise.all(servers.map(end))
    store?.close(exchange.state)
    throw error
  }
  const [url = '', euUrl = '', adminUrl] = servers.map(urlOf)
  return {
    url,
    euUrl,
    adminUrl,
    wsUrl: `${url.replace('http', 'ws')}/ws`,
    exchange,
    async close() {
      closing.abort()
      await streams?.close()
      await Promise.all(servers.map(end))
      await webhooks.close()
      store?.close(exchange.state)
    },
  }
}

function ending(): WireResponse {
  return refusal({ status: 503, message: 'The service is ending.' })
}

/**
 * The machine's time as far as it was turned, but never back: when the machine's clock is set behind what the
 * venue has seen, the venue goes on at half speed until it is caught up with. Standing still would keep every
 * rate window full for as long.
 */
function venueTime(exchange: Exchange, clock: Clock): () => number {
  let ahead: { from: number; since: number } | undefined
  return () => {
    const told = clock.now() + exchange.state.turnedMs
    if (told >= exchange.state.at) {
      ahead = undefined
      return told
    }
    ahead ??= { from: exchange.state.at, since: clock.monotonic() }
    return ahead.from + Math.floor((clock.monotonic() - ahead.since) / 2)
  }
}

function openWorld(options: ServerOptions, profile: Profile, spelling: Spelling) {
  const fresh = {
    world: options.world,
    seed: options.seed ?? randomBytes(32).toString('hex'),
    at: options.clock.now(),
  }
  if (options.dataDirectory === undefined) {
    return { exchange: createExchange({ ...fresh, begin: fresh.at, profile, spelling }), store: undefined }
  }
  const store = Store.open(options.dataDirectory, fresh, options.worldNamed ?? false)
  const { world, seed, at } = store.beginning
  let recovering = true
  const exchange = store.recover((state) =>
    createExchange({
      world,
      seed,
      begin: state ?? at,
      profile,
      spelling,
      record: (entry) => {
        if (!recovering) store.append(entry)
      },
    }),
  )
  recovering = false
  return { exchange, store }
}
