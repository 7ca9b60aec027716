import { futuresEveryMs } from '#src/strategy/schema/futures-times.ts'
import type { NewEvent } from '#src/runtime/loop/driver.ts'
import type { VenueClock } from '#src/runtime/loop/venue-clock.ts'
import type { MarketReads } from '#src/venue/port.ts'

/** Shortest pause between two polls by local time, which a fast embedded exchange would pass. */
const pauseMs = 1000

/**
 * Emits what the venue lists about some futures markets. One call lists all of them, so the list is large: it is read at each
 * multiple of an interval of the venue's time, and never faster than a pause of local time.
 */
export class FuturesPolls {
  readonly #markets: readonly string[]
  readonly #market: Pick<MarketReads, 'futures'>
  readonly #venueClock: Pick<VenueClock, 'now'>
  readonly #tell: (event: NewEvent) => void
  /** The number of the interval that was read last, and the pending read. */
  #readOf = -Infinity
  #reading: symbol | undefined
  #notBefore = -Infinity
  /** Error of the last read, to log it once. */
  #failure: string | undefined

  constructor(
    markets: readonly string[],
    about: {
      market: Pick<MarketReads, 'futures'>
      venueClock: Pick<VenueClock, 'now'>
      tell: (event: NewEvent) => void
    },
  ) {
    this.#markets = markets
    this.#market = about.market
    this.#venueClock = about.venueClock
    this.#tell = about.tell
  }

  /** Reads the list if that is due. Returns an error to log, unless the last read had the same one. */
  async poll(monotonic: number): Promise<string | undefined> {
    const interval = Math.floor(this.#venueClock.now() / futuresEveryMs)
    const isDue = interval > this.#readOf && monotonic >= this.#notBefore
    if (this.#markets.length === 0 || this.#reading !== undefined || !isDue) return undefined
    const reading = Symbol('reading')
    this.#reading = reading
    this.#notBefore = monotonic + pauseMs
    const answer = await this.#market.futures()
    // Dropped: the answer may be as old as the pause of the process.
    if (this.#reading !== reading) return undefined
    this.#reading = undefined
    if (answer.kind === 'read') this.#readOf = interval
    const failure = answer.kind === 'read' ? this.#take(answer.value) : reasonOf(answer)
    const isKnown = failure === this.#failure
    this.#failure = failure
    return isKnown ? undefined : failure
  }

  /** Drops a pending read after a pause of the process. */
  forget(): void {
    this.#reading = undefined
    this.#readOf = this.#notBefore = -Infinity
  }

  #take(listed: Extract<Answer, { kind: 'read' }>['value']): string | undefined {
    const missing: string[] = []
    for (const market of this.#markets) {
      const values = listed.get(market)
      if (values) this.#tell({ kind: 'futures', market, ...values })
      else missing.push(market)
    }
    return missing.length > 0 ? `the venue lists no futures of ${missing.join(', ')}` : undefined
  }
}

type Answer = Awaited<ReturnType<MarketReads['futures']>>

function reasonOf(answer: Exclude<Answer, { kind: 'read' }>): string {
  const reason = 'reason' in answer ? answer.reason : 'it changed while it was read'
  return `the list of futures was not received: ${reason}`
}
