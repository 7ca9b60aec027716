import { randomBytes } from 'node:crypto'
import type { Server } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import type { Spelling } from '#src/venues/whitebit/contract/wire/spelling.ts'
import type { WireRequest, WireResponse } from '#src/venues/whitebit/contract/wire/wire.ts'
import type { Clock } from '#src/core/time/clock.ts'
import { adminApp } from './admin.ts'
import { createExchange, type Exchange } from '#src/exchange/exchange.ts'
import { noSimulation, type Sources } from '#src/exchange/simulation/begin-simulation.ts'
import { end, listen, refusal, requestListener, urlOf } from './listener.ts'
import { Store, type Beginning } from '#src/exchange/store/store.ts'
import { StreamSockets } from '#src/exchange/streams/sockets.ts'
import type { Profile } from '#src/exchange/venue-context.ts'
import { WebhookSender } from './webhook-sender.ts'
import type { World } from '#src/exchange/world-file.ts'

export type ServerOptions = {
  world: World
  /** Whether the operator named the world, so that stored data of another one is a mistake. */
  worldNamed?: boolean
  /** What moves the markets; when it is not said, what has moved them so far, or nothing. */
  sources?: Sources
  /** How many times as fast as the machine's the venue's time runs. */
  speed?: number
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
  const { clock, profile = 'spec', spelling = 'spec', speed = 1 } = options
  const { exchange, store } = openWorld(options, profile, spelling)
  const now = venueTime(exchange, clock, speed)
  const closing = new AbortController()

  async function durable(): Promise<void> {
    const { at, flow } = exchange.state
    // Nobody has commanded what the markets do by themselves: how far they have come is all there is to keep of it.
    if (store && flow && at >= flow.toldUntil) exchange.tell(at + toldAheadMs * speed)
    try {
      await store?.committed()
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
      .then(() => clock.sleep(delayMs / speed, closing.signal))
      .then(() => (closing.signal.aborted ? ending() : told(exchange.execute(admitted, now()))), ending)
  }

  /** What cannot happen has happened, perhaps half way: nothing of it may reach the disk, and nothing may follow. */
  function fault(error: unknown): WireResponse {
    store?.abandon(error)
    options.onBroken?.(error)
    return ending()
  }

  /** Lets the markets move, whether somebody looks or not. */
  async function move(): Promise<void> {
    while (exchange.state.flow && !closing.signal.aborted) {
      try {
        exchange.advance(now())
      } catch (error) {
        fault(error)
        return
      }
      try {
        await durable()
        await clock.sleep(moveEveryMs, closing.signal)
      } catch {
        // It ends, or the disk has refused, which was told where it was found.
        return
      }
    }
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
      const serveAdmin = getRequestListener(admin.fetch, { overrideGlobalObjects: false })
      servers.push(
        await listen((incoming, outgoing) => void serveAdmin(incoming, outgoing), options.adminPort),
      )
    }
  } catch (error) {
    await Promise.all(servers.map(end))
    store?.close()
    throw error
  }
  const moving = move()
  webhooks.wake()
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
      await moving
      // Nothing more will be told.
      if (store && exchange.state.flow) exchange.tell(exchange.state.at)
      store?.close()
    },
  }
}

function ending(): WireResponse {
  return refusal({ status: 503, message: 'The service is shutting down.' })
}

/** How often the markets move by themselves, and how far ahead it is written down that they will have. */
const moveEveryMs = 50
const toldAheadMs = 1000
/** After a longer absence, of the process or of the machine, the markets go on from where they were. */
const awayMs = 60_000

/**
 * The machine's time as far as it was turned, as many times as fast from the start on, but never back: when the
 * machine's clock is set behind what the venue has seen, the venue goes on at half speed until it is caught up with.
 * Standing still would keep every rate window full for as long.
 */
function venueTime(exchange: Exchange, clock: Clock, speed: number): () => number {
  const { state } = exchange
  const startedAt = clock.monotonic()
  // What an earlier start ran faster than the machine counts as turned by hand, or it would be waited for.
  const ahead = state.at - clock.now() - state.turnedMs
  if (state.speed !== 1 && ahead > 0) exchange.turn(ahead, state.at - ahead)
  if (state.speed !== speed) exchange.speed(speed)
  let slow: { from: number; since: number } | undefined
  return () => {
    const gained = Math.floor((speed - 1) * (clock.monotonic() - startedAt))
    const told = clock.now() + state.turnedMs + gained
    if (told < state.at) {
      slow ??= { from: state.at, since: clock.monotonic() }
      return slow.from + Math.floor((clock.monotonic() - slow.since) / 2)
    }
    slow = undefined
    if (state.flow && told - state.at > awayMs * speed) exchange.rest(told - state.at)
    return told
  }
}

function openWorld(options: ServerOptions, profile: Profile, spelling: Spelling) {
  const { sources } = options
  const fresh = {
    world: options.world,
    seed: options.seed ?? randomBytes(32).toString('hex'),
    at: options.clock.now(),
    market: marketOf(sources ?? noSimulation),
  }
  if (options.dataDirectory === undefined) {
    const exchange = createExchange({
      ...fresh,
      begin: fresh.at,
      profile,
      spelling,
      ...(sources && { sources }),
    })
    return { exchange, store: undefined }
  }
  const store = Store.open(options.dataDirectory, fresh, {
    world: options.worldNamed ?? false,
    market: sources !== undefined,
  })
  const { world, seed, at, market } = store.beginning
  let recovering = true
  const exchange = store.recover((state) =>
    createExchange({
      world,
      seed,
      begin: state ?? at,
      sources: { seeded: market.seeded, ...(sources?.recorded && { recorded: sources.recorded }) },
      profile,
      spelling,
      record: (entry) => {
        if (!recovering) store.append(entry)
      },
    }),
  )
  // As far as somebody may have seen it.
  exchange.advance(exchange.state.flow?.toldUntil ?? 0)
  recovering = false
  return { exchange, store }
}

/** What a store has to remember of it. */
function marketOf({ seeded, recorded }: Sources): Beginning['market'] {
  if (recorded === undefined) return { seeded, recorded: undefined }
  const files = recorded.files.map(({ markets, market: { print } }) => ({ markets: [...markets], print }))
  return { seeded, recorded: { fill: recorded.fill, files } }
}
