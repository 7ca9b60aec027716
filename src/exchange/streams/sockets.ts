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
const closeTimeoutMs = 10_000
const shutdownTimeoutMs = 2000

type Connection = { socket: WebSocket; receivedAt: number }
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
  #isFlushPlanned = false
  #isTimerRunning = false
  #sent: Promise<unknown> = Promise.resolve()

  constructor(about: StreamsAbout) {
    this.#about = about
    const { venue } = about.exchange
    this.#arrivals = new Allowances(venue.switches.rateLimits === 'on')
    this.#hub = new Hub(
      venue,
      (readers, text) => {
        this.#outbox.push({ to: [...readers], text })
        this.#planFlush()
      },
      () => this.#planFlush(),
    )
    this.#server.on('wsClientError', (_error, socket) => {
      refuseUpgrade(socket, 400, 'The handshake cannot be read.')
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
      refuseUpgrade(socket, 503, 'Too many streams.')
      return
    }
    const wait = this.#arrivals.take(request.socket.remoteAddress ?? '', connectionLimit, this.#now())
    if (wait > 0) {
      refuseUpgrade(socket, 429, 'Too Many Attempts.', { 'retry-after': String(Math.ceil(wait / 1000)) })
      return
    }
    this.#server.handleUpgrade(request, socket, head, (socket) => this.#addConnection(socket))
  }

  async close(): Promise<void> {
    this.#closing.abort()
    const closed = [...this.#connections].map(
      ([reader, { socket }]) =>
        new Promise((resolve) => {
          socket.once('close', resolve)
          this.#closeConnection(reader, closings.ending)
          setTimeout(() => socket.terminate(), shutdownTimeoutMs).unref()
        }),
    )
    await Promise.all(closed)
    await this.#sent
  }

  #now(): number {
    return this.#about.exchange.advance(this.#about.now())
  }

  #addConnection(socket: WebSocket): void {
    const reader = this.#hub.enter()
    const connection = { socket, receivedAt: this.#about.clock.monotonic() }
    this.#connections.set(reader, connection)
    socket.on('message', (data, isBinary) => {
      connection.receivedAt = this.#about.clock.monotonic()
      // With the default binary type a message is one Buffer.
      const text = isBinary || !Buffer.isBuffer(data) ? '' : data.toString()
      this.#reportingFaults(() => {
        if (!this.#connections.has(reader)) return
        const closing = this.#hub.receive(reader, text, this.#now())
        if (closing) this.#closeConnection(reader, closing)
      })
    })
    socket.on('error', () => socket.terminate())
    socket.on('close', () => this.#removeConnection(reader))
    if (!this.#isTimerRunning) void this.#runTimer()
  }

  /** The timer of the streams: ten times a second while there are connections. */
  async #runTimer(): Promise<void> {
    const { clock } = this.#about
    const { signal } = this.#closing
    this.#isTimerRunning = true
    while (this.#connections.size > 0) {
      await clock.sleep(tickMs, signal).catch(() => {})
      if (signal.aborted) return
      this.#reportingFaults(() => {
        this.#hub.tick(this.#now())
        for (const [reader, { receivedAt }] of this.#connections) {
          if (clock.monotonic() - receivedAt >= idleMs) this.#closeConnection(reader, closings.idle)
        }
      })
    }
    this.#isTimerRunning = false
  }

  /** Collects all changes of one event-loop turn into one flush. */
  #planFlush(): void {
    if (this.#isFlushPlanned) return
    this.#isFlushPlanned = true
    setImmediate(() => this.#reportingFaults(() => this.#flush()))
  }

  #flush(): void {
    this.#hub.flush(this.#now())
    this.#isFlushPlanned = false
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
        if (socket.bufferedAmount > bufferedBytesMax) this.#closeConnection(reader, closings.tooSlow)
        else socket.send(frame, { binary: false })
      }
    }
  }

  #closeConnection(reader: Reader, { code, reason }: Closing): void {
    const socket = this.#connections.get(reader)?.socket
    this.#removeConnection(reader)
    socket?.close(code, reason)
    setTimeout(() => socket?.terminate(), closeTimeoutMs).unref()
  }

  #removeConnection(reader: Reader): void {
    if (this.#connections.delete(reader)) this.#hub.leave(reader)
  }

  #reportingFaults(work: () => void): void {
    try {
      work()
    } catch (error) {
      this.#about.fault(error)
    }
  }
}

function refuseUpgrade(
  socket: Duplex,
  status: number,
  message: string,
  headers: Record<string, string> = {},
): void {
  const answer = refusal({ status, message })
  socket.on('error', () => {})
  socket.end(plainAnswer({ ...answer, headers: { ...answer.headers, ...headers } }), () => socket.destroy())
}
