import { afterEach, beforeEach, expect, test } from 'vitest'
import { KillSwitches } from '#src/runtime/account/kill-switches.ts'
import type { NewEvent } from '#src/runtime/loop/driver.ts'
import { createClient } from '#src/venues/whitebit/client/client.ts'
import { httpTransport } from '#src/venues/whitebit/client/transport/http.ts'
import { nonceFile } from '#src/venues/whitebit/client/calls/nonce-file.ts'
import { Nonces } from '#src/venues/whitebit/client/calls/nonces.ts'
import { Stream } from '#src/venues/whitebit/client/streams/stream.ts'
import { Secret } from '#src/venues/whitebit/contract/wire/signing.ts'
import { venueFeeds, type Feeds } from '#src/runtime/feeds/feeds.ts'
import { startHeartbeat } from '#src/runtime/loop/heartbeat.ts'
import { Quotes } from '#src/runtime/feeds/quotes.ts'
import { VenueClock } from '#src/runtime/loop/venue-clock.ts'
import { ManualClock } from '#src/core/time/clock.ts'
import { startRelay } from '#test/support/relay.ts'
import { beginsAtMs, openVenue, type TestVenue } from '#test/support/venue.ts'
import { adapterOf } from '#test/support/adapter.ts'

const market = 'BTC_PERP'
const minuteMs = 60_000
const order = { market, side: 'buy', amount: '0.01', price: '50000' } as const

let venue: TestVenue
let venueClock: VenueClock
let told: NewEvent[]
const tell = (event: NewEvent) => void told.push(event)
const onBroken = (error: unknown) => {
  throw error
}

beforeEach(async () => {
  venue = await openVenue('socket', { profile: 'full' })
  venueClock = new VenueClock(venue.clock, 1, beginsAtMs)
  told = []
})
afterEach(() => venue.close())

/** Prices of the venue, with streams at an address. */
const marketAt = (streamUrl: string) => {
  const url = streamUrl.replace('ws', 'http').replace(/\/ws$/, '')
  return adapterOf(venue.paper, { clock: venue.clock, terms: { url } }).market
}

const bids = () => told.flatMap((event) => (event.kind === 'quote' ? [event.bid] : []))

test('the stream gives quotes and hints of our orders, and without it prices are polled', async () => {
  const hints: unknown[] = []
  const said: string[] = []
  const feeds: Feeds = venueFeeds(
    { candles: [], quotes: [market], futures: [], depth: [], trades: [], quoteMsMax: minuteMs },
    {
      market: marketAt(venue.streamUrl),
      clock: venue.clock,
      venueClock,
      tell,
      hasStreams: true,
      onHint: () => void hints.push(1),
      say: ({ type }) => void said.push(type),
    },
  )
  const quote = () => told.findLast((event) => event.kind === 'quote')
  await feeds.start()
  await expect.poll(() => said).toContain('stream-connected')
  await venue.rival.collateralBulk({ orders: [{ ...order, side: 'sell', price: '50010' }, order] })
  await expect.poll(quote).toMatchObject({ bid: 50_000, ask: 50_010, last: 60_000 })
  const before = hints.length
  await venue.paper.collateralBulk({ orders: [{ ...order, price: '50010' }] })
  // The last price is emitted once a second.
  await expect
    .poll(() => {
      venue.advance(1000)
      return quote()
    })
    .toMatchObject({ bid: 50_000, ask: null, last: 50_010 })
  await expect.poll(() => hints.length).toBeGreaterThan(before)
  // While the stream confirms the price, it is repeated.
  told = []
  feeds.tick()
  expect(quote()).toMatchObject({ bid: 50_000, ask: null, last: 50_010 })
  feeds.forget()
  expect(quote()).toMatchObject({ bid: null, ask: null, last: null })
  told = []
  feeds.tick()
  expect(told).toEqual([])
  await feeds.close()
})

test('a price that the stream does not confirm is polled', async () => {
  await venue.rival.collateralBulk({ orders: [order] })
  const quotes = new Quotes([market], {
    market: adapterOf(venue.paper).market,
    clock: venue.clock,
    venueClock,
    tell,
  })
  const stands = (at: number) => quotes.take({ kind: 'sides', market, at, bid: 40_000, ask: 40_001 })
  for (const doubtful of [
    // Prices from before a reconnection are stale.
    () => {
      quotes.take({ kind: 'disconnected', url: '', reason: 'cut' })
      quotes.take({ kind: 'connected', url: '' })
    },
    () => stands(venueClock.now() - 6000),
  ]) {
    quotes.take({ kind: 'connected', url: '' })
    await expect.poll(bids).toContain(50_000)
    stands(venueClock.now())
    doubtful()
    told = []
    venue.advance(1000)
    quotes.tick(venue.clock.monotonic())
    expect(bids()).toEqual([])
    await expect.poll(bids).toEqual([50_000])
  }
})

/** Whose hints and words nobody hears. */
function feedsBy(streamUrl: string | undefined): Feeds {
  return venueFeeds(
    { candles: [], quotes: [market], futures: [], depth: [], trades: [], quoteMsMax: minuteMs },
    {
      market: marketAt(streamUrl ?? ''),
      clock: venue.clock,
      venueClock,
      tell,
      hasStreams: streamUrl !== undefined,
      onHint: () => {},
      say: () => {},
    },
  )
}

test('a late frame does not affect other frames', async () => {
  const relay = await startRelay(venue.streamUrl)
  let wrong = 0
  relay.pass((text) => {
    if (!text.includes('bookTicker_update') || wrong > 0) return text
    wrong += 1
    return text.replace(/"params":\[\[[\d.]+,[\d.]+/, '"params":[[9999999999.5,9999999999.5')
  })
  venueClock.heard(beginsAtMs)
  const feeds = feedsBy(relay.url)
  await feeds.start()
  for (const [level, price] of ['50000', '50001', '50002'].entries()) {
    await venue.rival.collateralBulk({ orders: [{ ...order, price }] })
    await expect
      .poll(() => {
        venue.advance(100)
        return bids().at(-1)
      })
      .toBe(Number(price))
    if (level === 0) await expect.poll(() => wrong).toBe(1)
  }
  expect(venueClock.now()).toBe(venue.clock.now())
  await feeds.close()
  await relay.close()
})

test('without a stream prices are polled once a second', async () => {
  const feeds = feedsBy(undefined)
  await venue.rival.collateralBulk({ orders: [order] })
  await feeds.start()
  await expect.poll(() => told).toMatchObject([{ kind: 'quote', bid: 50_000, ask: null }])
  feeds.tick()
  venue.advance(1000)
  feeds.tick()
  await expect.poll(() => told).toHaveLength(2)
})

test('the kill switch tolerates lost heartbeats, and triggers when they stop', async () => {
  const deadman = new KillSwitches({ venue: adapterOf(venue.paper), venueClock, say: () => {}, onBroken })
  const watched = [{ market, heartbeatMs: 5000 }]
  await venue.paper.collateralBulk({ orders: [order] })
  const resting = async () => {
    const answer = await venue.paper.openOrders({ market })
    return answer.kind === 'answer' ? answer.value.length : -1
  }
  const timers = async () => {
    const answer = await venue.paper.killSwitches({ market })
    return answer.kind === 'answer'
      ? answer.value.map((each) => each.cancellationTime - (each.startTime ?? 0))
      : []
  }
  deadman.refresh(watched)
  await expect.poll(timers).toEqual([20])
  for (let signs = 0; signs < 10; signs++) {
    venue.advance(5000)
    const [before] = venue.exchanged.slice(-1)
    deadman.refresh(watched)
    await expect.poll(() => venue.exchanged.at(-1)).not.toBe(before)
  }
  expect(await resting()).toBe(1)
  venue.advance(21_000)
  expect(await resting()).toBe(0)
})

test('heartbeats respect the maximum timeout of ten minutes', async () => {
  const set: string[] = []
  const deadman = new KillSwitches({
    venue: adapterOf(venue.paper),
    venueClock,
    say: ({ type }) => void set.push(type),
    onBroken,
  })
  for (let minute = 0; minute < 20; minute++) {
    deadman.refresh([{ market, heartbeatMs: 15 * minuteMs }])
    await expect.poll(() => set.length).toBe(1 + Math.floor(minute / 3))
    venue.advance(minuteMs)
  }
})

test.each([
  ['the machine slept, and only the wall clock saw it', (clock: ManualClock) => clock.step(60_000)],
  ['the process was held up', (clock: ManualClock) => clock.advance(60_000)],
])('%s: no tick before the data are current again', async (_, miss) => {
  const clock = new ManualClock(beginsAtMs)
  const heard: string[] = []
  const ending = new AbortController()
  const beating = startHeartbeat({
    clock,
    everyMs: 100,
    signal: ending.signal,
    beat: () => void heard.push('beat'),
    wasAway: async (away) => {
      heard.push(`away ${away}`)
      await clock.sleep(500)
      heard.push('back')
    },
  })
  const turn = async (by: number) => {
    clock.advance(by)
    await new Promise(setImmediate)
  }
  await turn(100)
  miss(clock)
  await turn(100)
  await turn(400)
  await turn(500)
  await turn(100)
  ending.abort()
  await beating
  expect(heard.slice(0, 4)).toEqual(['beat', 'away 60100', 'back', 'beat'])
})

test('a shutdown during the recovery from a pause ends without another tick', async () => {
  const clock = new ManualClock(beginsAtMs)
  const ending = new AbortController()
  let beats = 0
  const beating = startHeartbeat({
    clock,
    everyMs: 100,
    signal: ending.signal,
    beat: () => void (beats += 1),
    wasAway: async () => ending.abort(),
  })
  clock.advance(60_000)
  await beating
  expect(beats).toBe(0)
})

test('without a writable nonce file, the kill switch reports it and the stream has no token', async () => {
  const client = createClient({
    transport: httpTransport(new URL('/', venue.streamUrl.replace('ws', 'http')).origin),
    key: {
      credentials: { key: 'paper-key', secret: new Secret('paper-secret') },
      nonces: new Nonces({
        clock: venue.clock,
        mode: 'strict',
        memory: nonceFile('/there/is/no/such/folder'),
      }),
    },
    clock: venue.clock,
  })
  const broken: unknown[] = []
  const deadman = new KillSwitches({
    venue: adapterOf(client),
    venueClock,
    say: () => {},
    onBroken: (error) => void broken.push(error),
  })
  deadman.refresh([{ market, heartbeatMs: 5000 }])
  await expect.poll(() => broken).toMatchObject([{ code: 'DATA_MOVED' }])
  const reasons: string[] = []
  const stream = new Stream({
    url: venue.streamUrl,
    client,
    clock: venue.clock,
    wanted: [{ channel: 'ordersPending', markets: [market] }],
    onEvent: (event) => void (event.kind === 'disconnected' && reasons.push(event.reason)),
  })
  await expect.poll(() => reasons).toEqual([expect.stringContaining('is gone')])
  await stream.close()
  await client.close()
})
