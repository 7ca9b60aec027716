import { firstIndex } from '#src/core/objects/first-index.ts'
import type { FuturesValues } from '#src/engine/futures-event.ts'
import type { Funding } from '#src/market/data/historical-market.ts'
import type { NewEvent } from '#src/runtime/loop/driver.ts'
import { futuresEveryMs } from '#src/strategy/schema/poll-times.ts'
import type { MarketCursor } from './market-cursor.ts'

type Place = { symbol: string; course: MarketCursor }

/** A market of which a strategy reads what the venue lists about futures. */
export type FuturesMarket = {
  place: Place
  /** Whether expressions read the mark or the index price: then each change of it counts. */
  isPriced: boolean
  /** Empty without a file of funding rates. */
  rates: Funding['rates']
  /** The mark price of the exchange. */
  mark: () => number
}

type Told = { at: number; units: number; values: FuturesValues }
/** `polledAt`: the last poll that found something, by which the age of the values counts. */
type Watched = FuturesMarket & { told: Told | undefined; polledAt: number }

const none: NewEvent[] = []

/**
 * The list of futures of a backtest, as polls at each multiple of an interval find it. A poll that finds the same values again
 * only makes them young. In a gap of the file no poll succeeds. `polled` receives the time of the last poll of a market.
 */
export class HistoricalFutures {
  readonly #markets: Watched[]
  readonly #polled: (symbol: string, at: number) => void
  #isFirst = true

  constructor(markets: readonly FuturesMarket[], polled: (symbol: string, at: number) => void) {
    this.#markets = markets.map((market) => ({ ...market, told: undefined, polledAt: -Infinity }))
    this.#polled = polled
  }

  /** The next poll that finds other values. */
  nextAt(now: number): number {
    let at = Infinity
    for (const { place, isPriced, rates, told } of this.#markets) {
      const { course } = place
      // The end of a gap is a moment of its own.
      if (course.isSilent) continue
      if (!told) {
        at = Math.min(at, pollFrom(now + 1))
        continue
      }
      const { units } = told
      let changesAt = fundingChangesAt(rates, told.at)
      if (isPriced)
        changesAt = Math.min(
          changesAt,
          course.units === units ? course.leavesAt(units - 0.5, units + 0.5) : now,
        )
      at = Math.min(at, pollFrom(Math.max(changesAt, now + 1)))
    }
    return at
  }

  /**
   * Returns what the polls up to this moment find, if it differs from what was found before. All points up to it have passed;
   * `silent` are the markets that had a gap before it.
   */
  take(at: number, silent: readonly Place[]): NewEvent[] {
    if (this.#markets.length === 0) return none
    const isPoll = this.#isFirst || at % futuresEveryMs === 0
    this.#isFirst = false
    const events: NewEvent[] = []
    for (const market of this.#markets) {
      // The first poll after the gap finds new values, whatever they are.
      if (silent.some(({ symbol }) => symbol === market.place.symbol)) market.told = undefined
      else if (market.place.course.units > 0) {
        this.#grow(market, at)
        const event = isPoll ? found(market, at) : undefined
        if (event) events.push(event)
      }
    }
    return events
  }

  /** The values are as old as the last poll. */
  #grow(market: Watched, at: number): void {
    const polledAt = at - (at % futuresEveryMs)
    if (!market.told || polledAt <= market.polledAt) return
    market.polledAt = polledAt
    this.#polled(market.place.symbol, polledAt)
  }
}

function found(market: Watched, at: number): NewEvent | undefined {
  const { place, isPriced, rates, told, mark } = market
  const price = mark()
  const values = { ...fundingAt(rates, at), mark: price, index: price, openInterest: null }
  const isSame = told !== undefined && !differ(told.values, values, isPriced)
  market.told = { at, units: place.course.units, values: isSame ? told.values : values }
  market.polledAt = at
  return isSame ? undefined : { kind: 'futures', market: place.symbol, ...values }
}

function differ(one: FuturesValues, other: FuturesValues, isPriced: boolean): boolean {
  return (
    one.funding !== other.funding ||
    one.fundingAt !== other.fundingAt ||
    (isPriced && one.mark !== other.mark)
  )
}

function pollFrom(moment: number): number {
  return Math.ceil(moment / futuresEveryMs) * futuresEveryMs
}

/** Rates are whole numbers of 10^-8. */
const unit = 1e8

/** The next payment, and its rate from the time on at which the file says that it was calculated. */
function fundingAt(rates: Funding['rates'], at: number): Pick<FuturesValues, 'funding' | 'fundingAt'> {
  const next = rates[nextOf(rates, at)]
  if (!next) return { funding: null, fundingAt: null }
  const isKnown = next.calculatedAt !== undefined && next.calculatedAt <= at
  return { funding: isKnown ? next.rate / unit : null, fundingAt: next.at }
}

/** When the next payment comes or its rate becomes known. */
function fundingChangesAt(rates: Funding['rates'], at: number): number {
  const next = rates[nextOf(rates, at)]
  if (!next) return Infinity
  const { calculatedAt = Infinity } = next
  return calculatedAt > at ? Math.min(calculatedAt, next.at) : next.at
}

function nextOf(rates: Funding['rates'], at: number): number {
  return firstIndex(0, rates.length, (index) => rates[index]!.at > at)
}
