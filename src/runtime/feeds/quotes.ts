import type { NewEvent } from '#src/runtime/loop/driver.ts'
import type { VenueClock } from '#src/runtime/loop/venue-clock.ts'
import type { MarketReads, Quote, StreamedEvent } from '#src/venue/port.ts'

/** A price that was so long on its way (of the machine's time) says nothing of now. */
const lateMs = 5000
/** How often prices are read that no stream tells. */
const readEveryMs = 1000

/**
 * The best prices of some markets: from the stream while it lives, by reads while it does not. What stands unchanged is
 * told again and again as long as somebody vouches for it; when nobody does, it is not, and grows old.
 */
export class Quotes {
  readonly #markets: readonly string[]
  readonly #market: Pick<MarketReads, 'quote'>
  readonly #venueClock: VenueClock
  readonly #tell: (event: NewEvent) => void
  readonly #known = new Map<string, Quote>()
  /**
   * Markets that are being read, with what the stream has told meanwhile: it tells every change, and a read one moment.
   * An old one was asked for before something was missed.
   */
  readonly #reading = new Map<string, { sides: boolean; last: boolean; isOld: boolean }>()
  #connected = false
  #readAt = -Infinity

  constructor(
    markets: readonly string[],
    about: { market: Pick<MarketReads, 'quote'>; venueClock: VenueClock; tell: (event: NewEvent) => void },
  ) {
    this.#markets = markets
    this.#market = about.market
    this.#venueClock = about.venueClock
    this.#tell = about.tell
  }

  take(event: StreamedEvent): void {
    switch (event.kind) {
      case 'connected':
        this.#connected = true
        // What was known before may be as old as the gap was long.
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
        const late = this.#venueClock.now() - at
        this.#venueClock.heard(at)
        // A stream that lags says no more that the last price still stands.
        if (late > lateMs * this.#venueClock.speed) {
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
        // Alone it would say that both sides are empty: as long as they are unknown, a read tells all of it.
        if (!this.#known.has(market)) break
        const reading = this.#reading.get(market)
        if (reading) reading.last = true
        this.#know(market, { last })
        break
      }
      default:
    }
  }

  /** From time to time: what is known is told again, or asked for where the stream is silent. */
  again(monotonic: number): void {
    if (this.#connected)
      for (const [market, quote] of this.#known) this.#tell({ kind: 'quote', market, ...quote })
    if (monotonic - this.#readAt < readEveryMs) return
    this.#readAt = monotonic
    for (const market of this.#markets)
      if (!this.#connected || !this.#known.has(market)) void this.#read(market)
  }

  forget(): void {
    for (const market of this.#known.keys()) this.#know(market, { bid: null, ask: null, last: null })
    this.#known.clear()
    // What is on its way is of the same time as what was known.
    this.#reading.clear()
    this.#readAt = -Infinity
  }

  /** Nobody vouches for it any more. What is being read counts again. */
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
    const answer = await this.#market.quote(market)
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

  #know(market: string, part: Partial<Quote>): void {
    let quote = this.#known.get(market)
    if (!quote) this.#known.set(market, (quote = { bid: null, ask: null, last: null }))
    if (part.bid !== undefined) quote.bid = part.bid
    if (part.ask !== undefined) quote.ask = part.ask
    if (part.last !== undefined) quote.last = part.last
    const { bid, ask, last } = quote
    this.#tell({ kind: 'quote', market, bid, ask, last })
  }
}
