import { request, type IncomingMessage, type ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { gateRefusals } from '#src/venues/whitebit/contract/wire/refusals.ts'
import type { Clock } from '#src/core/time/clock.ts'
import { chanceOf, uniform } from '#src/exchange/simulation/random.ts'
import { end, listen, urlOf } from './listener.ts'

/** What can happen to a call between a client and its venue. */
export type ProxyFault =
  /** It never arrives, and the connection breaks. */
  | 'lost'
  /** It is carried out, and the connection breaks before a byte of the answer. */
  | 'answer lost'
  /** It arrives, and the connection breaks while the venue is still busy with it. */
  | 'left alone'
  /** It is carried out, and a gateway says that it failed. */
  | 'failed after'
  /** It is carried out, and half of the answer comes: with its length announced, or as if it were all of it. */
  | 'cut'
  | 'cut short'
  /** It is delivered twice, and answered once. */
  | 'doubled'
  | 'doubled, the second answer'
  /** Turned away before the venue: in words of the venue, or in those of a gateway. */
  | 'throttled'
  | 'throttled by a gateway'
  /** The connection breaks at once, and the call arrives so many milliseconds later. */
  | { lateMs: number }

export type ProxiedCall = Pick<IncomingMessage, 'method' | 'url' | 'headers'> & { body: Buffer }
type Answer = { status: number; headers: IncomingMessage['headers']; body: Buffer }
/** Something else that is done with a call: it may be delivered in another form, or others beside it. */
export type FaultDecision = (
  call: ProxiedCall,
  deliver: (call: ProxiedCall) => Promise<Answer>,
) => Promise<Answer>

export type FaultProxy = {
  url: string
  /** Gives how many ends there were to cut. */
  cutStreams(): number
  /** Nothing gets through any more, or all of it again. */
  down(value: boolean): void
  close(): Promise<void>
}

/** A line to an exchange on which every call can meet a fault: for those who want to see what a bot makes of that. */
export async function startFaultProxy(about: {
  /** Where calls go on to. */
  target: () => string
  port?: number
  clock: Clock
  fault: (call: ProxiedCall) => ProxyFault | FaultDecision | undefined
  /** How long the next stream is let through; for ever unless said. */
  streamMs?: () => number
  /** Called after each call that has reached its target. */
  onPassed?: () => void
}): Promise<FaultProxy> {
  const sockets = new Set<Socket>()
  const streams = new Set<Duplex>()
  const late = new Set<Promise<unknown>>()
  const closing = new AbortController()
  let isDown = false

  async function pass(call: ProxiedCall): Promise<Answer> {
    const answer = await deliver(about.target(), call)
    about.onPassed?.()
    return answer
  }

  /** Nobody waits for it any more: only the end of the line does. */
  function later(passing: Promise<unknown>): void {
    const settled: Promise<unknown> = passing.then(
      () => late.delete(settled),
      () => late.delete(settled),
    )
    late.add(settled)
  }

  async function serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { method, url, headers, socket } = incoming
    const call = { method, url, headers, body: await bodyOf(incoming) }
    const fault = isDown ? 'lost' : about.fault(call)
    if (typeof fault === 'function') return reply(outgoing, await fault(call, pass))
    if (typeof fault === 'object') {
      socket.destroy()
      later(about.clock.sleep(fault.lateMs, closing.signal).then(() => pass(call)))
      return
    }
    switch (fault) {
      case undefined:
        return reply(outgoing, await pass(call))
      case 'lost':
        socket.destroy()
        return
      case 'left alone':
        later(pass(call))
        setImmediate(() => socket.destroy())
        return
      case 'answer lost':
        await pass(call)
        socket.destroy()
        return
      case 'failed after':
        await pass(call)
        outgoing.writeHead(502, { 'content-type': 'text/html' }).end('<html>Bad gateway</html>')
        return
      case 'cut': {
        const { status, body } = await pass(call)
        outgoing.writeHead(status, { 'content-length': body.length }).write(body.subarray(0, body.length / 2))
        setImmediate(() => socket.destroy())
        return
      }
      case 'cut short': {
        const { status, body } = await pass(call)
        outgoing.writeHead(status, { connection: 'close' }).end(body.subarray(0, body.length / 2))
        return
      }
      case 'doubled':
      case 'doubled, the second answer': {
        const answers = [await pass(call), await pass(call)] as const
        return reply(outgoing, answers[fault === 'doubled' ? 0 : 1])
      }
      case 'throttled': {
        const { status, code, message, errors } = gateRefusals.rateLimited
        outgoing.writeHead(status, { 'content-type': 'application/json', 'retry-after': '1' })
        outgoing.end(JSON.stringify({ code, message, errors }))
        return
      }
      case 'throttled by a gateway':
        outgoing.writeHead(429, { 'content-type': 'text/html' }).end('<html>Too many requests</html>')
    }
  }

  /** Streams are passed on as they are, until they are cut. */
  function accept(incoming: IncomingMessage, near: Duplex, head: Buffer): void {
    if (isDown) {
      near.destroy()
      return
    }
    const { port, hostname } = new URL(about.target())
    const far = connect(Number(port), hostname, () => {
      const headers = incoming.rawHeaders.map((text, place) =>
        place % 2 === 0 ? `${text}: ` : `${text}\r\n`,
      )
      far.write(`GET ${incoming.url ?? ''} HTTP/1.1\r\n${headers.join('')}\r\n`)
      far.write(head)
      near.pipe(far).pipe(near)
    })
    for (const socket of [near, far]) {
      streams.add(socket)
      socket.on('error', () => socket.destroy())
      socket.on('close', () => {
        streams.delete(socket)
        near.destroy()
        far.destroy()
      })
    }
    if (about.streamMs) setTimeout(() => near.destroy(), about.streamMs()).unref()
  }

  const server = await listen(
    (incoming, outgoing) => {
      serve(incoming, outgoing).catch(() => incoming.socket.destroy())
    },
    about.port ?? 0,
    { wants: () => true, accept },
  )
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  const cutStreams = () => {
    const { size } = streams
    for (const socket of streams) socket.destroy()
    return size
  }
  return {
    url: urlOf(server),
    cutStreams,
    down(value) {
      isDown = value
      if (!value) return
      for (const socket of sockets) socket.destroy()
      cutStreams()
    },
    async close() {
      closing.abort()
      await Promise.all(late)
      for (const socket of sockets) socket.destroy()
      cutStreams()
      await end(server)
    },
  }
}

const lateMostMs = 5000
const streamMostMs = 60_000
const kinds = [
  'lost',
  'answer lost',
  'left alone',
  'failed after',
  'cut',
  'cut short',
  'doubled',
  'doubled, the second answer',
  'throttled',
  'throttled by a gateway',
] as const satisfies readonly ProxyFault[]

/** So large a share of the calls meets a fault, each kind as often as the others; streams break now and then. */
export function randomFaults(
  seed: string,
  share: number,
): { fault: () => ProxyFault | undefined; streamMs: () => number } {
  const chance = chanceOf(seed, 'faults')
  return {
    fault() {
      if (uniform(chance) >= share) return undefined
      const kind = Math.floor(uniform(chance) * (kinds.length + 1))
      return kinds[kind] ?? { lateMs: Math.floor(uniform(chance) * lateMostMs) }
    },
    streamMs: () => uniform(chance) * streamMostMs,
  }
}

/** More than any call or answer has breaks the connection. */
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
