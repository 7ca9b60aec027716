import { connect } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Agent } from 'undici'
import { contract } from '#src/venues/whitebit/contract/endpoint-table.ts'
import type { WireRequest } from '#src/venues/whitebit/contract/wire/wire.ts'
import { imbalances } from '#src/exchange/ledger/ledger.ts'
import { startExchange, type RunningExchange } from '#src/exchange/http/server.ts'
import { nonceWindowMs } from '#src/venues/whitebit/contract/wire/envelope.ts'
import { systemClock } from '#src/core/time/clock.ts'
import { paperWorld, signedCall, worldWith } from '#test/exchange/exchange-fixture.ts'
import { seed, times } from '../properties/runs.ts'
import { chanceOf } from './chance.ts'
import { belongings, complaintAbout, isRefusal } from './answer-check.ts'
import { answersIn, garbage, rawTalks, talk } from './raw-connections.ts'
import { malformed } from './requests.ts'

const cases = times(5000, 50_000, 600)
const rawCases = times(320, 8000, 60)
const connections = 8
/** Of this thread, in which the exchange runs: other processes do not count. */
const slowestCpuMs = 100
/** An expensive request is expensive again; one that meets a garbage collection is not. */
const triesMax = 20

let venue: RunningExchange
let nonce = Date.now()
beforeAll(async () => {
  expect(paperWorld.switches.rateLimits).toBe('on')
  // With rate limits, most answers would be rate-limit errors.
  venue = await startExchange({ world: worldWith({ rateLimits: 'off' }), clock: systemClock, seed: 'a seed' })
})

/** Statuses that only a socket returns: for a request that is unreadable, too slow or too long, and for a foreign host. */
function asInProcess(status: number): number {
  return [408, 417, 421, 431].includes(status) ? 400 : status
}

const agent = new Agent({ connections: 1, pipelining: 1 })
afterAll(() => agent.close())

/** Whether a client library can send it; other requests need raw sockets. */
function sendable({ method, path, query, headers }: WireRequest): boolean {
  const texts = Object.values(headers).map((value) => value ?? '')
  return (
    /^(?:GET|POST|PUT|DELETE|PATCH|OPTIONS)$/.test(method) &&
    /^\/[\x21-\x7e]*$/.test(path) &&
    /^[\x21-\x7e]*$/.test(query) &&
    // Spaces around a value are not part of it on a wire.
    texts.every((text) => /^[\x20-\x7e]*$/.test(text) && text.trim() === text)
  )
}

async function ask(one: WireRequest): Promise<{ status: number; body: string; cpuMs: number }> {
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(one.headers)) if (value !== undefined) headers[name] = value
  const began = process.threadCpuUsage()
  // Path and query are sent unchanged: a URL would normalize them.
  const { statusCode, body } = await agent.request({
    origin: venue.url,
    path: one.query === '' ? one.path : `${one.path}?${one.query}`,
    method: one.method,
    headers,
    body: one.method === 'GET' ? null : one.body,
  })
  const text = await body.text()
  const { user, system } = process.threadCpuUsage(began)
  return { status: statusCode, body: text, cpuMs: (user + system) / 1000 }
}

async function answersAtOnce(): Promise<void> {
  let best = Infinity
  for (let tries = 0; tries < triesMax && best > slowestCpuMs; tries++) {
    // A malformed request may have used a millisecond near the present as a nonce.
    nonce = Math.max(nonce, Date.now() + 2 * nonceWindowMs) + 1
    const { status, cpuMs } = await ask(signedCall('paper', contract.mainBalance, {}, String(nonce)))
    expect(status).toBe(200)
    best = Math.min(best, cpuMs)
  }
  expect(best).toBeLessThan(slowestCpuMs)
}

test(`${cases} malformed requests over a socket get an error in its documented shape and change nothing`, async () => {
  const { state } = venue.exchange
  const chance = chanceOf(seed)
  let before = belongings(state)
  for (let index = 0; index < cases; index++) {
    nonce = Math.max(nonce + 1, Date.now())
    let one = malformed(chance, nonce, Date.now())
    while (!sendable(one.request)) one = malformed(chance, nonce, Date.now())
    const { status, body, cpuMs } = await ask(one.request)
    const answer = { status: asInProcess(status), headers: {}, body }
    const after = belongings(state)
    expect({
      complaint: complaintAbout(one.row, answer),
      changed: after !== before && isRefusal(one.row, answer),
      taken: one.forged && status === 200,
      case: index,
    }).toEqual({ complaint: undefined, changed: false, taken: false, case: index })
    before = after
    let best = cpuMs
    for (let tries = 0; tries < triesMax && best > slowestCpuMs; tries++) {
      best = Math.min(best, (await ask(one.request)).cpuMs)
      before = belongings(state)
    }
    expect(best, `case ${index}`).toBeLessThanOrEqual(slowestCpuMs)
  }
  expect(imbalances(state.ledger)).toEqual(new Map())
  await answersAtOnce()
})

test('no bytes and no way to end a connection cause a 5xx, and other connections are served', async () => {
  const chance = chanceOf(seed + 1)
  const before = belongings(venue.exchange.state)
  for (let round = 0; round < rawCases / connections; round++) {
    const heard = await Promise.all(
      Array.from({ length: connections }, () =>
        talk(venue.url, chance.percent(30) ? garbage(chance) : chance.oneOf(rawTalks)),
      ),
    )
    for (const text of heard) {
      for (const { status, body } of answersIn(text)) {
        const answer = { status: asInProcess(status), headers: {}, body }
        expect({ text, complaint: complaintAbout(contract.ping, answer) }).toEqual({
          text,
          complaint: undefined,
        })
      }
    }
    await answersAtOnce()
  }
  expect(belongings(venue.exchange.state)).toBe(before)
})

test('pipelined requests are answered one by one, in their order', async () => {
  const ping = 'GET /api/v4/public/ping HTTP/1.1\r\nhost: localhost\r\n\r\n'
  const unknown = ping.replace('ping', 'pong')
  const last = unknown.replace('host:', 'connection: close\r\nhost:')
  const answers = answersIn(await talk(venue.url, [ping + unknown + ping + last], { endMs: Infinity }))
  expect(answers.map(({ status }) => status)).toEqual([200, 404, 200, 404])
})

test('a body of a megabyte is refused by its size, and the connection serves the next call', async () => {
  const { headers } = signedCall('paper', contract.mainBalance, {}, '1')
  const body = Buffer.alloc(1024 * 1024, ' ')
  const { status } = await ask({
    method: 'POST',
    path: contract.mainBalance.path,
    query: '',
    headers,
    body,
    origin: '',
  })
  expect(status).toBe(413)
  await answersAtOnce()
})

test('a slowly sent body is answered when it is complete', async () => {
  nonce += 1
  const { path, headers, body } = signedCall('paper', contract.mainBalance, {}, String(nonce))
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  const head = [
    `POST ${path} HTTP/1.1`,
    'host: localhost',
    'connection: close',
    `content-length: ${body.length}`,
    ...lines,
    '',
    '',
  ].join('\r\n')
  const drops = Array.from(body, (byte) => Buffer.from([byte]))
  const [answer] = answersIn(await talk(venue.url, [head, ...drops], { pauseMs: 1, endMs: Infinity }))
  expect(answer?.status).toBe(200)
})

test('the server stops cleanly with open connections and unfinished bodies', async () => {
  const open = connect(Number(new URL(venue.url).port), '127.0.0.1')
  open.on('error', () => {})
  open.write('POST /api/v4/main-account/balance HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\n\r\n{')
  await answersAtOnce()
  await venue.close()
  open.destroy()
  await expect(fetch(`${venue.url}/api/v4/public/ping`)).rejects.toThrow('fetch failed')
})
