import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTcpServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { createClient } from '#src/venues/whitebit/client/client.ts'
import type { ClientOptions } from '#src/venues/whitebit/client/calls/dispatcher.ts'
import { inProcessTransport } from '#src/venues/whitebit/client/transport/in-process.ts'
import { Nonces } from '#src/venues/whitebit/client/calls/nonces.ts'
import { Secret } from '#src/venues/whitebit/contract/wire/signing.ts'
import { contract, type EndpointName } from '#src/venues/whitebit/contract/endpoint-table.ts'
import type { WireRequest, WireResponse } from '#src/venues/whitebit/contract/wire/wire.ts'
import { ManualClock, systemClock } from '#src/core/time/clock.ts'

export const startMs = 1_790_000_000_000
export const secretText = 'canary-secret-5f2b'
export const keyText = 'canary-key-91c4'
export const credentials = { key: keyText, secret: new Secret(secretText) }

export type HeardCall = { url: string; headers: IncomingMessage['headers']; body: string }
export type Place = { url: string; heard: HeardCall[]; close(): Promise<void> }

/** A server over HTTP that behaves as the test says, and remembers what it was asked. */
export async function serve(
  answer: (response: ServerResponse, heard: HeardCall, count: number) => void,
): Promise<Place> {
  const heard: HeardCall[] = []
  const server = createServer({ maxHeaderSize: 128 * 1024 }, (request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const seen = {
        url: request.url ?? '',
        headers: request.headers,
        body: Buffer.concat(chunks).toString(),
      }
      heard.push(seen)
      answer(response, seen, heard.length)
    })
  })
  return {
    url: await listening(server),
    heard,
    close: () => closing(server, () => server.closeAllConnections()),
  }
}

/** A server below HTTP: `speak` gets the socket when the first bytes of a request have come. */
export async function serveBytes(speak: (socket: Socket, count: number) => void): Promise<Place> {
  const heard: HeardCall[] = []
  const sockets = new Set<Socket>()
  const server = createTcpServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => socket.destroy())
    socket.on('close', () => sockets.delete(socket))
    socket.on('data', (chunk: Buffer) => {
      const text = chunk.toString('latin1')
      if (!/^(?:GET|POST) /.test(text)) return
      heard.push({ url: text.split(' ')[1] ?? '', headers: {}, body: text })
      speak(socket, heard.length)
    })
  })
  return {
    url: await listening(server),
    heard,
    close: () => closing(server, () => sockets.forEach((socket) => socket.destroy())),
  }
}

async function listening(server: Server): Promise<string> {
  await new Promise<void>((ready) => {
    server.listen(0, '127.0.0.1', ready)
  })
  // A server that listens on a port has such an address.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const { port } = server.address() as AddressInfo
  return `http://127.0.0.1:${port}`
}

function closing(server: Server, drop: () => void): Promise<void> {
  return new Promise((closed) => {
    server.close(() => closed())
    drop()
  })
}

export function json(status: number, value: unknown, headers: Record<string, string> = {}): WireResponse {
  return { status, headers, body: JSON.stringify(value) }
}

/** What the contract gives as the answer of an endpoint. */
export function example(name: EndpointName): WireResponse {
  return json(200, contract[name].example.response)
}

/** A client whose venue is a function, on a clock turned by hand. */
export function clientOf(
  handle: (request: WireRequest, now: number) => WireResponse,
  options: Partial<ClientOptions> & { clock?: ManualClock; nonces?: Nonces } = {},
) {
  const { nonces, ...rest } = options
  const clock = options.clock ?? new ManualClock(startMs)
  const key = { credentials, nonces: nonces ?? new Nonces({ clock, mode: 'strict' }) }
  const client = createClient({
    transport: inProcessTransport(handle, clock),
    key,
    random: () => 0,
    ...rest,
    clock,
  })
  return { client, clock }
}

export function systemNonces(mode: 'strict' | 'window' = 'strict'): Nonces {
  return new Nonces({ clock: systemClock, mode })
}

/** Turns the clock until the promise settles; time passes only while nothing else can happen. */
export async function settled<Value>(
  promise: Promise<Value>,
  clock: ManualClock,
  stepMs = 50,
): Promise<Value> {
  const progress = { ended: false }
  const ended = promise.finally(() => {
    progress.ended = true
  })
  for (;;) {
    await new Promise((rest) => {
      setImmediate(rest)
    })
    if (progress.ended) return ended
    clock.advance(stepMs)
  }
}

export const order = {
  market: 'BTC_PERP',
  side: 'buy',
  amount: '0.02',
  price: '60000',
  client_order_id: 'dip.low.1.1',
} as const

/** How a venue tells that it took an order. */
export function placed(about: Partial<Record<string, unknown>> = {}) {
  const [element] = contract.collateralBulk.example.response
  return { result: { ...element?.result, ...about }, error: null }
}

export function failed(code: number, message: string, errors: Record<string, string[]> = {}) {
  return { result: null, error: { code, message, errors } }
}
