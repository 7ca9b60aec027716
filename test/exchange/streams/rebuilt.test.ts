import { isDeepStrictEqual } from 'node:util'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { Feed, type StreamRequest } from '#src/venues/whitebit/client/streams/stream-feed.ts'
import type { depthIntervals, depthLimits } from '#src/venues/whitebit/contract/streams/streams.ts'
import { Exchange } from '#src/exchange/exchange.ts'
import type { Reader } from '#src/exchange/streams/channel.ts'
import { Hub } from '#src/exchange/streams/hub.ts'
import { chanceOf } from '#test/fuzz/chance.ts'
import { seed, times } from '#test/properties/runs.ts'
import { beginsAt, worldWith } from '#test/exchange/exchange-fixture.ts'
import { busyBook } from './busy-book.ts'

const market = 'SOL_PERP'
const update = z.object({ method: z.string(), params: z.unknown() })
const depth = z.tuple([z.boolean(), z.object({ update_id: z.int() }), z.string()])

const pairs = z.array(z.tuple([z.string(), z.string()]))
const sides = z.object({ asks: pairs, bids: pairs })
const pair = ({ price, amount }: { price: string; amount: string }) => [price, amount]

type About = {
  limit: (typeof depthLimits)[number]
  interval: (typeof depthIntervals)[number]
  joining: number
}
const readers: About[] = [
  { limit: 1, interval: '0', joining: 1 },
  { limit: 5, interval: '0.1', joining: 10 },
  { limit: 20, interval: '0', joining: 1 },
  { limit: 20, interval: '0', joining: 1 },
  { limit: 100, interval: '0', joining: 1 },
  { limit: 100, interval: '0.00000001', joining: 1 },
]

test('books rebuilt from frames, some of them lost, equal those of the exchange at the same update id', () => {
  const updates = times(8000, 300_000)
  const chance = chanceOf(seed)
  const exchange = new Exchange({
    world: worldWith({ rateLimits: 'off' }),
    seed: 'books',
    begin: beginsAt,
    profile: 'full',
  })
  const busy = busyBook(exchange, market, chance)
  const sinks = new Map<Reader, (text: string) => void>()
  const outbox: { to: Reader[]; text: string }[] = []
  const hub = new Hub(
    exchange.venue,
    (readers, text) => outbox.push({ to: [...readers], text }),
    () => {},
  )
  const deliver = () => {
    for (const { to, text } of outbox.splice(0)) for (const reader of to) sinks.get(reader)?.(text)
  }
  const seen = { compared: 0, lost: 0, gaps: 0, connected: 0 }

  /** A client with lost frames: the feed under test, and the frames sent to it. */
  class Line {
    readonly about: About
    readonly feed: Feed
    #reader: Reader | undefined
    /** Id of the newest sent frame, delivered or lost. */
    sentId = -1
    #unknownSince = 0

    constructor(about: About) {
      this.about = about
      const wanted = { channel: 'depth' as const, market, limit: about.limit, interval: about.interval }
      this.feed = new Feed(
        [wanted],
        (event) => {
          if (event.kind === 'gap') seen.gaps += 1
        },
        (request) => this.#say(request),
      )
    }

    connect(): void {
      if (this.#reader) {
        sinks.delete(this.#reader)
        hub.leave(this.#reader)
      }
      seen.connected += 1
      this.#reader = hub.enter()
      sinks.set(this.#reader, (text) => this.#receive(text))
      for (const request of this.feed.begin()) this.#say(request)
    }

    /** What the client does by itself after a long time without a book. */
    look(): void {
      if (this.feed.book(market) !== undefined) this.#unknownSince = 0
      else if (++this.#unknownSince % 20 === 0) this.feed.silent(market)
    }

    #say(request: StreamRequest): void {
      if (this.#reader) hub.receive(this.#reader, JSON.stringify({ id: 1, ...request }), busy.now())
    }

    #receive(text: string): void {
      const reported = update.safeParse(JSON.parse(text))
      if (!reported.success) return
      this.sentId = depth.parse(reported.data.params)[1].update_id
      if (chance.below(200) === 0) seen.lost += 1
      else this.feed.take(reported.data.method, reported.data.params)
    }
  }

  /** The answer of the public endpoint. */
  function read(limit: number) {
    const path = `/api/v4/public/orderbook/${market}`
    const call = { method: 'GET', path, query: `limit=${limit}`, headers: {}, body: Buffer.of(), origin: '' }
    return sides.parse(JSON.parse(exchange.handle(call, busy.now()).body))
  }

  /** Compares the client's book with the orders, whenever no frame is in flight. */
  function compare({ about: { limit, joining }, feed, sentId }: Line): void {
    const book = feed.book(market)
    if (book === undefined || book.updateId !== sentId) return
    seen.compared += 1
    if (limit === 20) {
      const kept = { asks: book.asks.map(pair), bids: book.bids.map(pair) }
      const answered = read(limit)
      if (!isDeepStrictEqual(kept, answered)) expect(kept).toEqual(answered)
    }
    for (const sells of [true, false]) {
      const kept = sells ? book.asks : book.bids
      const truth = busy.shown(sells, limit, joining).map(([ticks, lots]) => ({
        price: String(ticks / 100),
        amount: String(lots / 10),
      }))
      const reported = kept.map(({ price, amount }) => ({ price, amount }))
      if (!isDeepStrictEqual(reported, truth)) expect(reported).toEqual(truth)
    }
  }

  const lines = readers.map((about) => new Line(about))
  for (const line of lines) line.connect()
  deliver()
  for (let ticks = 1; busy.book.updateId < updates; ticks++) {
    for (let steps = chance.below(20); steps > 0; steps--) busy.step()
    busy.pass(100)
    hub.tick(busy.now())
    hub.flush(busy.now())
    // A repeated request is answered in the same turn, as often as necessary.
    while (outbox.length > 0) deliver()
    for (const line of lines) {
      compare(line)
      line.look()
      if (chance.below(500) === 0) line.connect()
    }
    while (outbox.length > 0) deliver()
  }
  expect(busy.book.updateId).toBeGreaterThanOrEqual(updates)
  // Most comparisons find a known book, and every kind of fault has happened.
  expect(seen.compared).toBeGreaterThan((updates / 10) * 2)
  expect(Math.min(seen.lost, seen.gaps, seen.connected - lines.length)).toBeGreaterThan(updates / 2000)
}, 7_200_000)
