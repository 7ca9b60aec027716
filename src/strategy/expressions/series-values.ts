import type { Candle } from '#src/market/candles/candle.ts'
import { UnknownValue, type FeedInput } from './context-objects.ts'

/** The names of a strategy at one moment: now, or at an earlier close. */
export type Moment = {
  context: Readonly<Record<string, unknown>>
  /** The number of candles of this feed that have closed since this moment. */
  ago(feed: FeedInput): number
  /** The moment that is so many candles earlier; the shortest of these feeds counts. */
  before(feeds: readonly FeedInput[], candles: () => number): Moment
  /** Clears the cached values of `let`. */
  forget(): void
}

/** When the newest candle of a feed closed. */
export function closedAt({ opened, intervalMs }: FeedInput): number {
  return opened + intervalMs
}

/**
 * The values that an expression had at the last closes. They follow from the candles in the state, so they are not stored: while
 * one candle follows the other only the newest value is computed, and otherwise all of them.
 */
export class SeriesValues {
  readonly #moment: Moment
  readonly #feeds: readonly FeedInput[]
  readonly #run: (context: Moment['context']) => unknown
  readonly #count: number
  readonly #stepMs: number
  #values: number[] = []
  /** When the newest of these values was; NaN if they cannot be continued. */
  #newest = NaN
  #candles: readonly (Candle | null)[] = []
  #readings: readonly unknown[] = []
  #earlier: Moment
  #back = 0

  /** `moment` is the one of the newest value. */
  constructor(
    moment: Moment,
    feeds: readonly FeedInput[],
    run: (context: Moment['context']) => unknown,
    count: number,
  ) {
    this.#moment = moment
    this.#feeds = feeds
    this.#run = run
    this.#count = count
    this.#stepMs = Math.min(...feeds.map(({ intervalMs }) => intervalMs))
    this.#earlier = this.#begin()
  }

  /** Oldest first, NaN where it was unknown; empty while a feed is stale. */
  read(): readonly number[] {
    const closes = this.#feeds.map((feed) => closedAt(feed) - this.#moment.ago(feed) * feed.intervalMs)
    const newest = Math.max(...closes)
    const readings = this.#feeds.map((feed) => feed.readings)
    const candles = readings.map((each) => each?.now ?? null)
    if (candles.includes(null)) return []
    const isSame = areEqual(readings, this.#readings)
    if (isSame && newest === this.#newest && areEqual(candles, this.#candles)) return this.#values
    if (isSame && newest === this.#newest + this.#stepMs) {
      this.#values.push(this.#valueAt(0))
      if (this.#values.length > this.#count) this.#values.shift()
    } else {
      this.#earlier = this.#begin()
      this.#values = Array.from({ length: this.#count }, (_, index) => this.#valueAt(this.#count - 1 - index))
    }
    // A candle of another feed that closes at the same time can be missing.
    const isComplete = closes.every((close, index) => close + this.#feeds[index]!.intervalMs > newest)
    this.#newest = isComplete ? newest : NaN
    this.#candles = candles
    this.#readings = readings
    return this.#values
  }

  #begin(): Moment {
    return this.#moment.before(this.#feeds, () => this.#back)
  }

  #valueAt(back: number): number {
    this.#back = back
    this.#earlier.forget()
    try {
      const value = Number(this.#run(this.#earlier.context))
      return Number.isFinite(value) ? value : NaN
    } catch (error) {
      if (error instanceof UnknownValue) return NaN
      throw error
    }
  }
}

function areEqual(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.length === other.length && one.every((each, index) => each === other[index])
}
