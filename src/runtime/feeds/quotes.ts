import type { NewEvent } from '#src/runtime/loop/driver.ts'
import type { VenueClock } from '#src/runtime/loop/venue-clock.ts'
import type { Clock } from '#src/core/time/clock.ts'
import type { MarketReads, VenueQuote, StreamedEvent } from '#src/venue/port.ts'

/** A price with a longer delay (in local time) is stale. */
const lateMs = 5000
/** Interval of polls for prices without a stream. */
const readEveryMs = 1000
/** A beat repeats prices if the last frame is no older: beats are a second apart, and a beat can be late. */
const frameMsMax = 1500

type QuotesParts = {
  market: Pick<MarketReads, 'quote'>
  clock: Pick<Clock, 'monotonic'>
  venueClock: VenueClock
  tell: (event: NewEvent) => void
}

/**
 * The best prices of some markets: from the stream while it is connected, else by reads. A stream sends only changes, so each
 * beat repeats the unchanged prices if the stream has sent anything since the last beat. A silent stream proves nothing: its
 * prices age.
 */
export class Quotes {
  readonly #markets: readonly string[]
  readonly #parts: QuotesParts
  readonly #known = new Map<string, VenueQuote>()
  /** Markets that are being polled, with the fields that the stream has updated since. `isOld`: polled before a gap. */
  readonly #reading = new Map<string, { sides: boolean; last: boolean; isOld: boolean }>()
  #connected = false
  /** When the stream sent its last frame. */
  #heardAt = -Infinity
  #readAt = -Infinity

  constructor(markets: readonly string[], parts: QuotesParts) {
    this.#markets = markets
    this.#parts = parts
  }

  take(event: StreamedEvent): void {
    if (event.kind !== 'disconnected') this.#heardAt = this.#parts.clock.monotonic()
    switch (event.kind) {
      case 'connected':
        this.#connected = true
        // Known prices may be as old as the gap.
        for (const market of this.#known.keys()) this.#doubt(market)
        this.#readAll()
        break
      case 'disconnected':
        this.#connected = false
        break
      case 'gap':
        if (!event.isPrices) break
        for (const reading of this.#reading.values()) reading.isOld = true
        this.#readAll()
        break
      case 'sides': {
        const { market, at, bid, ask } = event
        const late = this.#parts.venueClock.now() - at
        this.#parts.venueClock.heard(at)
        // A late stream does not confirm the last price.
        if (late > lateMs * this.#parts.venueClock.speed) {
          this.#doubt(market)
          break
        }
        const reading = this.#reading.get(market)
        if (reading) reading.sides = true
        this.#know(market, { bid, ask })
        break
      }
      case 'last': {
        const { market, last } = event
        // Without known sides the quote would look empty: a poll is pending.
        if (!this.#known.has(market)) break
        const reading = this.#reading.get(market)
        if (reading) reading.last = true
        this.#know(market, { last })
        break
      }
      default:
    }
  }

  /** Called with each tick: repeats the prices that the stream confirms, and polls the others. */
  tick(monotonic: number): void {
    if (this.#connected && monotonic - this.#heardAt <= frameMsMax)
      for (const [market, quote] of this.#known) this.#parts.tell({ kind: 'quote', market, ...quote })
    if (monotonic - this.#readAt < readEveryMs) return
    this.#readAt = monotonic
    for (const market of this.#markets)
      if (!this.#connected || !this.#known.has(market)) void this.#read(market)
  }

  forget(): void {
    for (const market of this.#known.keys()) this.#know(market, { bid: null, ask: null, last: null })
    this.#known.clear()
    // Pending polls are as old as the dropped prices.
    this.#reading.clear()
    this.#readAt = -Infinity
  }

  /** Drops the price of a market, and lets the pending poll count again. */
  #doubt(market: string): void {
    this.#known.delete(market)
    const reading = this.#reading.get(market)
    if (reading) reading.sides = reading.last = false
  }

  #readAll(): void {
    for (const market of this.#markets) void this.#read(market)
  }

  async #read(market: string): Promise<void> {
    if (this.#reading.has(market)) return
    const told = { sides: false, last: false, isOld: false }
    this.#reading.set(market, told)
    const answer = await this.#parts.market.quote(market)
    if (this.#reading.get(market) !== told) return
    this.#reading.delete(market)
    if (told.isOld) return this.#read(market)
    if (answer.kind !== 'read') return
    const { bid, ask, last } = answer.value
    this.#know(market, {
      ...(!told.sides && { bid, ask }),
      ...(!told.last && { last }),
    })
  }

  #know(market: string, part: Partial<VenueQuote>): void {
    let quote = this.#known.get(market)
    if (!quote) this.#known.set(market, (quote = { bid: null, ask: null, last: null }))
    if (part.bid !== undefined) quote.bid = part.bid
    if (part.ask !== undefined) quote.ask = part.ask
    if (part.last !== undefined) quote.last = part.last
    const { bid, ask, last } = quote
    this.#parts.tell({ kind: 'quote', market, bid, ask, last })
  }
}
