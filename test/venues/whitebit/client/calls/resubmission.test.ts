import type { ServerResponse } from 'node:http'
import { afterEach, describe, expect, test } from 'vitest'
import { createClient } from '#src/venues/whitebit/client/client.ts'
import { Nonces } from '#src/venues/whitebit/client/calls/nonces.ts'
import { httpTransport } from '#src/venues/whitebit/client/transport/http.ts'
import { gateRefusals } from '#src/venues/whitebit/contract/wire/refusals.ts'
import type { WireRequest } from '#src/venues/whitebit/contract/wire/wire.ts'
import { ManualClock } from '#src/core/time/clock.ts'
import {
  clientOf,
  credentials,
  example,
  json,
  serve,
  settled,
  startMs,
  systemNonces,
  type Place,
} from '#test/venues/whitebit/client/scripted-venue.ts'
import { realTime } from '#test/support/real-time.ts'

const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

const id = '6a2d7c11-90cf-4d1e-8c7e-3b5f0e9d2a64'

function nonceOf(request: WireRequest | undefined): number {
  return Number(JSON.parse(Buffer.from(request?.body ?? []).toString()).nonce)
}

async function placeOf(opening: Promise<Place>): Promise<Place> {
  const place = await opening
  closers.unshift(() => place.close())
  return place
}

async function twoPlaces(home: () => { status: number; body: string }) {
  const answer = (way: typeof home) =>
    placeOf(
      serve((response) => {
        const { status, body } = way()
        response.writeHead(status).end(body)
      }),
    )
  const first = await answer(home)
  const second = await answer(() => example('mainBalance'))
  const client = createClient({
    transport: httpTransport(first.url),
    secondTransport: httpTransport(second.url),
    key: { credentials, nonces: systemNonces() },
    random: () => 0,
  })
  closers.push(() => client.close())
  return { client, first, second }
}

describe('a read', () => {
  test('that the home address leaves unanswered is asked again at the other one', async () => {
    const { client, first, second } = await twoPlaces(() => json(503, 'maintenance'))
    expect((await client.mainBalance()).kind).toBe('answer')
    expect([first.heard.length, second.heard.length]).toEqual([1, 1])
    const nonces = [...first.heard, ...second.heard].map(({ body }) => Number(JSON.parse(body).nonce))
    expect(nonces[1]).toBeGreaterThan(nonces[0] ?? Infinity)
  })

  test('that is refused is not asked again', async () => {
    const { client, first, second } = await twoPlaces(() =>
      json(400, { code: 0, message: 'Validation failed' }),
    )
    expect(await client.mainBalance()).toMatchObject({ kind: 'refused', code: 0 })
    expect([first.heard.length, second.heard.length]).toEqual([1, 0])
  })

  test('gives up after its attempts, or when its budget is spent, with the last reason', async () => {
    let asked = 0
    const { client, clock } = clientOf(() => ((asked += 1), json(502, '')), { random: () => 1 })
    expect(await settled(client.mainBalance(), clock)).toEqual({
      kind: 'unanswered',
      reason: 'The venue answered with status 502',
    })
    expect(asked).toBe(6)
    const began = clock.monotonic()
    const hurried = await settled(client.mainBalance({}, { deadlineMs: 500 }), clock)
    expect(hurried.kind).toBe('unanswered')
    expect(clock.monotonic() - began).toBeLessThanOrEqual(500)
  })

  test('ends with its client, also while it rests before it asks again', async () => {
    let asked = 0
    const { client } = clientOf(() => ((asked += 1), json(502, '')), { random: () => 1 })
    const resting = client.mainBalance()
    await expect.poll(() => asked).toBe(1)
    await client.close()
    // The clock of this client stands still: no rest of it ends by itself.
    expect(await resting).toEqual({ kind: 'unanswered', reason: 'The venue answered with status 502' })
    expect(asked).toBe(1)
  })

  test('whose nonce was taken is asked again at once, with a higher one', async () => {
    const heard: WireRequest[] = []
    const { nonceUsed } = gateRefusals
    const { client, clock } = clientOf((request) => {
      heard.push(request)
      return heard.length === 1 ? json(nonceUsed.status, nonceUsed) : example('mainBalance')
    })
    expect((await client.mainBalance()).kind).toBe('answer')
    expect(clock.monotonic()).toBe(0)
    expect(nonceOf(heard[1])).toBeGreaterThan(nonceOf(heard[0]) + 1)
  })

  test('whose nonces are refused is repeated at once only while they can be raised', async () => {
    const times: number[] = []
    const clock = new ManualClock(startMs)
    const nonces = new Nonces({ clock, mode: 'strict' })
    const { nonceUsed } = gateRefusals
    const { client } = clientOf(() => (times.push(clock.monotonic()), json(nonceUsed.status, nonceUsed)), {
      clock,
      nonces,
      random: () => 1,
    })
    // Each refusal raises them by a second, up to half a minute ahead of the clock.
    while (nonces.leap());
    const read = await settled(client.mainBalance(), clock)
    expect(read.kind).toBe('refused')
    // The first pause is 200 ms, each following one twice as long. In a second a nonce can be raised once.
    expect(times).toEqual([0, 200, 600, 1400, 1400, 3000])
  })

  test('turned away for the rate comes back when the venue said', async () => {
    const times: number[] = []
    const clock = new ManualClock(startMs)
    const { rateLimited } = gateRefusals
    const { client } = clientOf(
      () => {
        times.push(clock.monotonic())
        return times.length === 1 ? json(429, rateLimited, { 'retry-after': '3' }) : example('mainBalance')
      },
      { clock },
    )
    expect((await settled(client.mainBalance(), clock)).kind).toBe('answer')
    expect(times).toEqual([0, 3000])
  })
})

describe('a write', () => {
  test('is never asked again and never leaves the home address', async () => {
    const bodies = [
      json(503, ''),
      json(429, gateRefusals.nonceUsed),
      json(429, gateRefusals.rateLimited),
      json(200, ''),
    ]
    const { client, first, second } = await twoPlaces(() => bodies.shift() ?? json(500, ''))
    const outcomes = [
      await client.fixedClose({ id }),
      await client.fixedClose({ id }),
      await client.fixedClose({ id }),
    ]
    expect(outcomes.map(({ kind }) => kind)).toEqual(['unknown', 'refused', 'refused'])
    expect([first.heard.length, second.heard.length]).toEqual([3, 0])
  })

  test('leaves with the nonces in the order of sending, urgent ones first', async () => {
    const heard: number[] = []
    const place = await placeOf(
      serve((response, { body }) => {
        heard.push(Number(JSON.parse(body).nonce))
        void realTime(2).then(() => response.end(example('fixedClose').body))
      }),
    )
    const client = createClient({
      transport: httpTransport(place.url),
      key: { credentials, nonces: systemNonces() },
    })
    closers.push(() => client.close())
    const calls = Array.from({ length: 20 }, (_, index) =>
      client.fixedClose({ id }, { priority: index % 2 === 0 ? 'account' : 'exits' }),
    )
    await Promise.all(calls)
    expect(heard).toEqual(heard.toSorted((a, b) => a - b))
    expect(new Set(heard).size).toBe(20)
  })

  test.each([
    ['strict nonces waits for the answer of the call before it', 'strict', 1],
    ['a nonce window shares the time with others', 'window', 4],
  ] as const)('with %s', async (_, mode, concurrency) => {
    const open: ServerResponse[] = []
    let most = 0
    // The server waits for so many requests before it answers one: a second request in flight would arrive meanwhile.
    const place = await placeOf(
      serve((response) => {
        open.push(response)
        most = Math.max(most, open.length)
        if (open.length < concurrency) return
        const answerAll = () => open.splice(0).map((each) => each.end(example('fixedClose').body))
        void realTime(20).then(answerAll)
      }),
    )
    const client = createClient({
      transport: httpTransport(place.url, { connections: 4 }),
      key: { credentials, nonces: systemNonces(mode), concurrency },
    })
    closers.push(() => client.close())
    const outcomes = await Promise.all(Array.from({ length: 8 }, () => client.fixedClose({ id })))
    expect(outcomes.every(({ kind }) => kind === 'accepted')).toBe(true)
    expect(most).toBe(concurrency)
  })
})
