import { writeFileSync } from 'node:fs'
import { request as ask, SnapshotAgent } from 'undici'
import { WebSocket } from 'ws'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createClient } from '#src/venues/whitebit/client/client.ts'
import { httpTransport } from '#src/venues/whitebit/client/transport/http.ts'
import { Nonces } from '#src/venues/whitebit/client/calls/nonces.ts'
import type { Delivery, OutgoingRequest, Transport } from '#src/venues/whitebit/client/transport/transport.ts'
import { Secret } from '#src/venues/whitebit/contract/wire/signing.ts'
import { deliveryOnTape, requestOnTape } from '#src/research/recording/calls.ts'
import { readTape } from '#src/research/recording/read-tape.ts'
import { temporaryFolder } from '#test/cli/support/process.ts'
import { openVenue, type TestVenue } from '#test/support/venue.ts'

let venue: TestVenue
let origin: string

beforeAll(async () => {
  venue = await openVenue('socket', { profile: 'full' })
  origin = new URL(venue.streamUrl.replace('ws', 'http')).origin
})
afterAll(() => venue.close())

type Sent = { request: OutgoingRequest; delivery: Delivery; at: number }

/** A client with the reading key whose calls are recorded, to compare. */
function watched(inner: Transport) {
  // The nonces of the client before are used.
  venue.advance(1000)
  const sent: Sent[] = []
  const transport: Transport = {
    async send(request, withinMs) {
      const at = Date.now()
      const delivery = await inner.send(request, withinMs)
      sent.push({ request, delivery, at })
      return delivery
    },
    close: () => inner.close(),
  }
  const credentials = { key: 'reader-key', secret: new Secret('reader-secret') }
  const nonces = new Nonces({ clock: venue.clock, mode: 'strict' })
  const key = { credentials, nonces }
  return { sent, client: createClient({ transport, key, clock: venue.clock, keepRates: false }) }
}

/** The events of our own tape for these calls. */
function expected(sent: readonly Sent[]) {
  return sent.map(({ request, delivery }) => ({
    kind: 'call',
    ...requestOnTape(request),
    got: deliveryOnTape(delivery),
  }))
}

const order = { market: 'BTC_PERP', side: 'buy', price: '100', amount: '1' } as const
const bulk = { orders: [order] }

/** Settings of the agent for signed calls: ignores fields that change with each call. */
const forPlayback = {
  matchHeaders: ['content-type'],
  normalizeBody: (body: unknown) => String(body).replace(/"nonce":"\d+"/, '"nonce":""'),
}

test.each([
  ['as it comes', {}],
  ['set up for playback', forPlayback],
])('a recording of SnapshotAgent, %s, is read as a tape', async (_, options) => {
  using folder = temporaryFolder()
  const path = folder.file('snapshots.json')
  const agent = new SnapshotAgent({ mode: 'record', snapshotPath: path, ...options })
  const { sent, client } = watched({
    async send({ method, path: at, query, headers, body }) {
      const about = { method, headers, body: body.length === 0 ? null : Buffer.from(body), dispatcher: agent }
      const answer = await ask(`${origin}${at}${query === '' ? '' : `?${query}`}`, about)
      const response = { status: answer.statusCode, headers: {}, body: await answer.body.text() }
      return { kind: 'answered', response }
    },
    close: () => agent.close(),
  })
  await client.ping()
  await client.tradingBalance({ ticker: 'USDT' })
  await client.collateralBulk(bulk)
  await client.tradingBalance({ ticker: 'USDT' })
  await ask(`${origin}/elsewhere`, { dispatcher: agent }).then(({ body }) => body.text())
  await agent.saveSnapshots()
  await client.close()
  const tape = readTape(path)
  // For equal calls it stores only the time of the last one.
  expect(tape.events).toHaveLength(sent.length)
  const each = expected(sent).map((call): unknown => expect.objectContaining(call))
  expect(tape.events).toEqual(expect.arrayContaining(each))
  expect(tape.notes).toEqual(['Ignored, because it is not a call of this API: 1'])
  expect(tape.begin.rungs).toBe('snapshots of undici')
  expect(JSON.stringify(tape)).not.toMatch(/reader-key|nonce|x-txc/i)
})

/** An entry of a browser, with unread fields. */
function entryOf({ request, delivery, at }: Sent, tookMs: number) {
  if (delivery.kind !== 'answered') throw new Error('no answer')
  const { status, body } = delivery.response
  const url = `${origin}${request.path}${request.query === '' ? '' : `?${request.query}`}`
  const headers = Object.entries(request.headers).map(([name, value]) => ({ name, value }))
  const text = Buffer.from(request.body).toString()
  const postData = { mimeType: 'application/json', text }
  return {
    _connectionId: '71',
    _initiator: { type: 'script' },
    _priority: 'High',
    _resourceType: 'fetch',
    cache: {},
    connection: '8080',
    request: {
      method: request.method,
      url,
      httpVersion: 'HTTP/1.1',
      headers,
      queryString: [],
      cookies: [],
      headersSize: 210,
      bodySize: text.length,
      ...(text === '' ? {} : { postData }),
    },
    response: {
      status,
      statusText: 'OK',
      httpVersion: 'HTTP/1.1',
      headers: [{ name: 'content-type', value: 'application/json' }],
      cookies: [],
      content: { size: body.length, mimeType: 'application/json', text: body },
      redirectURL: '',
      headersSize: 150,
      bodySize: body.length,
      _transferSize: body.length + 150,
      _error: null,
    },
    serverIPAddress: '127.0.0.1',
    startedDateTime: new Date(at).toISOString(),
    time: tookMs,
    timings: { blocked: 0.5, dns: -1, connect: -1, ssl: -1, send: 0.1, wait: 1, receive: 0.1 },
  }
}

const har = (entries: readonly object[]) =>
  JSON.stringify({
    log: { version: '1.2', creator: { name: 'WebInspector', version: '537.36' }, pages: [], entries },
  })

/** Frames of a page on one socket until all answers have arrived. */
async function talk(token: string) {
  const messages: { type: 'send' | 'receive'; time: number; opcode: number; data: string }[] = []
  const socket = new WebSocket(venue.streamUrl)
  const keep = (type: 'send' | 'receive', data: string) =>
    messages.push({ type, time: Date.now() / 1000, opcode: 1, data })
  await new Promise((resolve) => socket.on('open', resolve))
  const questions = [
    { id: 1, method: 'authorize', params: [token, 'public'] },
    { id: 2, method: 'depth_subscribe', params: ['BTC_PERP', 5, '0', true] },
    { id: 3, method: 'no_such_thing', params: [] },
  ]
  const all = new Promise<void>((resolve) => {
    socket.on('message', (data: Buffer) => {
      keep('receive', data.toString())
      const replies = messages.filter(
        ({ type, data: text }) => type === 'receive' && !text.includes('"id":null'),
      )
      if (replies.length === questions.length && messages.some(({ data: text }) => text.includes('_update')))
        resolve()
    })
  })
  for (const question of questions) {
    const text = JSON.stringify(question)
    keep('send', text)
    socket.send(text)
  }
  await all
  socket.terminate()
  return messages
}

test('a recording of a browser is read as a tape, including its socket', async () => {
  using folder = temporaryFolder()
  const path = folder.file('session.har')
  const { sent, client } = watched(httpTransport(origin))
  await client.ping()
  await client.collateralBulk(bulk)
  const token = await client.streamToken()
  if (token.kind !== 'accepted') throw new Error('no token')
  const messages = await talk(token.value.websocket_token)
  const [first, second, third] = sent
  if (first === undefined || second === undefined || third === undefined) throw new Error('calls are missing')
  const entry = entryOf(first, 3.25)
  const inBase64 = Buffer.from(entry.response.content.text).toString('base64')
  const stream = {
    ...entry,
    request: { ...entry.request, url: venue.streamUrl },
    _webSocketMessages: messages,
  }
  const withResponse = (response: object) => ({ ...entry, response: { ...entry.response, ...response } })
  writeFileSync(
    path,
    `\uFEFF${har([
      { ...entry, response: { ...entry.response, content: { size: 4, text: inBase64, encoding: 'base64' } } },
      // Browsers order entries by start time, other programs differ.
      entryOf(third, 5),
      entryOf(second, 4),
      // A preflight request.
      { ...entryOf(second, 4), request: { ...entryOf(second, 4).request, method: 'OPTIONS' } },
      { ...stream, startedDateTime: new Date(third.at + 1).toISOString() },
      { ...entry, request: { ...entry.request, url: 'https://elsewhere.example/logo.svg' } },
      { ...stream, request: { ...entry.request, url: 'wss://elsewhere.example/chat' } },
      withResponse({ status: 0, content: { size: 0, mimeType: 'x-unknown' } }),
      withResponse({ content: { size: 90, mimeType: 'application/json' } }),
      { ...entryOf(second, 4), request: { ...entryOf(second, 4).request, postData: undefined } },
      {},
    ])}`,
  )
  const tape = readTape(path)
  const calls = tape.events.filter(({ kind }) => kind === 'call')
  expect(calls.slice(0, 2)).toMatchObject(expected([first, second]))
  expect(calls[2]).toMatchObject({ path: '/api/v4/profile/websocket_token' })
  expect(calls[0]).toMatchObject({ at: first.at, tookMs: 3.25 })
  const frames = tape.events.filter((event) => event.kind === 'stream-frame')
  expect(frames.filter(({ from }) => from === 'us').map(({ json }) => json)).toEqual([
    { id: 1, method: 'authorize', params: ['[bearer]'] },
    { id: 2, method: 'depth_subscribe', params: ['BTC_PERP', 5, '0', true] },
    { id: 3, method: 'no_such_thing', params: [] },
  ])
  const told = frames.filter(({ from }) => from === 'venue').map(({ json }) => json)
  expect(told).toEqual(messages.filter(({ type }) => type === 'receive').map(({ data }) => JSON.parse(data)))
  expect(tape.events.filter(({ kind }) => kind === 'stream-closed')).toMatchObject([{ stream: 1 }])
  expect(tape.notes).toEqual([
    'Ignored, because it is not a call of this API: 2',
    'Ignored, because it is not a stream of this API: 1',
    'Ignored, because it has no complete answer in the file: 2',
    'Ignored, because it has no parameters in the file: 1',
    'Ignored, because it does not have the format of an entry: 1',
  ])
  expect(JSON.stringify(tape)).not.toContain(token.value.websocket_token)
  expect(JSON.stringify(tape)).not.toMatch(/reader-key|"nonce"|x-txc/i)
})

test.each([
  ['', 'does not start like a tape, a HAR file, or snapshots of undici'],
  ['{"log":{}}', 'does not start like a tape'],
  ['not at all', 'does not start like a tape'],
  ['[]', 'holds no call of this API'],
  ['{"log":{"entries":[{}]}}', 'holds no call of this API; Ignored, because it does not have the format'],
])('%j is refused with a reason', (text, why) => {
  using folder = temporaryFolder()
  writeFileSync(folder.file('a'), text)
  expect(() => readTape(folder.file('a'))).toThrow(why)
})
