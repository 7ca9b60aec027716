import { firstIndex } from '#src/core/objects/first-index.ts'
import type { FuturesValues } from '#src/engine/futures-event.ts'
import type { Funding, HistoricalListing, ListedFutures } from '#src/market/data/historical-market.ts'
import type { NewEvent } from '#src/runtime/loop/driver.ts'
import { futuresEveryMs } from '#src/strategy/schema/poll-times.ts'
import type { PolledInput } from './loop-parts.ts'
import type { MarketCursor } from './market-cursor.ts'
import { RowPolls } from './row-polls.ts'

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
  /** A file of what the venue listed: only its rows are found, and what they lack is as without it. */
  listing: HistoricalListing | undefined
}

type Told = { at: number; units: number; values: FuturesValues }
/** `polledAt`: the last poll that found something, by which the age of the values counts. */
type Watched = FuturesMarket & {
  told: Told | undefined
  polledAt: number
  rows: RowPolls<ListedFutures> | undefined
}

const none: NewEvent[] = []

/**
 * The list of futures of a backtest, as polls at each multiple of an interval find it. A poll that finds the same values again
 * only makes them young; of a file, each poll finds the last row since the poll before it, and between rows the values become
 * stale. In a gap of the market file no poll succeeds. `polled` receives the time of the last poll of a market.
 */
export class HistoricalFutures implements PolledInput {
  readonly #markets: Watched[]
  readonly #polled: (symbol: string, at: number) => void
  #isFirst = true

  constructor(markets: readonly FuturesMarket[], polled: (symbol: string, at: number) => void) {
    this.#markets = markets.map((market) => ({
      ...market,
      told: undefined,
      polledAt: -Infinity,
      rows: market.listing && new RowPolls(market.listing.rows.values(), futuresEveryMs),
    }))
    this.#polled = polled
  }

  get ages(): boolean {
    return this.#markets.some(({ rows }) => rows)
  }

  /** The next poll that finds other values. */
  nextAt(now: number): number {
    let at = Infinity
    for (const { place, isPriced, rates, told, rows } of this.#markets) {
      const { course } = place
      // The end of a gap is a moment of its own.
      if (course.isSilent) continue
      if (rows) {
        at = Math.min(at, rows.nextAt)
        continue
      }
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
  take(at: number, silent: readonly Pick<Place, 'symbol'>[]): NewEvent[] {
    if (this.#markets.length === 0) return none
    const isPoll = this.#isFirst || at % futuresEveryMs === 0
    this.#isFirst = false
    const events: NewEvent[] = []
    for (const market of this.#markets) {
      if (market.rows) {
        const row = market.rows.take(at)
        const isSilent = silent.some(({ symbol }) => symbol === market.place.symbol)
        if (row && !isSilent) events.push(listed(market, row, at))
        continue
      }
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

  /** The rows of the file of a market, of which polls found some. */
  rowsOf(wanted: string): RowPolls<ListedFutures> | undefined {
    return this.#markets.find(({ place }) => place.symbol === wanted)?.rows
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

function listed({ place, rates, mark }: Watched, row: ListedFutures, at: number): NewEvent {
  const own = fundingAt(rates, at)
  const price = mark()
  return {
    kind: 'futures',
    market: place.symbol,
    funding: row.funding ?? own.funding,
    fundingAt: row.fundingAt ?? own.fundingAt,
    mark: row.mark ?? price,
    index: row.index ?? price,
    openInterest: row.openInterest ?? null,
  }
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
