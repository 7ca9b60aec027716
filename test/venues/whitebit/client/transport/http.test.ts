import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { answerBytesMax } from '#src/venues/whitebit/client/answers/answer.ts'
import { createClient, type Client } from '#src/venues/whitebit/client/client.ts'
import { httpTransport } from '#src/venues/whitebit/client/transport/http.ts'
import type { Delivery, Transport } from '#src/venues/whitebit/client/transport/transport.ts'
import { BotError } from '#src/core/errors/bot-error.ts'
import {
  credentials,
  example,
  order,
  serve,
  serveBytes,
  systemNonces,
  type Place,
} from '#test/venues/whitebit/client/scripted-venue.ts'

const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

function transportTo(url: string, connections = 1): Transport {
  const transport = httpTransport(url, { connections })
  closers.push(() => transport.close())
  return transport
}

function clientTo(url: string): Client {
  const client = createClient({
    transport: httpTransport(url),
    key: { credentials, nonces: systemNonces() },
    keepRates: false,
  })
  closers.push(() => client.close())
  return client
}

async function placeOf(opening: Promise<Place>): Promise<Place> {
  const place = await opening
  closers.unshift(() => place.close())
  return place
}

// Not everywhere, and nothing that this project installs.
const certificateTool = 'openssl'
const openssl = (words: string[]) => spawnSync(certificateTool, words).status === 0
/** For calls that are answered: no busy machine needs it. */
const longMs = 120_000
/** For calls that are sent and never answered: long enough to connect. */
const connectMs = 3000
const request = { method: 'POST', path: '/api/v4/x', query: '', headers: {}, body: Buffer.from('{}') }
const bulk = { orders: [order] }
const { body: good } = example('collateralBulk')
const head = (length: number | string) => `HTTP/1.1 200 OK\r\nContent-Length: ${length}\r\n\r\n`

async function deliver(speak: Parameters<typeof serveBytes>[0], withinMs = longMs): Promise<Delivery> {
  const place = await placeOf(serveBytes(speak))
  return transportTo(place.url).send(request, withinMs)
}

test('a whole answer arrives as it was sent', async () => {
  const place = await placeOf(
    serve((response) => response.writeHead(422, { 'retry-after': '7' }).end('{"a":"ü"}')),
  )
  expect(await transportTo(place.url).send({ ...request, query: 'a=1' }, longMs)).toEqual({
    kind: 'answered',
    response: { status: 422, headers: { 'retry-after': '7' }, body: '{"a":"ü"}' },
  })
  expect(place.heard[0]).toMatchObject({ url: '/api/v4/x?a=1', body: '{}' })
})

describe('no whole answer', () => {
  test('from a server that drips one byte after another: the deadline stands above them all', async () => {
    const delivery = await deliver((socket) => {
      socket.write(head(10_000))
      const drip = setInterval(() => socket.write(' '), 10)
      socket.on('close', () => clearInterval(drip))
    }, connectMs)
    expect(delivery).toEqual({ kind: 'unanswered', reason: 'No complete answer before the deadline' })
  })

  test('from a server that never says a word', async () => {
    expect(await deliver(() => {}, connectMs)).toMatchObject({ kind: 'unanswered' })
  })

  test('when it is given up: the client ends without waiting for it', async () => {
    const cut = new AbortController()
    const place = await placeOf(serveBytes(() => cut.abort()))
    const client = createClient({
      transport: httpTransport(place.url, { signal: cut.signal }),
      random: () => 0,
    })
    const asking = client.ping()
    cut.signal.addEventListener('abort', () => void client.close())
    expect(await asking).toEqual({
      kind: 'unanswered',
      reason: 'The request was aborted before the complete answer came',
    })
    await client.close()
    expect(place.heard).toHaveLength(1)
  })

  test('when it is larger than we read', async () => {
    const reason = 'The answer is larger than the client reads'
    const chunk = Buffer.alloc(1024 * 1024, 0x20)
    for (const start of [head(answerBytesMax + 1), 'HTTP/1.1 200 OK\r\n\r\n']) {
      const delivery = await deliver((socket) => {
        socket.write(start)
        for (let sent = 0; sent <= answerBytesMax; sent += chunk.length) socket.write(chunk)
      })
      expect(delivery).toEqual({ kind: 'unanswered', reason })
    }
  })

  test('when it is cut off, or the connection is reset', async () => {
    const broken = { kind: 'unanswered', reason: 'The connection closed before the complete answer came' }
    expect(await deliver((socket) => socket.end(head(500) + good.slice(0, 100)))).toEqual(broken)
    expect(await deliver((socket) => socket.resetAndDestroy())).toEqual(broken)
    expect(await deliver((socket) => socket.end())).toEqual(broken)
  })

  test('when it is not UTF-8, or not HTTP', async () => {
    const delivery = await deliver((socket) => {
      socket.write(head(4))
      socket.write(Buffer.from([0x22, 0xc3, 0x28, 0x22]))
    })
    expect(delivery).toEqual({ kind: 'unanswered', reason: 'The answer is not UTF-8 text' })
    expect(await deliver((socket) => socket.end('SSH-2.0-OpenSSH\r\n'))).toMatchObject({ kind: 'unanswered' })
  })
})

describe('a write', () => {
  test('that found nobody listening was not sent', async () => {
    expect(await clientTo('http://127.0.0.1:1').collateralBulk(bulk)).toMatchObject({
      kind: 'not-sent',
      cause: 'unreachable',
      orders: [{ kind: 'not-sent' }],
    })
  })

  test.each<[string, Parameters<typeof serveBytes>[0]]>([
    ['a reset', (socket) => socket.resetAndDestroy()],
    ['a body cut off by its length', (socket) => socket.end(head(good.length) + good.slice(0, -1))],
    [
      'a body cut off by the end of the connection',
      (socket) => socket.end(`HTTP/1.1 200 OK\r\n\r\n${good.slice(0, -9)}`),
    ],
    ['a gateway', (socket) => socket.end('HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n')],
    ['a page', (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n<html>')],
  ])('answered by %s is unknown', async (_by, speak) => {
    const place = await placeOf(serveBytes(speak))
    expect(await clientTo(place.url).collateralBulk(bulk)).toMatchObject({
      kind: 'unknown',
      orders: [{ kind: 'unknown' }],
    })
  })

  test('is never sent to where a redirect points', async () => {
    const other = await placeOf(serve((response) => response.end(good)))
    const place = await placeOf(
      serve((response) => response.writeHead(307, { location: `${other.url}/api/v4/x` }).end()),
    )
    expect((await clientTo(place.url).collateralBulk(bulk)).kind).toBe('unknown')
    expect(other.heard).toEqual([])
  })

  test('that waited for a connection past its deadline is not sent later', async () => {
    const answers = Promise.withResolvers<void>()
    const place = await placeOf(
      serveBytes((socket) => void answers.promise.then(() => socket.write(head(2) + '{}'))),
    )
    const transport = transportTo(place.url)
    const first = transport.send(request, longMs)
    const second = transport.send({ ...request, body: Buffer.from('{"late":1}') }, 40)
    expect(await second).toEqual({ kind: 'not-sent', reason: 'No connection before the deadline' })
    answers.resolve()
    expect((await first).kind).toBe('answered')
    expect((await transport.send(request, longMs)).kind).toBe('answered')
    expect(place.heard.some(({ body }) => body.includes('late'))).toBe(false)
    expect(place.heard).toHaveLength(2)
  })

  test('is never sent twice, however the server treats its connections', async () => {
    const answer = `${head(good.length)}${good}`
    const closing = answer.replace('\r\n', '\r\nConnection: close\r\n')
    const place = await placeOf(
      serveBytes((socket, count) => {
        const manners = [
          () => socket.write(answer),
          () => socket.resetAndDestroy(),
          () => socket.write(closing),
          () => (socket.write(answer), socket.destroySoon()),
          () => socket.end(answer.slice(0, -5)),
          () => (socket.write(answer), setImmediate(() => socket.resetAndDestroy())),
          () => socket.end(),
        ]
        manners[count % manners.length]?.()
      }),
    )
    const client = clientTo(place.url)
    for (let call = 0; call < 42; call++) await client.collateralBulk(bulk)
    const signatures = place.heard.map(({ body }) => /^x-txc-signature: (.+)$/im.exec(body)?.[1])
    expect(new Set(signatures).size).toBe(signatures.length)
    expect(signatures.length).toBeLessThanOrEqual(42)
    expect(signatures.length).toBeGreaterThan(30)
  })
})

describe('an address', () => {
  test('is https, or on this machine', () => {
    const good = [
      'https://venue.example',
      'http://127.0.0.1:8080',
      'http://localhost:1',
      'http://[::1]:1',
      'http://127.9.9.9',
    ]
    for (const url of good) closers.push(() => httpTransport(url).close())
    const bad = [
      'http://venue.example',
      'http://127.0.0.1.venue.example',
      'ftp://127.0.0.1',
      'venue.example',
      '',
      'http://10.0.0.1',
    ]
    for (const url of bad) expect(() => httpTransport(url)).toThrow(BotError)
  })

  test('is a host and a port, and nothing that could be a secret', () => {
    for (const url of [
      'https://u:p@venue.example',
      'https://venue.example/?key=1',
      'https://venue.example/api',
    ]) {
      expect(() => httpTransport(url)).toThrow(/more than a host and a port/)
    }
  })

  test.runIf(openssl(['version']))(
    'with a certificate that nobody vouches for gets nothing, whatever the environment says',
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'rungs-tls-'))
      closers.push(async () => rmSync(folder, { recursive: true }))
      const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
      const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
      const files = ['-days', '1', '-keyout', key, '-out', cert]
      openssl(['req', '-x509', ...curve, '-subj', '/CN=localhost', ...files])
      let requests = 0
      const server = createTlsServer(
        { key: readFileSync(key), cert: readFileSync(cert) },
        (_request, response) => {
          requests += 1
          response.end(good)
        },
      )
      await new Promise<void>((ready) => {
        server.listen(0, '127.0.0.1', ready)
      })
      closers.push(async () => void server.close())
      // Node warns of the setting, once, and readers of a test run would wonder who uses it.
      const warning = vi.spyOn(process, 'emitWarning').mockReturnValue()
      const before = process.env['NODE_TLS_REJECT_UNAUTHORIZED']
      process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0'
      try {
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a server that listens on a port has such an address
        const { port } = server.address() as AddressInfo
        expect(await transportTo(`https://localhost:${port}`).send(request, longMs)).toEqual({
          kind: 'not-sent',
          reason: 'The certificate of the address is not trusted',
        })
        expect(requests).toBe(0)
      } finally {
        warning.mockRestore()
        if (before === undefined) delete process.env['NODE_TLS_REJECT_UNAUTHORIZED']
        else process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = before
      }
    },
  )
})
