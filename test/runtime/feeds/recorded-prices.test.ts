import { expect, test } from 'vitest'
import type { NewEvent } from '#src/runtime/loop/driver.ts'
import { recordedFeeds } from '#src/runtime/feeds/recorded-prices.ts'
import { VenueClock } from '#src/runtime/loop/venue-clock.ts'
import { ManualClock } from '#src/core/time/clock.ts'

const market = 'BTC_PERP'
const dayMs = 86_400_000
/** Midnight, UTC. */
const begins = 20_000 * dayMs
const unitsPerOne = 1e9

/** The candles of a day that are told two days later, where a price was written down every so many milliseconds. */
function toldOfDay(everyMs: number, priceAt: (ms: number) => number): NewEvent[] {
  const points = 2 * (dayMs / everyMs)
  const at = Float64Array.from({ length: points }, (_, place) => place * everyMs)
  const recorded = { at, units: at.map((ms) => priceAt(ms) * unitsPerOne) }
  const told: NewEvent[] = []
  const feeds = recordedFeeds(
    {
      candles: [{ market, interval: '1d', count: 1, after: null }],
      quotes: [],
      futures: [],
      depth: [],
      trades: [],
      quoteMsMax: Infinity,
    },
    {
      prices: new Map([[market, recorded]]),
      begins,
      venueClock: new VenueClock(new ManualClock(begins), 1, begins + 2 * dayMs - 1),
      tell: (event) => void told.push(event),
    },
  )
  feeds.tick()
  return told
}

test.each([1000, 250])('a day is one candle, also of a price every %i ms', (everyMs) => {
  const told = toldOfDay(everyMs, (ms) => 100 + Math.abs((ms % dayMs) - dayMs / 4) / dayMs)
  const last = expect.closeTo(100.75, 4)
  const prices = { open: 100.25, high: last, low: 100, close: last }
  expect(told).toEqual([{ kind: 'candle', market, interval: '1d', opened: begins, ...prices, volume: 0 }])
})
