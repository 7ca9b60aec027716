import { once } from 'node:events'
import { connect } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { WebSocket, type ClientOptions } from 'ws'
import { readStream } from '#test/support/stream-reader.ts'
import { openVenue, type TestVenue, type VenueOptions } from '#test/support/venue.ts'
import { empty } from '#test/support/empty.ts'

let venue: TestVenue | undefined
afterEach(async () => {
  await venue?.close()
  venue = undefined
})

async function open(options: VenueOptions = { profile: 'full' }): Promise<string> {
  venue = await openVenue('socket', options)
  return venue.streamUrl
}

/** The answer to a refused handshake. */
async function refused(url: string, options: ClientOptions = {}) {
  const socket = new WebSocket(url, options)
  const taken = once(socket, 'open').then(() => {
    socket.terminate()
    throw new Error('the handshake was taken')
  })
  const [, response] = await Promise.race([once(socket, 'unexpected-response'), taken])
  const chunks: unknown[] = await response.toArray()
  socket.on('error', () => {})
  socket.terminate()
  return {
    status: Number(response.statusCode),
    body: JSON.parse(chunks.map(String).join('')),
    headers: response.headers,
  }
}

const shape = { code: 0, message: expect.any(String), errors: empty }

test('profile spec has no streams', async () => {
  expect(await refused(await open({}))).toMatchObject({ status: 404, body: shape })
})

test('profile full has streams at one path, at both addresses, and refuses web pages', async () => {
  const url = await open()
  expect(await refused(`${url}/`)).toMatchObject({ status: 404, body: shape })
  expect((await fetch(url.replace('ws:', 'http:'))).status).toBe(404)
  // An offer of another protocol gets an ordinary answer.
  expect(await refused(url.replace('/ws', '/api/v4/public/ping'))).toMatchObject({
    status: 200,
    body: ['pong'],
  })
  expect(await refused(url, { origin: 'http://localhost' })).toMatchObject({ status: 403, body: shape })
  expect(await refused(url, { headers: { host: 'example.com' } })).toMatchObject({ status: 421, body: shape })
})

test('an invalid handshake gets an error of the usual shape', async () => {
  const url = new URL(await open())
  const socket = connect(Number(url.port), '127.0.0.1')
  socket.write('GET /ws HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n')
  const received = (await socket.toArray()).map(String).join('')
  expect(received).toMatch(/^HTTP\/1\.1 400 /)
  expect(JSON.parse(received.split('\r\n\r\n')[1] ?? '')).toEqual(shape)
})

test.each([
  ['what no method is called', '{"id":1,"method":"deep_subscribe","params":[]}', 4, 'method not found'],
  ['a name of every object', '{"id":1,"method":"constructor","params":[]}', 4, 'method not found'],
  [
    'parameters that do not fit',
    '{"id":1,"method":"depth_subscribe","params":["SOL_PERP",7,"0"]}',
    1,
    'invalid argument',
  ],
  [
    'a step that is none',
    '{"id":1,"method":"depth_subscribe","params":["SOL_PERP",5,"0.2"]}',
    1,
    'invalid argument',
  ],
  [
    'a market that is none',
    '{"id":1,"method":"trades_subscribe","params":["A_B"]}',
    9,
    'market A_B does not exist',
  ],
  ['a token that nobody has', '{"id":1,"method":"authorize","params":["x","public"]}', 1, 'invalid argument'],
])('%s gets its error and leaves the connection open', async (_, text, code, message) => {
  const reader = await readStream(await open())
  expect(await reader.say(text)).toEqual({ error: { code, message }, result: null, id: 1 })
  expect(await reader.ask('ping')).toBe('pong')
  await reader.close()
})

test.each([
  '7',
  'null',
  '[]',
  '{}',
  '{"id":"1","method":"ping","params":[]}',
  '{"id":1.5,"method":"ping","params":[]}',
])('a frame that is not a request gets its error: %s', async (text) => {
  const reader = await readStream(await open())
  expect(await reader.say(text)).toEqual({
    error: { code: 1, message: 'invalid argument' },
    result: null,
    id: null,
  })
  await reader.close()
})

test.each([
  ['what is not JSON', '{"id":1', 1007],
  ['a frame that is too large', `"${'x'.repeat(16 * 1024)}"`, 1009],
  ['a token that is empty', '{"id":1,"method":"authorize","params":["","public"]}', 1008],
  ['bytes', Buffer.from('{"id":1,"method":"ping","params":[]}'), 1007],
])('%s closes the connection', async (_, frame, code) => {
  const reader = await readStream(await open())
  reader.socket.send(frame)
  expect(await reader.closed).toMatchObject({ code })
})

test('a connection without a request for a minute is closed; a protocol pong does not count', async () => {
  const reader = await readStream(await open())
  venue?.advance(59_900)
  expect(await reader.ask('ping')).toBe('pong')
  venue?.advance(59_900)
  reader.socket.pong()
  expect(await reader.ask('ping')).toBe('pong')
  venue?.advance(60_000)
  expect(await reader.closed).toEqual({ code: 1000, reason: 'No frame for a minute' })
})

test('two hundred requests a minute are answered on each connection', async () => {
  const url = await open()
  const [reader, other] = [await readStream(url), await readStream(url)]
  for (let asked = 0; asked < 200; asked++) expect(await reader.ask('ping')).toBe('pong')
  expect(await reader.ask('ping')).toEqual({ error: { code: 7, message: 'too many requests' } })
  expect(await other.ask('ping')).toBe('pong')
  venue?.advance(59_000)
  expect(await reader.ask('ping')).toEqual({ error: { code: 7, message: 'too many requests' } })
  venue?.advance(1000)
  expect(await reader.ask('ping')).toBe('pong')
  await Promise.all([reader.close(), other.close()])
})

test('a thousand connections a minute are accepted, and the next one gets a retry time', async () => {
  const url = await open()
  for (let number = 0; number < 1000; number++) {
    const socket = new WebSocket(url)
    await once(socket, 'open')
    socket.terminate()
  }
  const { status, body, headers } = await refused(url)
  expect({ status, body }).toMatchObject({ status: 429, body: shape })
  expect(headers['retry-after']).toBe('60')
  venue?.advance(60_000)
  await (await readStream(url)).close()
})

test('a connection that does not read is closed, and delays no other', async () => {
  const url = await open({ profile: 'full', world: { switches: { rateLimits: 'off' } } })
  const orders = Array.from({ length: 20 }, (_, place) => ({
    market: 'SOL_PERP',
    side: 'buy' as const,
    amount: '0.1',
    price: `60.${place + 10}`,
  }))
  await venue?.paper.collateralBulk({ orders })
  const [slow, fast] = [await readStream(url), await readStream(url)]
  slow.socket.pause()
  const question = JSON.stringify({ id: 1, method: 'depth_request', params: ['SOL_PERP', 100, '0'] })
  // About forty megabytes of answers: more than the buffers of any system hold.
  for (let asked = 0; asked < 80_000; asked++) slow.socket.send(question)
  for (let asked = 0; asked < 100; asked++) expect(await fast.ask('ping')).toBe('pong')
  slow.socket.resume()
  expect(await slow.closed).toEqual({ code: 1013, reason: 'The client reads too slowly' })
  expect(await fast.ask('ping')).toBe('pong')
  await fast.close()
})

test('an exchange that stops closes its streams with a reason', async () => {
  const reader = await readStream(await open())
  await venue?.close()
  venue = undefined
  expect(await reader.closed).toEqual({ code: 1001, reason: 'The service is shutting down' })
})

test('a reader that subscribes when the last one leaves gets updates at the usual rate', async () => {
  const url = await open()
  const first = await readStream(url)
  await first.close()
  const next = await readStream(url)
  await next.ask('depth_subscribe', 'SOL_PERP', 100, '0')
  await next.take('depth')
  const pass = async (tenths: number) => {
    for (let tenth = 0; tenth < tenths; tenth++) {
      venue?.advance(100)
      await new Promise(setImmediate)
    }
    return next.rest('depth')
  }
  // An unchanged book is sent again every ten seconds.
  expect(await pass(99)).toEqual([])
  expect(await pass(1)).toHaveLength(1)
  await next.close()
})
