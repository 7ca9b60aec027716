import { request, type IncomingMessage, type ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { gateRefusals } from '#src/venues/whitebit/contract/wire/refusals.ts'
import { keysOf } from '#src/core/objects/objects.ts'
import type { Clock } from '#src/core/time/clock.ts'
import { chanceOf, uniform } from '#src/exchange/simulation/random.ts'
import { end, listen, urlOf } from './listener.ts'

export type ProxiedCall = Pick<IncomingMessage, 'method' | 'url' | 'headers'> & { body: Buffer }
type Answer = { status: number; headers: IncomingMessage['headers']; body: Buffer }
/** A fault of the caller's own: it can change the call, or deliver other calls beside it. */
export type FaultDecision = (
  call: ProxiedCall,
  deliver: (call: ProxiedCall) => Promise<Answer>,
) => Promise<Answer>

type ProxyOptions = {
  /** The URL of the exchange. */
  target: () => string
  port?: number
  clock: Clock
  fault: (call: ProxiedCall) => ProxyFault | FaultDecision | undefined
  /** How long the next stream stays open; without it streams are never cut. */
  streamMs?: () => number
  /** Called after each call that has reached its target. */
  onPassed?: () => void
}

/** One call in flight through the proxy. */
type Passage = {
  socket: Socket
  outgoing: ServerResponse
  /** Delivers the call and returns the answer. */
  pass: () => Promise<Answer>
  /** Delivers the call without an answer to the client. */
  passUnanswered: () => void
}

/** What can happen to a call between a client and its exchange. */
const faults = {
  /** The call never arrives, and the connection breaks. */
  lost: ({ socket }) => {
    socket.destroy()
  },
  /** The exchange executes the call, and the connection breaks before a byte of the answer. */
  'answer lost': async ({ socket, pass }) => {
    await pass()
    socket.destroy()
  },
  /** The call arrives, and the connection breaks while the exchange is still busy with it. */
  'left alone': ({ socket, passUnanswered }) => {
    passUnanswered()
    setImmediate(() => socket.destroy())
  },
  /** The exchange executes the call, and a gateway answers that it failed. */
  'failed after': async ({ outgoing, pass }) => {
    await pass()
    outgoing.writeHead(502, { 'content-type': 'text/html' }).end('<html>Bad gateway</html>')
  },
  /** The exchange executes the call, and half of the answer arrives, with the length of the whole answer. */
  cut: async ({ socket, outgoing, pass }) => {
    const { status, body } = await pass()
    outgoing.writeHead(status, { 'content-length': body.length }).write(body.subarray(0, body.length / 2))
    setImmediate(() => socket.destroy())
  },
  /** As `cut`, but half of the answer looks like the whole answer. */
  'cut short': async ({ outgoing, pass }) => {
    const { status, body } = await pass()
    outgoing.writeHead(status, { connection: 'close' }).end(body.subarray(0, body.length / 2))
  },
  /** The call arrives twice, and one of the answers goes back. */
  doubled: async ({ outgoing, pass }) => {
    const first = await pass()
    await pass()
    reply(outgoing, first)
  },
  'doubled, the second answer': async ({ outgoing, pass }) => {
    await pass()
    reply(outgoing, await pass())
  },
  /** The call is refused before the exchange, in the words of the exchange or of a gateway. */
  throttled: ({ outgoing }) => {
    const { status, code, message, errors } = gateRefusals.rateLimited
    outgoing.writeHead(status, { 'content-type': 'application/json', 'retry-after': '1' })
    outgoing.end(JSON.stringify({ code, message, errors }))
  },
  'throttled by a gateway': ({ outgoing }) => {
    outgoing.writeHead(429, { 'content-type': 'text/html' }).end('<html>Too many requests</html>')
  },
} satisfies Record<string, (passage: Passage) => void | Promise<void>>

/** With `lateMs` the connection breaks at once, and the call arrives so many milliseconds later. */
export type ProxyFault = keyof typeof faults | { lateMs: number }

/** Starts a proxy before an exchange that can meet every call with a fault, to test a bot or another client. */
export async function startFaultProxy(options: ProxyOptions) {
  const proxy = new HttpFaultProxy(options)
  const server = await listen(
    (incoming, outgoing) => {
      proxy.serve(incoming, outgoing).catch(() => incoming.socket.destroy())
    },
    options.port ?? 0,
    { wants: () => true, accept: (incoming, near, head) => proxy.accept(incoming, near, head) },
  )
  server.on('connection', (socket) => proxy.connected(socket))
  return {
    url: urlOf(server),
    /** Returns the number of sockets that it cut. */
    cutStreams: () => proxy.cutStreams(),
    /** While the proxy is down, nothing gets through. */
    down: (value: boolean) => proxy.down(value),
    async close() {
      await proxy.close()
      await end(server)
    },
  }
}

class HttpFaultProxy {
  readonly #options: ProxyOptions
  readonly #sockets = new Set<Socket>()
  readonly #streams = new Set<Duplex>()
  /** Calls on their way whose client gets no answer. */
  readonly #late = new Set<Promise<unknown>>()
  readonly #closing = new AbortController()
  #isDown = false

  constructor(options: ProxyOptions) {
    this.#options = options
  }

  connected(socket: Socket): void {
    this.#sockets.add(socket)
    socket.on('close', () => this.#sockets.delete(socket))
  }

  async serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { method, url, headers, socket } = incoming
    const call = { method, url, headers, body: await bodyOf(incoming) }
    const fault = this.#isDown ? 'lost' : this.#options.fault(call)
    const pass = () => this.#pass(call)
    if (fault === undefined) reply(outgoing, await pass())
    else if (typeof fault === 'function') reply(outgoing, await fault(call, (other) => this.#pass(other)))
    else if (typeof fault === 'object') {
      socket.destroy()
      this.#later(this.#options.clock.sleep(fault.lateMs, this.#closing.signal).then(pass))
    } else await faults[fault]({ socket, outgoing, pass, passUnanswered: () => this.#later(pass()) })
  }

  async #pass(call: ProxiedCall): Promise<Answer> {
    const answer = await deliver(this.#options.target(), call)
    this.#options.onPassed?.()
    return answer
  }

  #later(passing: Promise<unknown>): void {
    const settled: Promise<unknown> = passing.then(
      () => this.#late.delete(settled),
      () => this.#late.delete(settled),
    )
    this.#late.add(settled)
  }

  /** The proxy passes streams on unchanged, until it cuts them. */
  accept(incoming: IncomingMessage, near: Duplex, head: Buffer): void {
    if (this.#isDown) {
      near.destroy()
      return
    }
    const { target, streamMs } = this.#options
    const { port, hostname } = new URL(target())
    const far = connect(Number(port), hostname, () => {
      const headers = incoming.rawHeaders.map((text, place) =>
        place % 2 === 0 ? `${text}: ` : `${text}\r\n`,
      )
      far.write(`GET ${incoming.url ?? ''} HTTP/1.1\r\n${headers.join('')}\r\n`)
      far.write(head)
      near.pipe(far).pipe(near)
    })
    for (const socket of [near, far]) {
      this.#streams.add(socket)
      socket.on('error', () => socket.destroy())
      socket.on('close', () => {
        this.#streams.delete(socket)
        near.destroy()
        far.destroy()
      })
    }
    if (streamMs) setTimeout(() => near.destroy(), streamMs()).unref()
  }

  cutStreams(): number {
    const { size } = this.#streams
    for (const socket of this.#streams) socket.destroy()
    return size
  }

  down(value: boolean): void {
    this.#isDown = value
    if (value) this.#cutAll()
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await Promise.all(this.#late)
    this.#cutAll()
  }

  #cutAll(): void {
    for (const socket of this.#sockets) socket.destroy()
    this.cutStreams()
  }
}

const lateMostMs = 5000
const streamMostMs = 60_000
const kinds = keysOf(faults)

/** A share of the calls meets a fault, each kind equally often; streams break after at most a minute. */
export function randomFaults(seed: string, share: number) {
  const chance = chanceOf(seed, 'faults')
  return {
    fault: (): ProxyFault | undefined => {
      if (uniform(chance) >= share) return undefined
      const kind = Math.floor(uniform(chance) * (kinds.length + 1))
      return kinds[kind] ?? { lateMs: Math.floor(uniform(chance) * lateMostMs) }
    },
    streamMs: () => uniform(chance) * streamMostMs,
  }
}

/** A longer call or answer breaks the connection. */
const bytesMost = 16 * 1024 * 1024

async function bodyOf(stream: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of stream) {
    chunks.push(Buffer.from(chunk))
    bytes += chunk.length
    if (bytes > bytesMost) throw new RangeError(`more than ${bytesMost} bytes`)
  }
  return Buffer.concat(chunks)
}

function deliver(target: string, { method, url, headers, body }: ProxiedCall): Promise<Answer> {
  const { hostname, port } = new URL(target)
  return new Promise((resolve, reject) => {
    const outgoing = request({ hostname, port, method, path: url, headers }, (incoming) => {
      bodyOf(incoming).then(
        (whole) => resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, body: whole }),
        reject,
      )
    })
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}

function reply(outgoing: ServerResponse, { status, headers, body }: Answer): void {
  outgoing.writeHead(status, headers).end(body)
}
