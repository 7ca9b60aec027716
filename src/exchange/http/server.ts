import { randomBytes } from 'node:crypto'
import type { RequestListener, Server } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import type { Spelling } from '#src/venues/whitebit/contract/wire/spelling.ts'
import type { WireRequest, WireResponse } from '#src/venues/whitebit/contract/wire/wire.ts'
import type { Clock } from '#src/core/time/clock.ts'
import { adminApp } from './admin.ts'
import { Exchange } from '#src/exchange/exchange.ts'
import { noSimulation, type Sources } from '#src/exchange/simulation/begin-simulation.ts'
import { end, listen, refusal, requestListener, urlOf } from './listener.ts'
import { Store, type Beginning } from '#src/exchange/store/exchange-store.ts'
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

/** Starts an exchange on two addresses that share one world, with its store and its webhooks. */
export async function startExchange(options: ServerOptions): Promise<RunningExchange> {
  const service = new ExchangeService(options, openWorld(options))
  const [url = '', euUrl = '', adminUrl] = await service.listen()
  service.begin()
  return {
    url,
    euUrl,
    adminUrl,
    wsUrl: `${url.replace('http', 'ws')}/ws`,
    exchange: service.exchange,
    close: () => service.close(),
  }
}

class ExchangeService {
  readonly exchange: Exchange
  readonly #store: Store | undefined
  readonly #options: ServerOptions
  readonly #speed: number
  readonly #now: () => number
  readonly #closing = new AbortController()
  readonly #webhooks: WebhookSender
  readonly #streams: StreamSockets | undefined
  readonly #servers: Server[] = []
  #moving: Promise<void> | undefined

  constructor(options: ServerOptions, { exchange, store }: ReturnType<typeof openWorld>) {
    const { clock, profile, speed = 1 } = options
    this.exchange = exchange
    this.#store = store
    this.#options = options
    this.#speed = speed
    this.#now = venueTime(exchange, clock, speed)
    const now = this.#now
    const durable = () => this.#durable()
    this.#webhooks = new WebhookSender(exchange, now, durable)
    if (profile !== 'full') return
    const fault = (error: unknown) => void this.#fault(error)
    this.#streams = new StreamSockets({ exchange, now, clock, durable: store && durable, fault })
  }

  /** Returns the URLs. */
  async listen(): Promise<string[]> {
    const { port = 0, euPort = 0, adminPort } = this.#options
    const serve = requestListener(
      (request) => this.#answer(request),
      (error) => this.#fault(error),
    )
    const servers = this.#servers
    try {
      // One after the other: if one fails, the earlier ones are closed.
      servers.push(await listen(serve, port, this.#streams))
      servers.push(await listen(serve, euPort, this.#streams))
      if (adminPort !== undefined) servers.push(await listen(this.#adminListener(), adminPort))
    } catch (error) {
      await Promise.all(servers.map(end))
      this.#store?.close()
      throw error
    }
    return servers.map(urlOf)
  }

  #adminListener(): RequestListener {
    const admin = adminApp({
      exchange: this.exchange,
      now: this.#now,
      durable: () => this.#durable(),
      wake: () => this.#webhooks.wake(),
    })
    const serve = getRequestListener(admin.fetch, { overrideGlobalObjects: false })
    return (incoming, outgoing) => void serve(incoming, outgoing)
  }

  begin(): void {
    this.#moving = this.#move()
    this.#webhooks.wake()
  }

  async #durable(): Promise<void> {
    const { at, flow } = this.exchange.state
    // No command records what the markets do by themselves. The store keeps only how far they have come.
    if (this.#store && flow && at >= flow.toldUntil) this.exchange.tell(at + toldAheadMs * this.#speed)
    try {
      await this.#store?.committed()
    } catch (error) {
      this.#options.onBroken?.(error)
      throw error
    }
  }

  /** Sends an answer when the changes that it reports are on disk; without a store at once. */
  #told(response: WireResponse): WireResponse | Promise<WireResponse> {
    return this.#store === undefined ? response : this.#durable().then(() => response)
  }

  #answer(request: WireRequest): WireResponse | Promise<WireResponse> {
    const { exchange } = this
    const admitted = exchange.admit(request, this.#now())
    if ('status' in admitted) return this.#told(admitted)
    const execute = () => this.#told(exchange.execute(admitted, this.#now()))
    const delayMs = admitted.row.effect === 'write' ? exchange.venue.switches.executionDelay : 0
    if (delayMs === 0) return execute()
    const { signal } = this.#closing
    return this.#durable()
      .then(() => this.#options.clock.sleep(delayMs / this.#speed, signal))
      .then(() => (signal.aborted ? ending() : execute()), ending)
  }

  /** After an error inside the exchange its state may be half changed: nothing of it may reach the disk or a client. */
  #fault(error: unknown): WireResponse {
    this.#store?.abandon(error)
    this.#options.onBroken?.(error)
    return ending()
  }

  /** Moves the markets, also without requests. */
  async #move(): Promise<void> {
    const { signal } = this.#closing
    while (this.exchange.state.flow && !signal.aborted) {
      try {
        this.exchange.advance(this.#now())
      } catch (error) {
        this.#fault(error)
        return
      }
      try {
        await this.#durable()
        await this.#options.clock.sleep(moveEveryMs, signal)
      } catch {
        // The exchange is closing, or the disk has failed, which `#durable` has reported.
        return
      }
    }
  }

  async close(): Promise<void> {
    const { exchange } = this
    const store = this.#store
    this.#closing.abort()
    await this.#streams?.close()
    await Promise.all(this.#servers.map(end))
    await this.#webhooks.close()
    await this.#moving
    // Streams report nothing after this time.
    if (store && exchange.state.flow) exchange.tell(exchange.state.at)
    store?.close()
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
  if (state.speed !== 1 && ahead > 0) exchange.moveClock(ahead, state.at - ahead)
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

function openWorld(options: ServerOptions) {
  const { sources, profile = 'spec', spelling = 'spec' } = options
  const fresh = {
    world: options.world,
    seed: options.seed ?? randomBytes(32).toString('hex'),
    at: options.clock.now(),
    walk: 'random' as const,
    market: marketOf(sources ?? noSimulation),
  }
  if (options.dataDirectory === undefined) {
    const exchange = new Exchange({
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
  const { world, seed, at, walk, market } = store.beginning
  let recovering = true
  const exchange = store.recover(
    (state) =>
      new Exchange({
        world,
        seed,
        begin: state ?? at,
        sources: {
          seeded: market.seeded,
          reverting: walk === undefined,
          ...(sources?.recorded && { recorded: sources.recorded }),
        },
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
