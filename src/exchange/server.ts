import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import { getRequestListener, type HttpBindings } from '@hono/node-server'
import { Hono } from 'hono'
import { keyHeader, payloadHeader, signatureHeader } from '#src/contract/signing.ts'
import type { Spelling } from '#src/contract/spelling.ts'
import type { WireRequest, WireResponse } from '#src/contract/wire.ts'
import { BotError } from '#src/errors/bot-error.ts'
import type { Clock } from '#src/time/clock.ts'
import { adminApp } from './admin.ts'
import { createExchange, type Exchange } from './exchange.ts'
import { bodyBytesMax } from './gate.ts'
import { Store } from './store.ts'
import type { Profile } from './venue.ts'
import { WebhookSender } from './webhook-sender.ts'
import type { World } from './world.ts'

export type ServerOptions = {
  world: World
  /** Whether the operator named the world, so that stored data of another one is a mistake. */
  worldNamed?: boolean
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

/** A bulk's body travels a second time, as base64 in a header. */
const headerBytesMax = 2 * bodyBytesMax
const connectionsMax = 1024

/** Sockets around the exchange: two addresses, one world. */
export async function startExchange(options: ServerOptions): Promise<RunningExchange> {
  const { clock, profile = 'spec', spelling = 'spec' } = options
  const { exchange, store } = openWorld(options, profile, spelling)
  const now = () => Math.max(exchange.state.at, clock.now() + exchange.state.turnedMs)

  async function durable(): Promise<void> {
    try {
      await store?.committed(exchange.state)
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
      .then(() => clock.sleep(delayMs))
      .then(() => told(exchange.execute(admitted, now())))
  }

  const app = new Hono<{ Bindings: HttpBindings }>()
  app.all('*', async (context) => {
    const { incoming } = context.env
    const stranger = strangerAnswer(incoming)
    if (stranger) return respond(stranger)
    const body = await readBody(incoming)
    if (body === undefined) return respond(unreadable(400))
    const [path = '', ...query] = (incoming.url ?? '').split('?')
    return respond(
      await answer({
        method: incoming.method ?? '',
        path,
        query: query.join('?'),
        headers: headersOf(incoming),
        body,
        origin: incoming.socket.remoteAddress ?? '',
      }),
    )
  })

  app.onError((error) => {
    options.onBroken?.(error)
    return respond(refusal({ status: 503, message: 'The service is ending.' }))
  })

  const servers: Server[] = []
  try {
    servers.push(await listen(app, options.port ?? 0), await listen(app, options.euPort ?? 0))
    if (options.adminPort !== undefined) {
      servers.push(
        await listen(adminApp({ exchange, now, durable, wake: () => webhooks.wake() }), options.adminPort),
      )
    }
  } catch (error) {
    await Promise.all(servers.map(end))
    store?.close(exchange.state)
    throw error
  }
  const [url = '', euUrl = '', adminUrl] = servers.map(urlOf)
  return {
    url,
    euUrl,
    adminUrl,
    wsUrl: `${url.replace('http', 'ws')}/ws`,
    exchange,
    async close() {
      await Promise.all(servers.map(end))
      await webhooks.close()
      store?.close(exchange.state)
    },
  }
}

function openWorld(options: ServerOptions, profile: Profile, spelling: Spelling) {
  const fresh = {
    world: options.world,
    seed: options.seed ?? randomBytes(32).toString('hex'),
    at: options.clock.now(),
  }
  if (options.dataDirectory === undefined) {
    return { exchange: createExchange({ ...fresh, begin: fresh.at, profile, spelling }), store: undefined }
  }
  const store = Store.open(options.dataDirectory, fresh, options.worldNamed ?? false)
  const { world, seed, at } = store.beginning
  let recovering = true
  const exchange = store.recover((state) =>
    createExchange({
      world,
      seed,
      begin: state ?? at,
      profile,
      spelling,
      record: (entry) => {
        if (!recovering) store.append(entry)
      },
    }),
  )
  recovering = false
  return { exchange, store }
}

async function listen(
  app: { fetch: Hono<{ Bindings: HttpBindings }>['fetch'] },
  port: number,
): Promise<Server> {
  const hostname = '127.0.0.1'
  const serve = getRequestListener(app.fetch, {
    autoCleanupIncoming: false,
    errorHandler: () => respond(unreadable(400)),
  })
  const server = createServer(
    {
      maxHeaderSize: headerBytesMax,
      headersTimeout: 5000,
      requestTimeout: 10_000,
      connectionsCheckingInterval: 1000,
      keepAliveTimeout: 30_000,
      // Refused like any other foreign host, in the shape of our errors; Node would answer without a body.
      requireHostHeader: false,
    },
    (incoming, outgoing) => void serve(incoming, outgoing),
  )
  server.maxConnections = connectionsMax
  server.on('checkExpectation', (_incoming, outgoing) => {
    const { status, headers, body } = unreadable(417)
    outgoing.statusCode = status
    outgoing.setHeaders(new Map(Object.entries(headers))).end(body)
  })
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy()
      return
    }
    const status =
      error.code === 'HPE_HEADER_OVERFLOW' ? 431 : error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400
    const { body } = unreadable(status)
    socket.end(
      `HTTP/1.1 ${status} Refused\r\ncontent-type: application/json\r\nconnection: close\r\n` +
        `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    )
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

function urlOf(server: Server): string {
  const address = server.address()
  return typeof address === 'object' && address ? `http://127.0.0.1:${address.port}` : ''
}

function end(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeIdleConnections()
    setTimeout(() => server.closeAllConnections(), 2000).unref()
  })
}

/** A web page in somebody's browser is no client of ours, whatever name it resolved to this address. */
function strangerAnswer(incoming: IncomingMessage): WireResponse | undefined {
  const { host = '', origin } = incoming.headers
  if (!/^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d{1,5})?$/i.test(host)) {
    return refusal({ status: 421, message: 'This host is not served here.' })
  }
  return origin === undefined
    ? undefined
    : refusal({ status: 403, message: 'Web pages may not call this service.' })
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
function readBody(incoming: IncomingMessage): Promise<Buffer | undefined> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let size = 0
    incoming.on('data', (chunk: Buffer) => {
      if (size <= bodyBytesMax) chunks.push(chunk)
      size += chunk.length
    })
    incoming.on('end', () => {
      const [only, ...more] = chunks
      const body = only !== undefined && more.length === 0 ? only : Buffer.concat(chunks)
      resolve(body.subarray(0, bodyBytesMax + 1))
    })
    // Whoever hung up hears no answer, whichever it is.
    incoming.on('error', () => resolve(undefined))
  })
}

function unreadable(status: number): WireResponse {
  return refusal({ status, message: 'This is not a request that can be read.' })
}

function refusal({ status, message }: { status: number; message: string }): WireResponse {
  const headers = { 'content-type': 'application/json' }
  return { status, headers, body: JSON.stringify({ code: 0, message, errors: {} }) }
}

function respond({ status, headers, body }: WireResponse): Response {
  return new Response(body, { status, headers })
}
