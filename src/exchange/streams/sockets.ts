import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { WebSocketServer, type WebSocket } from 'ws'
import {
  closings,
  connectionLimit,
  idleMs,
  requestBytesMax,
  streamPath,
  type Closing,
} from '#src/venues/whitebit/contract/streams/streams.ts'
import type { Clock } from '#src/core/time/clock.ts'
import { Allowances } from '#src/exchange/http/allowances.ts'
import type { Exchange } from '../exchange.ts'
import { plainAnswer, refusal, strangerAnswer } from '#src/exchange/http/listener.ts'
import type { Reader } from './channel.ts'
import { Hub } from './hub.ts'

const tickMs = 100
/** Leaves connections of the listener free for HTTP requests. */
const streamsMax = 3000
/** Most bytes buffered for one connection. A frame for many subscribers is stored once. */
const bufferedBytesMax = 1024 * 1024
/** Time for a connection to read its buffered frames and confirm its close; shorter at a shutdown. */
const partingMs = 10_000
const endingMs = 2000

type Connection = { socket: WebSocket; heardAt: number }
type Batch = { to: readonly Reader[]; text: string }[]

export type StreamsAbout = {
  exchange: Exchange
  now: () => number
  clock: Clock
  /** Settles when all changes so far are on disk; undefined without a store. */
  durable: (() => Promise<void>) | undefined
  fault: (error: unknown) => void
}

/**
 * The WebSocket connections of the streams. Frames are sent at the end of the event-loop turn that made them, in order,
 * and not before the changes that they report are on disk.
 */
export class StreamSockets {
  readonly #about: StreamsAbout
  readonly #hub: Hub
  readonly #connections = new Map<Reader, Connection>()
  readonly #arrivals: Allowances
  readonly #closing = new AbortController()
  readonly #server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: requestBytesMax,
    perMessageDeflate: false,
  })
  #outbox: Batch = []
  #awake = false
  #isBeating = false
  #sent: Promise<unknown> = Promise.resolve()

  constructor(about: StreamsAbout) {
    this.#about = about
    const { venue } = about.exchange
    this.#arrivals = new Allowances(venue.switches.rateLimits === 'on')
    this.#hub = new Hub(
      venue,
      (readers, text) => {
        this.#outbox.push({ to: [...readers], text })
        this.#wake()
      },
      () => this.#wake(),
    )
    this.#server.on('wsClientError', (_error, socket) => {
      hangUp(socket, 400, 'The handshake cannot be read.')
    })
  }

  /** Whether an upgrade request is for the streams; other upgrade requests are answered like ordinary requests. */
  wants(request: IncomingMessage): boolean {
    const { upgrade = '' } = request.headers
    return (
      request.url === streamPath &&
      upgrade.toLowerCase() === 'websocket' &&
      strangerAnswer(request) === undefined
    )
  }

  accept(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    if (this.#closing.signal.aborted || this.#connections.size >= streamsMax) {
      hangUp(socket, 503, 'Too many streams.')
      return
    }
    const wait = this.#arrivals.take(request.socket.remoteAddress ?? '', connectionLimit, this.#now())
    if (wait > 0) {
      hangUp(socket, 429, 'Too Many Attempts.', { 'retry-after': String(Math.ceil(wait / 1000)) })
      return
    }
    this.#server.handleUpgrade(request, socket, head, (socket) => this.#enter(socket))
  }

  async close(): Promise<void> {
    this.#closing.abort()
    const parting = [...this.#connections].map(
      ([reader, { socket }]) =>
        new Promise((resolve) => {
          socket.once('close', resolve)
          this.#end(reader, closings.ending)
          setTimeout(() => socket.terminate(), endingMs).unref()
        }),
    )
    await Promise.all(parting)
    await this.#sent
  }

  #now(): number {
    return this.#about.exchange.advance(this.#about.now())
  }

  #enter(socket: WebSocket): void {
    const reader = this.#hub.enter()
    const connection = { socket, heardAt: this.#about.clock.monotonic() }
    this.#connections.set(reader, connection)
    socket.on('message', (data, isBinary) => {
      connection.heardAt = this.#about.clock.monotonic()
      // With the default binary type a message is one Buffer.
      const text = isBinary || !Buffer.isBuffer(data) ? '' : data.toString()
      this.#safely(() => {
        if (!this.#connections.has(reader)) return
        const closing = this.#hub.hear(reader, text, this.#now())
        if (closing) this.#end(reader, closing)
      })
    })
    socket.on('error', () => socket.terminate())
    socket.on('close', () => this.#forget(reader))
    if (!this.#isBeating) void this.#beat()
  }

  /** The timer of the streams: ten times a second while there are connections. */
  async #beat(): Promise<void> {
    const { clock } = this.#about
    const { signal } = this.#closing
    this.#isBeating = true
    while (this.#connections.size > 0) {
      await clock.sleep(tickMs, signal).catch(() => {})
      if (signal.aborted) return
      this.#safely(() => {
        this.#hub.tick(this.#now())
        for (const [reader, { heardAt }] of this.#connections) {
          if (clock.monotonic() - heardAt >= idleMs) this.#end(reader, closings.idle)
        }
      })
    }
    this.#isBeating = false
  }

  /** Collects all changes of one event-loop turn into one flush. */
  #wake(): void {
    if (this.#awake) return
    this.#awake = true
    setImmediate(() => this.#safely(() => this.#flush()))
  }

  #flush(): void {
    this.#hub.flush(this.#now())
    this.#awake = false
    const batch = this.#outbox
    this.#outbox = []
    const { durable } = this.#about
    if (durable === undefined) this.#send(batch)
    // The store reports its own failure; the streams only stop sending.
    else
      this.#sent = Promise.all([this.#sent, durable()]).then(
        () => this.#send(batch),
        () => {},
      )
  }

  #send(batch: Batch): void {
    for (const { to, text } of batch) {
      const frame = Buffer.from(text)
      for (const reader of to) {
        const socket = this.#connections.get(reader)?.socket
        if (socket === undefined) continue
        if (socket.bufferedAmount > bufferedBytesMax) this.#end(reader, closings.tooSlow)
        else socket.send(frame, { binary: false })
      }
    }
  }

  #end(reader: Reader, { code, reason }: Closing): void {
    const socket = this.#connections.get(reader)?.socket
    this.#forget(reader)
    socket?.close(code, reason)
    setTimeout(() => socket?.terminate(), partingMs).unref()
  }

  #forget(reader: Reader): void {
    if (this.#connections.delete(reader)) this.#hub.leave(reader)
  }

  #safely(work: () => void): void {
    try {
      work()
    } catch (error) {
      this.#about.fault(error)
    }
  }
}

function hangUp(socket: Duplex, status: number, message: string, headers: Record<string, string> = {}): void {
  const answer = refusal({ status, message })
  socket.on('error', () => {})
  socket.end(plainAnswer({ ...answer, headers: { ...answer.headers, ...headers } }), () => socket.destroy())
}
