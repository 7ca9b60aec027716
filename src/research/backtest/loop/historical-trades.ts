import { firstIndex } from '#src/core/objects/first-index.ts'
import type { SecondOfTrades, TradesRow } from '#src/engine/trades-event.ts'
import { tradeSides, type HistoricalMarket, type PointBlock } from '#src/market/data/historical-market.ts'
import { tradeGapMs } from '#src/market/data/points.ts'
import type { NewEvent } from '#src/runtime/loop/driver.ts'
import { tradesEveryMs } from '#src/strategy/schema/poll-times.ts'
import { exactText } from './exact-text.ts'
import type { PolledInput } from './loop-parts.ts'
import type { MarketCursor } from './market-cursor.ts'

type Place = { symbol: string; course: Pick<MarketCursor, 'isSilent'> }

/** A market with a file of trades of which strategies read these spans, and perhaps the volume at prices. */
export type TradesMarket = {
  place: Place
  market: Pick<HistoricalMarket, 'blocks' | 'beginsAt' | 'barMs' | 'seen'>
  spans: readonly number[]
  byPrice: boolean
}

const none: NewEvent[] = []

/**
 * The trades of a backtest, as polls at each second find them. A poll is an event if a trade has come, if a window loses a
 * second with trades, or if a window is complete for the first time; any other poll only makes the values young. In a gap of
 * the file no poll succeeds.
 */
export class HistoricalTrades implements PolledInput {
  readonly ages = false
  readonly #markets: MarketTrades[]
  readonly #polled: (symbol: string, at: number) => void

  constructor(markets: readonly TradesMarket[], polled: (symbol: string, at: number) => void) {
    this.#markets = markets.map((market) => new MarketTrades(market))
    this.#polled = polled
  }

  /** The next poll that is an event. */
  nextAt(now: number): number {
    let at = Infinity
    for (const market of this.#markets) at = Math.min(at, market.nextAt(now))
    return at
  }

  /** All points up to this moment have passed; `silent` are the markets that had a gap before it. */
  take(at: number, silent: readonly Pick<Place, 'symbol'>[]): NewEvent[] {
    if (this.#markets.length === 0) return none
    const events: NewEvent[] = []
    for (const market of this.#markets) {
      const { symbol } = market
      if (silent.some((each) => each.symbol === symbol)) {
        market.lose()
        continue
      }
      const polledAt = at - (at % tradesEveryMs)
      if (market.isKnown) this.#polled(symbol, polledAt)
      const event = polledAt === at ? market.poll(at) : undefined
      if (event) events.push(event)
    }
    return events
  }
}

/** One market: a reader of its file beside the one that moves the price. */
class MarketTrades {
  readonly #market: TradesMarket
  readonly #blocks: Iterator<PointBlock>
  readonly #longestMs: number
  #block: PointBlock | undefined
  #next = 0
  /** The trades are known from here on: the second after the start of the file, or after a gap. */
  #from: number
  #lastAt = Infinity
  /** The end of the last poll that was an event. */
  #until: number | undefined
  /** The seconds with trades that are in a window, oldest first. */
  #seconds: number[] = []
  #isLost = false

  constructor(market: TradesMarket) {
    this.#market = market
    this.#blocks = market.market.blocks()
    this.#longestMs = Math.max(0, ...market.spans)
    this.#from = secondFrom(market.market.beginsAt)
    this.#reachBlock()
  }

  get symbol(): string {
    return this.#market.place.symbol
  }

  get isKnown(): boolean {
    return this.#until !== undefined
  }

  nextAt(now: number): number {
    const { place, spans } = this.#market
    // The end of a gap is a moment of its own.
    if (place.course.isSilent) return Infinity
    const soonest = secondFrom(now + 1)
    if (this.#until === undefined) return soonest
    const next = this.#block?.at[this.#next] ?? Infinity
    let at = secondAfter(next)
    for (const span of spans) at = Math.min(at, this.#changesAt(span, this.#until))
    return Math.max(at, soonest)
  }

  /** When the window is complete, or loses a second with trades. */
  #changesAt(span: number, until: number): number {
    if (until - span < this.#from) return this.#from + span
    const first = this.#seconds[this.#placeOf(until - span)]
    return first === undefined ? Infinity : secondAfter(first) + span
  }

  /** The place of the first second that is not before this one. */
  #placeOf(second: number): number {
    const seconds = this.#seconds
    return firstIndex(0, seconds.length, (index) => seconds[index]! >= second)
  }

  /** A gap: the trades of the file up to the next poll do not count. */
  lose(): void {
    this.#until = undefined
    this.#isLost = true
    this.#seconds = []
  }

  /** What a poll at a whole second finds, if that is an event. */
  poll(at: number): NewEvent | undefined {
    const before = this.#until
    const trades = this.#read(at)
    if (this.#isLost) this.#from = at
    if (before !== undefined) {
      const isMoved = this.#market.spans.some((span) => this.#changesAt(span, before) <= at)
      if (trades.length === 0 && !isMoved) return undefined
    }
    const from = before ?? (this.#isLost ? at : Math.min(at, Math.max(this.#from, at - this.#longestMs)))
    this.#isLost = false
    this.#until = at
    const seconds = trades.filter(({ second }) => second >= from)
    this.#seconds.push(...seconds.map(({ second }) => second))
    this.#seconds.splice(0, this.#placeOf(at - this.#longestMs))
    return { kind: 'trades', market: this.symbol, from, until: at, lastId: null, seconds }
  }

  /** The trades before this moment that were not read yet; before the first poll only those of the longest window. */
  #read(before: number): SecondOfTrades[] {
    const seconds: { second: number; rows: Map<string | null, Sums> }[] = []
    for (let block = this.#block; block; block = this.#block) {
      const time = block.at[this.#next] ?? 0
      if (time >= before) break
      if (this.#until === undefined && time - this.#lastAt > this.#patienceMs) this.#from = secondAfter(time)
      this.#lastAt = time
      const second = time - (time % tradesEveryMs)
      if (second >= before - this.#longestMs) {
        const last = seconds.at(-1)
        const own = last?.second === second ? last : { second, rows: new Map<string | null, Sums>() }
        if (own !== last) seconds.push(own)
        this.#add(own.rows, block)
      }
      this.#next += 1
      if (this.#next === block.count) this.#reachBlock()
    }
    return seconds.map(({ second, rows }) => ({
      second,
      rows: [...rows].map(([price, sums]) => rowOf(price, sums)),
    }))
  }

  #add(rows: Map<string | null, Sums>, block: PointBlock): void {
    const price = this.#market.byPrice ? exactText(BigInt(block.units[this.#next] ?? 0)) : null
    const sums = rows.get(price) ?? { bought: 0n, sold: 0n, unsided: 0n, count: 0 }
    const amount = block.amounts[this.#next] ?? 0
    // Without amounts only the number of trades is read.
    const units = amount === Infinity ? 0n : BigInt(amount)
    const side = block.sides?.[this.#next] ?? tradeSides.unknown
    if (side === tradeSides.bought) sums.bought += units
    else if (side === tradeSides.sold) sums.sold += units
    else sums.unsided += units
    sums.count += 1
    rows.set(price, sums)
  }

  /** A longer time without a trade is a gap, as where the price is read. */
  get #patienceMs(): number {
    const { seen, barMs = tradeGapMs } = this.#market.market
    return seen?.gaps === 0 ? Infinity : barMs
  }

  #reachBlock(): void {
    const { done, value } = this.#blocks.next()
    this.#block = done === true ? undefined : value
    this.#next = 0
  }
}

type Sums = { bought: bigint; sold: bigint; unsided: bigint; count: number }

function rowOf(price: string | null, { bought, sold, unsided, count }: Sums): TradesRow {
  const sides = { bought: exactText(bought), sold: exactText(sold) }
  return { price, ...sides, ...(unsided > 0n && { unsided: exactText(unsided) }), count }
}

function secondFrom(moment: number): number {
  return Math.ceil(moment / tradesEveryMs) * tradesEveryMs
}

/** The first whole second after this moment, which can be Infinity. */
function secondAfter(moment: number): number {
  return secondFrom(Math.floor(moment) + 1)
}
