import { candleIntervals, type CandleInterval } from '#src/market/candles/candle-intervals.ts'
import type { NewEvent } from '#src/runtime/loop/driver.ts'
import type { VenueClock } from '#src/runtime/loop/venue-clock.ts'
import type { MarketReads } from '#src/venue/port.ts'

export type CandlesWanted = {
  market: string
  interval: CandleInterval
  /** Number of past candles, as far as the venue has them. */
  count: number
  /** Open time of the last known candle; null without one. */
  after: number | null
}

type CandleFeedParts = {
  market: Pick<MarketReads, 'candles'>
  venueClock: VenueClock
  tell: (event: NewEvent) => void
}

/** Pause after a failed read. */
const pauseMs = 1000

/**
 * Emits the closed candles of one market without gaps. They are read after each close by the venue's clock, because a stream
 * can lose the last update of a candle.
 */
export class CandleFeed {
  readonly wanted: CandlesWanted
  readonly #intervalMs: number
  readonly #parts: CandleFeedParts
  #last: number | null
  #reading = false
  /** Error of the last read, to log it once. */
  #failure: string | undefined
  #notBefore = -Infinity

  constructor(wanted: CandlesWanted, parts: CandleFeedParts) {
    this.wanted = wanted
    this.#intervalMs = candleIntervals[wanted.interval]
    this.#parts = parts
    this.#last = wanted.after
  }

  /** Reads a new candle if one is due. Returns an error to log, unless the last read had the same one. */
  async poll(monotonic: number): Promise<string | undefined> {
    const closesAt = this.#last === null ? -Infinity : this.#last + 2 * this.#intervalMs
    if (this.#reading || monotonic < this.#notBefore || this.#parts.venueClock.now() < closesAt)
      return undefined
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
      const now = this.#parts.venueClock.now()
      const before = this.#last
      const oldest = now - count * this.#intervalMs
      const from = this.#last === null ? oldest : Math.max(this.#last + this.#intervalMs, oldest)
      const answer = await this.#parts.market.candles({ market, interval, from, until: now })
      if (answer.kind === 'moved') continue
      if (answer.kind !== 'read') return answer.reason
      for (const candle of answer.value.candles) {
        const { opened } = candle
        // The last candle is still open.
        if (opened + this.#intervalMs > now || (this.#last !== null && opened <= this.#last)) continue
        this.#last = opened
        this.#parts.tell({ kind: 'candle', market, interval, ...candle })
      }
      if (!answer.value.isFull) return undefined
      // A full page without a new candle would repeat forever.
      if (this.#last === before) return 'the venue sent other candles than requested'
    }
  }
}
