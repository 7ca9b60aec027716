import { firstIndex } from '#src/core/objects/first-index.ts'
import { candleStart, nextCandleStart } from '#src/market/candles/candle-times.ts'
import type { CandlesWanted } from './candle-feed.ts'
import type { NewEvent } from '#src/runtime/loop/driver.ts'
import type { Feeds, FeedsWanted } from './feeds.ts'
import type { VenueClock } from '#src/runtime/loop/venue-clock.ts'

/** Prices in 10^-9, with times in milliseconds after the first one. */
export type PriceRows = { at: Float64Array; units: Float64Array }

const unitsPerOne = 1e9

/** Prices from files for a venue without market data, from a given venue time. After the last row there is no price. */
export function recordedFeeds(
  wanted: FeedsWanted,
  about: {
    prices: ReadonlyMap<string, PriceRows>
    begins: number
    venueClock: VenueClock
    tell: (event: NewEvent) => void
  },
): Feeds {
  const { prices, begins, venueClock, tell } = about
  const candles = wanted.candles.flatMap((each) => {
    const recorded = prices.get(each.market)
    return recorded ? [new RecordedCandles(each, recorded, begins)] : []
  })
  function look(): void {
    const now = venueClock.now()
    for (const each of candles) each.emitDue(now, tell)
    for (const market of wanted.quotes) {
      const recorded = prices.get(market)
      const price = recorded && priceAt(recorded, now - begins)
      if (price !== undefined) tell({ kind: 'quote', market, bid: price, ask: price, last: price })
    }
  }
  return { start: async () => look(), tick: look, forget: () => {}, close: async () => {} }
}

class RecordedCandles {
  readonly #wanted: CandlesWanted
  readonly #recorded: PriceRows
  readonly #begins: number
  /** Open time of the next candle. */
  #next: number

  constructor(wanted: CandlesWanted, recorded: PriceRows, begins: number) {
    this.#wanted = wanted
    this.#recorded = recorded
    this.#begins = begins
    const first = candleStart(wanted.interval, begins)
    const { interval, after } = wanted
    this.#next = after === null ? first : Math.max(first, nextCandleStart(interval, after))
  }

  emitDue(now: number, tell: (event: NewEvent) => void): void {
    const { market, interval } = this.#wanted
    const last = this.#begins + (this.#recorded.at.at(-1) ?? 0)
    for (; this.#next <= last; this.#next = nextCandleStart(interval, this.#next)) {
      const end = nextCandleStart(interval, this.#next)
      if (end > now) return
      const from = this.#next - this.#begins
      const before = priceAt(this.#recorded, from - 1)
      const inside = pricesWithin(this.#recorded, from, end - this.#begins)
      const path = inside.length > 0 ? inside : before === undefined ? [] : [before]
      const [open, close] = [path[0], path.at(-1)]
      if (open === undefined || close === undefined) continue
      // Not Math.max: a day can have more prices than a function takes as arguments.
      const high = path.reduce((most, price) => Math.max(most, price), open)
      const low = path.reduce((least, price) => Math.min(least, price), open)
      tell({ kind: 'candle', market, interval, opened: this.#next, open, high, low, close, volume: 0 })
    }
  }
}

/** Undefined before the first point and after the last one. */
function priceAt({ at, units }: PriceRows, moment: number): number | undefined {
  if (moment < 0 || moment > (at.at(-1) ?? -1)) return undefined
  return (units[after(at, moment) - 1] ?? 0) / unitsPerOne
}

function pricesWithin({ at, units }: PriceRows, from: number, until: number): number[] {
  return [...units.subarray(after(at, from - 1), after(at, until - 1))].map((price) => price / unitsPerOne)
}

/** Index of the first point after a time. */
function after(at: Float64Array, moment: number): number {
  return firstIndex(0, at.length, (index) => (at[index] ?? 0) > moment)
}
