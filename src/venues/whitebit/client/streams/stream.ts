import { streamAddressMistake } from '#src/core/network/address.ts'
import { BotError } from '#src/core/errors/bot-error.ts'
import { systemClock, type Clock } from '#src/core/time/clock.ts'
import type { Client } from '#src/venues/whitebit/client/client.ts'
import { nonceFix } from '#src/venues/whitebit/client/answers/outcome.ts'
import { reconnectMs } from '#src/venues/whitebit/client/calls/retry.ts'
import { webSocket, type OpenSocket } from './socket.ts'
import { StreamConnection } from './stream-connection.ts'
import { requestLimit } from '#src/venues/whitebit/contract/streams/streams.ts'
import { Feed, type ChannelWanted, type FeedEvent, type StreamRequest } from './stream-feed.ts'

/** What a stream reports: data of a channel, a connection, an answered ping, or a lost connection. */
export type StreamEvent =
  | FeedEvent
  /** All channels are open. Reads must tell what happened before. */
  | { kind: 'connected' }
  /** The venue has answered a ping: it has sent all that has changed. */
  | { kind: 'alive' }
  | { kind: 'disconnected'; reason: string; retryMs: number }

/** Options of a stream. */
export type StreamOptions = {
  /** Address, such as `wss://venue.example/ws`. */
  url: string
  /** Channels and their parameters. */
  wanted: readonly ChannelWanted[]
  /** Called for each event, one after the other. */
  onEvent: (event: StreamEvent) => void
  /** The client that gets tokens for private channels: a new one for each connection. */
  client?: Pick<Client, 'streamToken'>
  clock?: Clock
  openSocket?: OpenSocket
  /** Random numbers from 0 to 1 for the length of pauses. */
  random?: () => number
  /** The stream sends a ping if it has received nothing for this time. */
  silenceMsMax?: number
}

/** Below the minute after which venues hang up. */
const pingEveryMs = 50_000
/** Half of the requests that a venue allows remain for subscriptions. */
const pingMsLeast = (2 * requestLimit.perMs) / requestLimit.calls
const answerMsMax = 10_000
const lookEveryMs = 1000
/** A book comes whole every ten seconds when nothing changes in it. */
const bookSilenceMsMax = 25_000
/** A connection that held so long has not failed: the next pause begins small again. */
const steadyMs = 30_000

/**
 * The streams of a venue. A lost connection is opened again, with growing pauses. Where data may be missing, the stream reports a
 * gap: read the data then.
 */
export class Stream {
  readonly #options: StreamOptions
  readonly #clock: Clock
  readonly #random: () => number
  readonly #feed: Feed
  readonly #closing = new AbortController()
  readonly #closed = Promise.withResolvers<{ value?: never; reason: string }>()
  readonly #done: Promise<void>
  /** When each book was known last. */
  readonly #heardAt = new Map<string, number>()
  readonly #failures = new Map<string, number>()
  #connection: StreamConnection | undefined
  /** The connection whose channels are all open. */
  #subscribed: StreamConnection | undefined

  constructor(options: StreamOptions) {
    const { url, wanted, clock = systemClock, random = Math.random } = options
    checkAddress(url)
    this.#options = options
    this.#clock = clock
    this.#random = random
    this.#feed = new Feed(
      wanted,
      (event) => {
        if (event.kind === 'book') {
          this.#failures.delete(event.market)
          this.#heardAt.set(event.market, this.#clock.monotonic())
        }
        options.onEvent(event)
      },
      (request, market) => void this.#subscribeAgain(request, market),
    )
    if (this.#feed.isPrivate && options.client === undefined) {
      throw new BotError('KEY_MISSING', { seen: 'a private channel was requested' })
    }
    this.#done = this.#run()
  }

  /** Undefined while it is not known. It changes with the next event. */
  book(market: string) {
    return this.#feed.book(market)
  }

  async close(): Promise<void> {
    this.#closing.abort()
    this.#closed.resolve({ reason: 'closed' })
    this.#connection?.end('closed')
    await this.#done
  }

  async #run(): Promise<void> {
    const { signal } = this.#closing
    for (let attempts = 0; !signal.aborted; attempts++) {
      const since = this.#clock.monotonic()
      const reason = await this.#connect()
      if (signal.aborted) return
      if (this.#clock.monotonic() - since >= steadyMs) attempts = 0
      const retryMs = reconnectMs(attempts, this.#random)
      this.#options.onEvent({ kind: 'disconnected', reason, retryMs })
      await this.#sleep(retryMs)
    }
  }

  /** One connection from its beginning to its end; why it ended. */
  async #connect(): Promise<string> {
    // `close` does not wait for a venue that answers slowly.
    const token = this.#feed.isPrivate ? await Promise.race([this.#token(), this.#closed.promise]) : undefined
    if (token !== undefined && token.value === undefined) return token.reason
    if (this.#closing.signal.aborted) return 'closed'
    const { url, openSocket = webSocket } = this.#options
    const connection = new StreamConnection(url, openSocket, this.#clock, {
      open: () => void this.#open(connection, token?.value),
      update: (method, params) => this.#feed.take(method, params),
    })
    this.#connection = connection
    void this.#watch(connection)
    return connection.ended
  }

  async #token(): Promise<{ value: string; reason?: never } | { value?: never; reason: string }> {
    try {
      // One call a connection, without which no price arrives: behind orders it might wait for ever.
      const { signal } = this.#closing
      const outcome = await this.#options.client?.streamToken({}, { priority: 'exits', signal })
      if (outcome?.kind === 'accepted') return { value: outcome.value.websocket_token }
      if (outcome === undefined) return noToken('no client')
      const words = outcome.kind === 'refused' ? outcome.message : outcome.reason
      const fix = outcome.kind === 'refused' && outcome.throttle === 'nonce' ? `; ${nonceFix}` : ''
      return noToken(`${outcome.kind}: ${words}${fix}`)
    } catch (error) {
      // A client that can draw no nonce: whoever trades with it is told, and may end in order.
      if (error instanceof BotError) return noToken(error.seen)
      throw error
    }
  }

  async #open(connection: StreamConnection, token: string | undefined): Promise<void> {
    const first = token === undefined ? [] : [{ method: 'authorize', params: [token, 'public'] }]
    const requests: StreamRequest[] = [...first, ...this.#feed.begin()]
    const now = this.#clock.monotonic()
    for (const one of this.#options.wanted) if (one.channel === 'depth') this.#heardAt.set(one.market, now)
    for (const request of requests) {
      const answer = await connection.ask(request)
      if (answer.kind !== 'refused') continue
      connection.end(`${request.method} was refused: ${answer.reason}`)
      return
    }
    this.#subscribed = connection
    this.#options.onEvent({ kind: 'connected' })
  }

  /** Sends pings, and ends a connection that does not answer them. */
  async #watch(connection: StreamConnection): Promise<void> {
    const silenceMs = Math.max(pingMsLeast, this.#options.silenceMsMax ?? pingEveryMs)
    let pingedAt = this.#clock.monotonic()
    while (!connection.over.aborted) {
      await this.#sleep(Math.min(lookEveryMs, silenceMs / 2), connection.over)
      const now = this.#clock.monotonic()
      if (connection.waitingMs() >= answerMsMax) connection.end('No answer for ten seconds')
      const quietMs = Math.min(now - pingedAt, connection.silentMs())
      const isSilent = this.#subscribed === connection && quietMs >= silenceMs
      if (now - pingedAt >= pingEveryMs || isSilent) {
        pingedAt = now
        void this.#ping(connection)
      }
      for (const [market, heardAt] of this.#heardAt) {
        if (now - heardAt < bookSilenceMsMax) continue
        this.#heardAt.set(market, now)
        this.#feed.silent(market)
      }
    }
  }

  async #ping(connection: StreamConnection): Promise<void> {
    const answer = await connection.ask({ method: 'ping', params: [] })
    if (answer.kind === 'answer') this.#options.onEvent({ kind: 'alive' })
  }

  /** With a pause that grows as long as the book does not come to stand. */
  async #subscribeAgain(request: StreamRequest, market: string): Promise<void> {
    const connection = this.#connection
    const failures = this.#failures.get(market) ?? 0
    this.#failures.set(market, failures + 1)
    if (failures > 0) await this.#sleep(reconnectMs(failures, this.#random), connection?.over)
    const answer = await connection?.ask(request)
    if (answer?.kind === 'refused') connection?.end(`${request.method} was refused: ${answer.reason}`)
  }

  /** Until the time is up, or there is nothing left to wait for. */
  async #sleep(ms: number, over = this.#closing.signal): Promise<void> {
    await this.#clock.sleep(ms, over).catch(() => {})
  }
}

function noToken(why: string): { reason: string } {
  return { reason: `No token for the private channels (${why})` }
}

function checkAddress(url: string): void {
  const mistake = streamAddressMistake(url)
  if (mistake === undefined) return
  throw new BotError('USAGE', {
    seen: `the address of the stream ${mistake}`,
    fix: 'Write wss://host/ws, or ws://127.0.0.1:port/ws for the embedded exchange',
  })
}
