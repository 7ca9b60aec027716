import { afterEach, beforeEach, expect, test } from 'vitest'
import { Stream, type StreamEvent, type StreamOptions } from '#src/venues/whitebit/client/streams/stream.ts'
import { startRelay, type Relay } from '#test/support/relay.ts'
import { openVenue, type TestVenue } from '#test/support/venue.ts'
import { realTime } from '#test/support/real-time.ts'

let venue: TestVenue
let relay: Relay
const streams: Stream[] = []

beforeEach(async () => {
  // These books stand far from where the world's prices begin.
  venue = await openVenue('socket', { profile: 'full', world: { switches: { priceBand: 'none' } } })
  relay = await startRelay(venue.streamUrl)
})
afterEach(async () => {
  await Promise.all(streams.splice(0).map((stream) => stream.close()))
  await relay.close()
  await venue.close()
})

/** A stream over the relay, and what it has told. */
function open(wanted: StreamOptions['wanted'], rest: Partial<StreamOptions> = {}) {
  const told: StreamEvent[] = []
  const waiting = new Set<() => void>()
  const stream = new Stream({
    url: relay.url,
    wanted,
    client: venue.paper,
    clock: venue.clock,
    random: () => 0,
    onEvent(event) {
      told.push(event)
      for (const look of waiting) look()
    },
    ...rest,
  })
  streams.push(stream)
  /** The first event of this kind that nobody has taken, and all before it are gone. */
  function next<Kind extends StreamEvent['kind']>(kind: Kind): Promise<Extract<StreamEvent, { kind: Kind }>> {
    return new Promise((resolve) => {
      const look = () => {
        const place = told.findIndex((event) => event.kind === kind)
        const found = told[place]
        if (!isOf(kind, found)) return
        waiting.delete(look)
        told.splice(0, place + 1)
        resolve(found)
      }
      waiting.add(look)
      look()
    })
  }
  /** Settles once an event of this kind is among those that nobody has taken. */
  function come(kind: StreamEvent['kind']): Promise<void> {
    return new Promise((resolve) => {
      const look = () => {
        if (!told.some((event) => event.kind === kind)) return
        waiting.delete(look)
        resolve()
      }
      waiting.add(look)
      look()
    })
  }
  return { stream, told, next, come }
}

function isOf<Kind extends StreamEvent['kind']>(
  kind: Kind,
  event: StreamEvent | undefined,
): event is Extract<StreamEvent, { kind: Kind }> {
  return event?.kind === kind
}

function order(side: 'buy' | 'sell', price: string, amount: string) {
  return { market: 'SOL_PERP', side, price, amount }
}

const place = (as: 'paper' | 'rival', ...orders: ReturnType<typeof order>[]) =>
  venue[as].collateralBulk({ orders })

/** Turns the clock until something has come of it: what must be answered on the way is. */
async function turnUntil<Result>(wanted: Promise<Result>, ms = 100): Promise<Result> {
  for (;;) {
    venue.advance(ms)
    const moment = realTime(1).then(() => undefined)
    const come = await Promise.race([wanted.then((result) => ({ result })), moment])
    if (come) return come.result
  }
}

const depth = { channel: 'depth', market: 'SOL_PERP' } as const

test('a book follows the venue, level by level', async () => {
  await place('paper', order('buy', '60', '3'))
  const { stream, next } = open([depth])
  const { book } = await next('book')
  await next('connected')
  expect(stream.book('SOL_PERP')).toBe(book)
  expect(book.bids).toMatchObject([{ price: '60', amount: '3' }])
  await place('rival', order('sell', '60', '1'), order('sell', '62', '5'))
  await turnUntil(next('book'))
  expect(book.updateId).toBe(3)
  expect(book.bids).toMatchObject([{ price: '60', amount: '2' }])
  expect(book.asks).toMatchObject([{ price: '62', amount: '5' }])
})

test('a frame that was lost is told as a gap; nothing is known until the whole book has come', async () => {
  await place('paper', order('buy', '60', '3'))
  const { stream, next } = open([depth])
  await next('connected')
  const lost = Promise.withResolvers<void>()
  relay.pass((text) => {
    if (!text.includes('depth_update')) return text
    lost.resolve()
    return undefined
  })
  await place('rival', order('sell', '60', '1'))
  await turnUntil(lost.promise)
  relay.pass()
  await place('rival', order('sell', '60', '1'))
  const gap = await turnUntil(next('gap'))
  expect(gap).toEqual({ kind: 'gap', channel: 'depth', market: 'SOL_PERP', reason: 'a frame is missing' })
  expect(stream.book('SOL_PERP')).toBeUndefined()
  const { book } = await next('book')
  expect(book.bids).toMatchObject([{ price: '60', amount: '1' }])
  expect(relay.taken()).toBe(1)
})

/** Writes something else into changes of the book. */
function changed(from: string, to: string): void {
  relay.pass((text) => (text.includes('[false,') ? text.replace(from, to) : text))
}

test('a book that cannot be true is a gap as well, and so is a frame that fits nothing', async () => {
  await place('paper', order('buy', '60', '3'))
  const { next } = open([depth])
  await next('connected')
  changed('"bids":[["60","2"]]', '"asks":[["59","2"]]')
  await place('rival', order('sell', '60', '1'))
  expect(await turnUntil(next('gap'))).toMatchObject({ reason: 'the best bid is not below the best ask' })
  await next('book')
  changed('["60","1"]', '["60","-1"]')
  await place('rival', order('sell', '60', '1'))
  expect(await turnUntil(next('gap'))).toMatchObject({ reason: 'a frame does not fit its channel' })
  const { book } = await turnUntil(next('book'))
  expect(book.bids).toMatchObject([{ price: '60', amount: '1' }])
})

test('a book of which nothing is heard any more is asked for again', async () => {
  await place('paper', order('buy', '60', '3'))
  const { stream, next } = open([depth])
  await next('connected')
  relay.pass((text) => (text.includes('depth_update') ? undefined : text))
  const gap = await turnUntil(next('gap'), 500)
  expect(gap).toMatchObject({ market: 'SOL_PERP', reason: 'no frames arrive any more' })
  expect(stream.book('SOL_PERP')).toBeUndefined()
  relay.pass()
  await turnUntil(next('book'), 500)
})

test('a line that breaks is told and mended, and every channel is there again', async () => {
  await place('paper', order('buy', '60', '3'))
  const { stream, next } = open([
    depth,
    { channel: 'trades' },
    { channel: 'deals' },
    { channel: 'positionsMargin' },
  ])
  await next('connected')
  relay.cut()
  const { reason, retryMs } = await next('disconnected')
  expect(reason).toBe('The venue closed the connection with code 1006')
  expect(retryMs).toBe(250)
  await place('rival', order('sell', '60', '1'))
  await turnUntil(next('connected'))
  expect(relay.taken()).toBe(2)
  expect(stream.book('SOL_PERP')?.bids).toMatchObject([{ price: '60', amount: '2' }])
  await place('rival', order('sell', '60', '2'))
  const { told } = await next('deals')
  expect(told.slice(4, 6)).toEqual(['60', '2'])
  const { trades } = await next('trades')
  expect(trades).toMatchObject([{ price: '60', amount: '2', type: 'sell' }])
})

test('of a book nothing is known on a new connection until all of it has come', async () => {
  await place('paper', order('buy', '60', '3'))
  const { stream, next } = open([depth])
  await next('connected')
  relay.pass((text) => (text.includes('depth_update') ? undefined : text))
  relay.cut()
  await next('disconnected')
  await turnUntil(next('connected'))
  expect([relay.taken(), stream.book('SOL_PERP')]).toEqual([2, undefined])
})

test('every channel is read as what it is', async () => {
  const wanted: StreamOptions['wanted'] = [
    depth,
    { channel: 'trades' },
    { channel: 'bookTicker' },
    { channel: 'lastprice' },
    { channel: 'market' },
    { channel: 'marketToday' },
    { channel: 'candles', market: 'SOL_PERP', seconds: 60 },
    { channel: 'ordersPending' },
    { channel: 'ordersExecuted' },
    { channel: 'deals' },
    { channel: 'balanceSpot' },
    { channel: 'balanceMargin' },
    { channel: 'positionsMargin' },
  ]
  const { next, come } = open(wanted)
  await next('connected')
  await place('paper', order('buy', '60', '3'), order('buy', '59', '1'))
  await place('rival', order('sell', '60', '3'))
  await venue.paper.transfer({ ticker: 'USDT', amount: '1', from: 'main', to: 'spot' })
  const kinds = wanted.map(({ channel }) => (channel === 'depth' ? 'book' : channel))
  await Promise.all(kinds.map((kind) => turnUntil(come(kind))))
})

test('pauses between attempts grow, and are never the same for all', async () => {
  const { next } = open([depth], { url: relay.url.replace('/ws', '/nothing') })
  await relay.close()
  relay = await startRelay(venue.streamUrl)
  const pauses: number[] = []
  for (let attempt = 0; attempt < 8; attempt++)
    pauses.push((await turnUntil(next('disconnected'), 1000)).retryMs)
  expect(pauses).toEqual([250, 500, 1000, 2000, 4000, 8000, 15_000, 15_000])
})

test('a venue that does not answer is left, and one that answers is asked now and then', async () => {
  const { next, told } = open([{ channel: 'trades' }], { silenceMsMax: 20_000 })
  await next('connected')
  venue.advance(20_000)
  await expect.poll(() => told).toEqual([{ kind: 'alive' }])
  expect(relay.told('pong')).toBe(1)
  relay.pass((text) => (text.includes('pong') ? undefined : text))
  expect((await turnUntil(next('disconnected'), 500)).reason).toBe('No answer for ten seconds')
  relay.pass()
  await turnUntil(next('connected'), 500)
})

test('what is refused ends the connection with the words of the venue', async () => {
  const { next } = open([{ channel: 'trades', markets: ['A_B'] }])
  const { reason } = await next('disconnected')
  expect(reason).toBe('trades_subscribe was refused: market A_B does not exist (9)')
})

test('a venue without streams is told by the status of its answer', async () => {
  const spec = await openVenue('socket')
  const { next } = open([depth], { url: spec.streamUrl })
  expect((await next('disconnected')).reason).toBe('The handshake answered with status 404')
  await spec.close()
})

test('private channels need a client, and get a token of their own for every connection', async () => {
  const wanted = [{ channel: 'ordersPending' }] as const
  expect(() => new Stream({ url: relay.url, wanted, onEvent() {} })).toThrow(/API key/)
  const { next } = open(wanted)
  await next('connected')
  relay.cut()
  await next('disconnected')
  await turnUntil(next('connected'))
  const tokens = venue.exchanged.filter(({ path }) => path.endsWith('websocket_token'))
  expect(tokens).toHaveLength(2)
  await place('paper', order('buy', '60', '3'))
  const { told } = await next('ordersPending')
  expect(told).toMatchObject([1, { market: 'SOL_PERP', price: '60', left: '3' }])
})

function frame(ids: number[]): string {
  const trades = ids.map((id) => ({ id, time: 1, price: '60', amount: '1', type: 'buy', rpi: false }))
  return JSON.stringify({ method: 'trades_update', params: ['SOL_PERP', trades], id: null })
}

test('trades are told once, the oldest first, and trades that cannot be told again are a gap', async () => {
  const { next } = open([{ channel: 'trades', markets: ['SOL_PERP'] }])
  await next('connected')
  let frames = [frame([3, 2, 1]), frame([4, 3]), frame([5])]
  relay.pass((text) => (text.includes('trades_update') ? frames.shift() : text))
  await place('paper', order('buy', '60', '9'))
  const seen: number[][] = []
  for (let round = 0; round < 3; round++) {
    await place('rival', order('sell', '60', '1'))
    seen.push((await next('trades')).trades.map(({ id }) => id))
  }
  expect(seen).toEqual([[1, 2, 3], [4], [5]])
  relay.cut()
  await next('disconnected')
  frames = [frame(Array.from({ length: 100 }, (_, index) => 200 - index))]
  // A subscription begins with the last hundred of them.
  const gap = await turnUntil(next('gap'))
  expect(gap).toMatchObject({ channel: 'trades', market: 'SOL_PERP' })
  expect((await next('trades')).trades).toHaveLength(100)
})
