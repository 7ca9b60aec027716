import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { z } from 'zod'
import { contract, type EndpointName } from '#src/contract/table.ts'
import { gateRefusals } from '#src/contract/refusals.ts'
import { startExchange, type RunningExchange, type ServerOptions } from '#src/exchange/server.ts'
import { headersOf } from './venue.ts'

/** What can happen to a call between a client and its venue. */
export type Fault =
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
  /** The venue itself carries it out twice, whatever its nonce, and answers what came of the second time. */
  | 'carried out twice'
  /** Another process has drawn a later nonce with the same key just before. */
  | 'nonce overtaken'
  /** Turned away before the venue: in words of the venue, or in those of a gateway. */
  | 'throttled'
  | 'throttled by a gateway'
  /** The connection breaks at once, and the call arrives so many milliseconds later. */
  | { lateMs: number }

const signedCall = z.looseObject({ request: z.string(), nonce: z.coerce.number() })

type Answer = { status: number; headers: IncomingMessage['headers']; body: Buffer }

export type FaultyVenue = Awaited<ReturnType<typeof startFaultyVenue>>

/** The embedded exchange behind a bad line: every call can meet a fault, by its name and by how many came before it. */
export async function startFaultyVenue(options: ServerOptions) {
  let running: RunningExchange = await startExchange(options)
  let upstream = new URL(running.url)
  const plans: { name: EndpointName; countdown: number; fault: Fault }[] = []
  const calls: { name: EndpointName | undefined; fault: Fault | undefined; body: string }[] = []
  const sockets = new Set<Socket>()
  const streams = new Set<Socket>()
  const late = new Set<Promise<unknown>>()
  let onCall: (() => void) | undefined
  let whim: (() => Fault | undefined) | undefined
  let isDown = false

  function faultOf(name: EndpointName | undefined): Fault | undefined {
    let found: Fault | undefined
    for (const plan of plans) {
      if (plan.name !== name) continue
      plan.countdown -= 1
      if (plan.countdown === 0) found ??= plan.fault
    }
    return found
  }

  async function pass(incoming: IncomingMessage, body: Buffer): Promise<Answer> {
    const answer = await forward(upstream, incoming, body)
    onCall?.()
    return answer
  }

  /** The same key signs another call, with a later nonce. */
  async function signedAnew(
    { headers: old }: IncomingMessage,
    call: Record<string, unknown> & { request: string; nonce: number },
    later: number,
  ): Promise<Answer> {
    const text = JSON.stringify({ ...call, nonce: String(call.nonce + later) })
    const headers = { ...old, ...headersOf('paper', text), 'content-length': String(text.length) }
    return forward(upstream, { method: 'POST', url: call.request, headers }, Buffer.from(text))
  }

  async function serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const body = await bodyOf(incoming)
    const name = nameOf(incoming.url ?? '')
    const fault = isDown ? 'lost' : (faultOf(name) ?? whim?.())
    calls.push({ name, fault, body: body.toString() })
    if (typeof fault === 'object') {
      incoming.socket.destroy()
      const arriving = options.clock.sleep(fault.lateMs).then(() => pass(incoming, body))
      late.add(arriving)
      return
    }
    switch (fault) {
      case undefined:
        return reply(outgoing, await pass(incoming, body))
      case 'lost':
        incoming.socket.destroy()
        return
      case 'left alone':
        late.add(pass(incoming, body))
        setImmediate(() => incoming.socket.destroy())
        return
      case 'answer lost':
        await pass(incoming, body)
        incoming.socket.destroy()
        return
      case 'failed after':
        await pass(incoming, body)
        outgoing.writeHead(502, { 'content-type': 'text/html' }).end('<html>Bad gateway</html>')
        return
      case 'cut': {
        const { status, body: all } = await pass(incoming, body)
        outgoing.writeHead(status, { 'content-length': all.length }).write(all.subarray(0, all.length / 2))
        setImmediate(() => incoming.socket.destroy())
        return
      }
      case 'cut short': {
        const { status, body: all } = await pass(incoming, body)
        outgoing.writeHead(status, { connection: 'close' }).end(all.subarray(0, all.length / 2))
        return
      }
      case 'doubled':
      case 'doubled, the second answer': {
        const answers = [await pass(incoming, body), await pass(incoming, body)] as const
        return reply(outgoing, answers[fault === 'doubled' ? 0 : 1])
      }
      case 'carried out twice':
        await pass(incoming, body)
        return reply(outgoing, await signedAnew(incoming, signedCall.parse(JSON.parse(body.toString())), 1))
      case 'nonce overtaken':
        if (body.length > 0) {
          const { nonce } = signedCall.parse(JSON.parse(body.toString()))
          await signedAnew(incoming, { request: contract.tradingBalance.path, nonce }, 100)
        }
        return reply(outgoing, await pass(incoming, body))
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

  const server = createServer((incoming, outgoing) => {
    serve(incoming, outgoing).catch(() => incoming.socket.destroy())
  })
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  // Streams are passed on as they are, until they are cut.
  server.on('upgrade', (incoming, near: Socket, head) => {
    if (isDown) {
      near.destroy()
      return
    }
    const far = connect(Number(upstream.port), upstream.hostname, () => {
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
      socket.on('close', () => streams.delete(socket))
    }
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0

  return {
    url: `http://127.0.0.1:${port}`,
    get running() {
      return running
    },
    calls,
    /** The nth call of this name from now on meets the fault. */
    plan(name: EndpointName, nth: number, fault: Fault): void {
      plans.push({ name, countdown: nth, fault })
    },
    /** Every call may meet a fault that nobody has planned, until there is no whim any more. */
    whim(next: (() => Fault | undefined) | undefined): void {
      whim = next
    },
    /** How many faults are still to come. */
    planned: () => plans.filter(({ countdown }) => countdown > 0).length,
    /** Called after everything that has reached the exchange. */
    watch(look: () => void): void {
      onCall = look
    },
    cutStreams(): void {
      for (const socket of streams) socket.destroy()
    },
    /** The exchange is there again from its beginning, as after a loss of all that it knew. */
    async forget(): Promise<void> {
      const before = running
      running = await startExchange(options)
      upstream = new URL(running.url)
      for (const socket of streams) socket.destroy()
      await before.close()
    },
    /** Nothing gets through any more, or all of it again. */
    down(value: boolean): void {
      isDown = value
      if (value) for (const socket of [...sockets, ...streams]) socket.destroy()
    },
    async close(): Promise<void> {
      await Promise.allSettled(late)
      for (const socket of [...sockets, ...streams]) socket.destroy()
      await new Promise((resolve) => {
        server.close(resolve)
      })
      await running.close()
    },
  }
}

function nameOf(url: string): EndpointName | undefined {
  const path = url.split('?')[0]
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Object.entries forgets the names of a closed table
  const rows = Object.entries(contract) as [EndpointName, { path: string }][]
  return rows.find(([, row]) => row.path === path)?.[0]
}

async function bodyOf(stream: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks)
}

function forward(
  upstream: URL,
  { method, url, headers }: Pick<IncomingMessage, 'method' | 'url' | 'headers'>,
  body: Buffer,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = upstream
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
