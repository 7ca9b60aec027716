import { candleIntervals, type CandleInterval } from '#src/market/candles/candle-intervals.ts'
import type { NewEvent } from '#src/runtime/loop/driver.ts'
import type { VenueClock } from '#src/runtime/loop/venue-clock.ts'
import type { MarketReads } from '#src/venue/port.ts'

export type CandlesWanted = {
  market: string
  interval: CandleInterval
  /** How many of the past there should be, as far as the venue has them. */
  count: number
  /** What opened no later is known already; null where nothing is. */
  after: number | null
}

/** How long a read that failed is not tried again. */
const pauseMs = 1000

/**
 * The candles of one market, one after the other and none left out: they are read once the venue's clock says that one
 * has closed. Streams tell of candles while they grow, and may lose the last word; a read cannot.
 */
export class CandleFeed {
  readonly wanted: CandlesWanted
  readonly #intervalMs: number
  readonly #market: Pick<MarketReads, 'candles'>
  readonly #venueClock: VenueClock
  readonly #tell: (event: NewEvent) => void
  #last: number | null
  #reading = false
  /** What the last read came to: told once, since a venue that is down would fill the log. */
  #failure: string | undefined
  #notBefore = -Infinity

  constructor(
    wanted: CandlesWanted,
    about: { market: Pick<MarketReads, 'candles'>; venueClock: VenueClock; tell: (event: NewEvent) => void },
  ) {
    this.wanted = wanted
    this.#intervalMs = candleIntervals[wanted.interval]
    this.#market = about.market
    this.#venueClock = about.venueClock
    this.#tell = about.tell
    this.#last = wanted.after
  }

  /** Looks whether there is a new one. A failure is given for the log, unless the read before failed in the same words. */
  async look(monotonic: number): Promise<string | undefined> {
    const closesAt = this.#last === null ? -Infinity : this.#last + 2 * this.#intervalMs
    if (this.#reading || monotonic < this.#notBefore || this.#venueClock.now() < closesAt) return undefined
    this.#reading = true
    try {
      const failure = await this.#read()
      if (failure !== undefined || this.#last === null) this.#notBefore = monotonic + pauseMs
      const isKnown = failure === this.#failure
      this.#failure = failure
      return isKnown ? undefined : failure
    } finally {
      this.#reading = false
    }
  }

  async #read(): Promise<string | undefined> {
    const { market, interval, count } = this.wanted
    for (;;) {
      const now = this.#venueClock.now()
      const before = this.#last
      const oldest = now - count * this.#intervalMs
      const from = this.#last === null ? oldest : Math.max(this.#last + this.#intervalMs, oldest)
      const answer = await this.#market.candles({ market, interval, from, until: now })
      if (answer.kind === 'moved') continue
      if (answer.kind !== 'read') return answer.reason
      for (const candle of answer.value.candles) {
        const { opened } = candle
        // The last one still grows.
        if (opened + this.#intervalMs > now || (this.#last !== null && opened <= this.#last)) continue
        this.#last = opened
        this.#tell({ kind: 'candle', market, interval, ...candle })
      }
      if (!answer.value.isFull) return undefined
      // A full page without news would be followed by the same one for ever.
      if (this.#last === before) return 'the venue sent other candles than requested'
    }
  }
}
