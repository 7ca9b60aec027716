import { afterEach, beforeEach, expect, test } from 'vitest'
import type { NewEvent } from '#src/runtime/loop/driver.ts'
import { Quotes } from '#src/runtime/feeds/quotes.ts'
import { VenueClock } from '#src/runtime/loop/venue-clock.ts'
import { beginsAtMs, openVenue, type TestVenue } from '#test/support/venue.ts'
import { adapterOf } from '#test/support/adapter.ts'

const market = 'BTC_PERP'

let venue: TestVenue
beforeEach(async () => {
  venue = await openVenue('socket', { profile: 'full' })
  const rest = { market, amount: '0.01' } as const
  await venue.rival.collateralBulk({ orders: [{ ...rest, side: 'buy', price: '50000' }] })
  await venue.rival.collateralBulk({ orders: [{ ...rest, side: 'sell', price: '50100' }] })
})
afterEach(() => venue.close())

/** Quotes whose first read has been answered by the venue, and the answer is still on its way until it is let through. */
async function withOneOnItsWay() {
  const told: NewEvent[] = []
  const { promise: through, resolve: letThrough } = Promise.withResolvers<void>()
  const answered = Promise.withResolvers<void>()
  const quotes = new Quotes([market], {
    clock: venue.clock,
    market: {
      async quote(name) {
        const answer = await adapterOf(venue.paper).market.quote(name)
        answered.resolve()
        await through
        return answer
      },
    },
    venueClock: new VenueClock(venue.clock, 1, beginsAtMs),
    tell: (event) => void told.push(event),
  })
  quotes.take({ kind: 'connected', url: '' })
  await answered.promise
  return {
    quotes,
    told,
    letThrough: async () => {
      letThrough()
      await new Promise((resolve) => setImmediate(resolve))
    },
  }
}

const quote = (bid: number | null, ask: number | null, last: number | null) => {
  return { kind: 'quote', market, bid, ask, last }
}

test('updates of the stream override a pending poll', async () => {
  const { quotes, told, letThrough } = await withOneOnItsWay()
  quotes.take({ kind: 'sides', market, at: beginsAtMs, bid: 50_010, ask: 50_020 })
  quotes.take({ kind: 'last', market, last: 50_015 })
  await letThrough()
  expect(told).toEqual([
    quote(50_010, 50_020, null),
    quote(50_010, 50_020, 50_015),
    quote(50_010, 50_020, 50_015),
  ])
})

test('a poll from before a pause does not count', async () => {
  const { quotes, told, letThrough } = await withOneOnItsWay()
  quotes.forget()
  await letThrough()
  expect(told).toEqual([])
})

test('stream updates from before a pause do not override a poll', async () => {
  const { quotes, told, letThrough } = await withOneOnItsWay()
  quotes.take({ kind: 'sides', market, at: beginsAtMs, bid: 50_010, ask: 50_020 })
  quotes.take({ kind: 'connected', url: '' })
  await letThrough()
  expect(told.at(-1)).toEqual(quote(50_000, 50_100, expect.anything()))
})

test('a poll from before a gap does not count', async () => {
  const { quotes, told, letThrough } = await withOneOnItsWay()
  quotes.take({ kind: 'sides', market, at: beginsAtMs, bid: 50_010, ask: 50_020 })
  await venue.rival.collateralBulk({ orders: [{ market, amount: '0.01', side: 'buy', price: '50005' }] })
  quotes.take({ kind: 'gap', feed: 'bookTicker', isPrices: true, reason: 'a frame does not fit its channel' })
  await letThrough()
  await expect.poll(() => told.at(-1)).toEqual(quote(50_005, 50_100, expect.anything()))
  expect(told).toHaveLength(2)
})

test('a poll adds the fields that the stream has not sent', async () => {
  const { quotes, told, letThrough } = await withOneOnItsWay()
  await letThrough()
  quotes.take({ kind: 'last', market, last: 50_015 })
  expect(told).toEqual([quote(50_000, 50_100, expect.anything()), quote(50_000, 50_100, 50_015)])
})

test('a silent stream confirms no price until a frame arrives', async () => {
  const { quotes, told, letThrough } = await withOneOnItsWay()
  await letThrough()
  quotes.take({ kind: 'sides', market, at: beginsAtMs, bid: 50_010, ask: 50_020 })
  const repeated = () => {
    told.length = 0
    quotes.tick(venue.clock.monotonic())
    return told.length
  }
  venue.advance(1000)
  expect(repeated()).toBe(1)
  venue.advance(1000)
  expect(repeated()).toBe(0)
  quotes.take({ kind: 'alive' })
  expect(repeated()).toBe(1)
})
