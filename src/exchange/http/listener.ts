import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { Duplex } from 'node:stream'
import { keyHeader, payloadHeader, signatureHeader } from '#src/venues/whitebit/contract/wire/signing.ts'
import type { WireRequest, WireResponse } from '#src/venues/whitebit/contract/wire/wire.ts'
import { BotError } from '#src/core/errors/bot-error.ts'
import { bodyBytesMax } from './request-gate.ts'

/** Sockets: what arrives becomes a wire request, and nobody gets anything but an answer in a documented shape. */

/** A bulk's body travels a second time, as base64 in a header. */
const headerBytesMax = 2 * bodyBytesMax
const connectionsMax = 4096

/** What becomes of requests that want to be something else than HTTP. */
export type Upgrades = {
  wants(request: IncomingMessage): boolean
  accept(request: IncomingMessage, socket: Duplex, head: Buffer): void
}

export async function listen(serve: RequestListener, port: number, upgrades?: Upgrades): Promise<Server> {
  const hostname = '127.0.0.1'
  const server = createServer(
    {
      maxHeaderSize: headerBytesMax,
      headersTimeout: 5000,
      requestTimeout: 10_000,
      connectionsCheckingInterval: 1000,
      keepAliveTimeout: 30_000,
      // Refused like any other foreign host, in the shape of our errors; Node would answer without a body.
      requireHostHeader: false,
      shouldUpgradeCallback: (request) => upgrades?.wants(request) ?? false,
    },
    (incoming, outgoing) => {
      begin(outgoing)
      serve(incoming, outgoing)
    },
  )
  // Who has said all and listens still gets the answer, also one that waits for the disk.
  Object.assign(server, { httpAllowHalfOpen: true })
  server.on('upgrade', (request, socket, head) => {
    endWithErrors(socket)
    upgrades?.accept(request, socket, head)
  })
  server.maxConnections = connectionsMax
  server.on('checkExpectation', (_incoming, outgoing) => write(outgoing, unreadable(417)))
  server.on('connect', (_incoming, socket) => {
    endWithErrors(socket)
    socket.end(plainAnswer(unreadable(405)))
  })
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy()
      return
    }
    const status =
      error.code === 'HPE_HEADER_OVERFLOW' ? 431 : error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400
    const refuse = () => socket.end(plainAnswer(unreadable(status)))
    const last = unanswered(socket)
    if (last) last.once('finish', refuse)
    else refuse()
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(
        error.code === 'EADDRINUSE' ? new BotError('PORT_TAKEN', { seen: `${hostname}:${port}` }) : error,
      )
    })
    server.listen(port, hostname, resolve)
  })
  return server
}

/** Node hands the socket over: an error that nobody handles, such as a reset by the client, would end the process. */
function endWithErrors(socket: Duplex): void {
  socket.on('error', () => socket.destroy())
}

const begun = new WeakMap<Duplex, readonly ServerResponse[]>()

function begin(outgoing: ServerResponse): void {
  const { socket } = outgoing.req
  const before = begun.get(socket)
  begun.set(socket, before ? [...before.filter((each) => !each.writableFinished), outgoing] : [outgoing])
}

/** The last request that came whole before what cannot be read: it is carried out, so its answer comes first. */
function unanswered(socket: Duplex): ServerResponse | undefined {
  return begun.get(socket)?.findLast(({ req, writableFinished }) => req.complete && !writableFinished)
}

export function urlOf(server: Server): string {
  const address = server.address()
  return typeof address === 'object' && address ? `http://127.0.0.1:${address.port}` : ''
}

export function end(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeIdleConnections()
    setTimeout(() => server.closeAllConnections(), 2000).unref()
  })
}

/** A web page in somebody's browser is no client of ours, whatever name it resolved to this address. */
export function strangerAnswer(incoming: IncomingMessage): WireResponse | undefined {
  const { host = '', origin, 'sec-fetch-site': site = 'none' } = incoming.headers
  if (!/^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d{1,5})?$/i.test(host)) {
    return refusal({ status: 421, message: 'This host is not served here.' })
  }
  return origin === undefined && (site === 'none' || site === 'same-origin')
    ? undefined
    : refusal({ status: 403, message: 'Web pages may not call this service.' })
}

/**
 * From a socket to an answer and back, straight on Node's own server: every route is the contract's, so a framework
 * would only stand between (some 5 µs of the 40 that reading and answering cost). `fault` is told of what cannot happen.
 */
export function requestListener(
  answer: (request: WireRequest) => WireResponse | Promise<WireResponse>,
  fault: (error: unknown) => WireResponse,
): RequestListener {
  let answered: (() => void)[] = []
  /**
   * What was answered in one turn of the event loop leaves at its end: who waits for many answers is woken once, which
   * costs more than writing one does. A lone answer waits for nobody.
   */
  function writeLater(outgoing: ServerResponse, response: WireResponse): void {
    if (answered.push(() => write(outgoing, response)) === 1) setImmediate(writeAll)
  }
  function writeAll(): void {
    const due = answered
    answered = []
    for (const each of due) each()
  }
  return (incoming, outgoing) => {
    const told = (response: WireResponse) => writeLater(outgoing, response)
    const failed = (error: unknown) => writeLater(outgoing, fault(error))
    const stranger = strangerAnswer(incoming)
    readBody(incoming, (body) => {
      if (stranger) return told(stranger)
      if (body === undefined) return told(unreadable(400))
      try {
        const response = answer(wireRequest(incoming, body))
        if (response instanceof Promise) response.then(told, failed)
        else told(response)
      } catch (error) {
        failed(error)
      }
    })
  }
}

function write(outgoing: ServerResponse, { status, headers, body }: WireResponse): void {
  const length = Buffer.byteLength(body)
  outgoing.writeHead(status, { ...headers, 'content-length': length })
  // As many bytes as letters: all of it is ASCII, and Latin-1, the same bytes, is written without a detour.
  outgoing.end(body, length === body.length ? 'latin1' : 'utf8')
}

function wireRequest(incoming: IncomingMessage, body: Buffer): WireRequest {
  const { method = '', url = '' } = incoming
  const mark = url.indexOf('?')
  return {
    method,
    path: mark === -1 ? url : url.slice(0, mark),
    query: mark === -1 ? '' : url.slice(mark + 1),
    headers: headersOf(incoming),
    body,
    origin: incoming.socket.remoteAddress ?? '',
  }
}

/** The headers that the door reads; each of them comes once or is joined by Node. */
function headersOf(incoming: IncomingMessage): Record<string, string | undefined> {
  const { headers } = incoming
  return {
    'content-type': headers['content-type'],
    [keyHeader]: single(headers[keyHeader]),
    [payloadHeader]: single(headers[payloadHeader]),
    [signatureHeader]: single(headers[signatureHeader]),
  }
}

function single(value: string | string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** The body as far as the door looks: one byte more than it takes, if there is more. Undefined when it broke off. */
function readBody(incoming: IncomingMessage, done: (body: Buffer | undefined) => void): void {
  const chunks: Buffer[] = []
  let size = 0
  incoming.on('data', (chunk: Buffer) => {
    if (size <= bodyBytesMax) chunks.push(chunk)
    size += chunk.length
  })
  incoming.on('end', () => {
    const [only, ...more] = chunks
    const body = only !== undefined && more.length === 0 ? only : Buffer.concat(chunks)
    done(body.subarray(0, bodyBytesMax + 1))
  })
  // Whoever hung up hears no answer, whichever it is.
  incoming.on('error', () => done(undefined))
}

/** For sockets that never became a request with a response of its own. */
export function plainAnswer({ status, headers, body }: WireResponse): string {
  const lines = Object.entries({ ...headers, connection: 'close', 'content-length': Buffer.byteLength(body) })
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  return `HTTP/1.1 ${status} Refused\r\n${head}\r\n${body}`
}

function unreadable(status: number): WireResponse {
  return refusal({ status, message: 'The request cannot be read.' })
}

export function refusal({ status, message }: { status: number; message: string }): WireResponse {
  const headers = { 'content-type': 'application/json' }
  return { status, headers, body: JSON.stringify({ code: 0, message, errors: {} }) }
}
