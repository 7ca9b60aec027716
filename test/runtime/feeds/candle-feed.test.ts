import { afterEach, beforeEach, expect, test } from 'vitest'
import { CandleFeed } from '#src/runtime/feeds/candle-feed.ts'
import type { NewEvent } from '#src/runtime/loop/driver.ts'
import { VenueClock } from '#src/runtime/loop/venue-clock.ts'
import { beginsAtMs, openVenue, type TestVenue } from '#test/support/venue.ts'
import { adapterOf } from '#test/support/adapter.ts'
import type { MarketReads } from '#src/venue/port.ts'

const market = 'BTC_PERP'
const minuteMs = 60_000
const order = { market, side: 'buy', amount: '0.01', price: '50000' } as const

let venue: TestVenue
let venueClock: VenueClock
let told: Extract<NewEvent, { kind: 'candle' }>[]

beforeEach(async () => {
  venue = await openVenue('socket', { profile: 'full' })
  venueClock = new VenueClock(venue.clock, 1, beginsAtMs)
  told = []
})
afterEach(() => venue.close())

/** A trade at this price, and then so much time. */
async function trade(price: string, thenMs: number): Promise<void> {
  await venue.rival.collateralBulk({ orders: [{ ...order, side: 'sell', price }] })
  await venue.paper.collateralBulk({ orders: [{ ...order, price, ioc: true }] })
  venue.advance(thenMs)
}

const opens = () => told.map(({ opened }) => opened)
const closes = () => told.map(({ close }) => close)
const feedOf = (
  count: number,
  after: number | null = null,
  reads: Pick<MarketReads, 'candles'> = adapterOf(venue.paper).market,
) =>
  new CandleFeed(
    { market, interval: '1m', count, after },
    {
      market: reads,
      venueClock,
      tell: (event) => {
        if (event.kind === 'candle') told.push(event)
      },
    },
  )

test('each closed candle is emitted once, also without trades', async () => {
  const feed = feedOf(10)
  await trade('50000', 10)
  await feed.poll(venue.clock.monotonic())
  expect(told).toEqual([])
  venue.advance(3 * minuteMs)
  await trade('50100', minuteMs)
  await feed.poll(venue.clock.monotonic())
  await feed.poll(venue.clock.monotonic())
  expect(closes()).toEqual([50_000, 50_000, 50_000, 50_100])
  expect(opens().map((each) => each - (opens()[0] ?? 0))).toEqual([0, 1, 2, 3].map((each) => each * minuteMs))
})

test('a gap in the known candles is filled, over any number of pages', async () => {
  await trade('50000', 1500 * minuteMs)
  await trade('50100', minuteMs)
  const first = Math.floor(beginsAtMs / minuteMs) * minuteMs
  await feedOf(5000, first).poll(0)
  expect(opens()).toEqual(Array.from({ length: 1500 }, (_, minute) => first + (minute + 1) * minuteMs))
  expect(closes().at(-1)).toBe(50_100)
})

test('a venue that sends other candles than requested causes no endless loop', async () => {
  await trade('50000', 2000 * minuteMs)
  let asked = 0
  const feed = feedOf(
    10,
    null,
    adapterOf({
      ...venue.paper,
      kline({ market, interval, limit }) {
        asked += 1
        if (asked > 5) throw new Error('it is asked for ever')
        return venue.paper.kline({ market, interval, limit })
      },
    }).market,
  )
  expect(await feed.poll(0)).toBe('the venue sent other candles than requested')
  expect(asked).toBe(2)
  expect(opens().at(-1)).toBe(Math.floor(venueClock.now() / minuteMs - 1) * minuteMs)
})

test('only the required past candles are read', async () => {
  await trade('50000', 100 * minuteMs)
  await feedOf(5).poll(0)
  expect(opens()).toHaveLength(5)
})
