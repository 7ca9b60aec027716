import type { CandlesWanted } from '#src/runtime/feeds/candle-feed.ts'
import type { NewEvent } from '#src/runtime/loop/driver.ts'
import { addLater, mapPrices, type Candle } from '#src/market/candles/candle.ts'
import { candleIntervals } from '#src/market/candles/candle-intervals.ts'
import { candleStart, nextCandleStart } from '#src/market/candles/candle-times.ts'
import type { MarketCursor } from './market-cursor.ts'

export type ClosedCandle = Extract<NewEvent, { kind: 'candle' }>
type Growing = {
  wanted: CandlesWanted
  opened: number
  closes: number
  span: Candle | undefined
  /** Whether the candle contains its beginning. */
  isWhole: boolean
}

const unitsPerOne = 1e9
const dayMs = 86_400_000

/**
 * The candles of one market, computed from its points as they pass, in steps of the longest span that divides all intervals. A
 * candle without its beginning is left out, and so is one without any data, since it lies in a gap; without trades, the last
 * price stays.
 */
export class CandleBuilder {
  readonly #course: MarketCursor
  readonly #growing: Growing[]
  readonly #stepMs: number
  readonly longestMs: number
  /** When the next candle closes; Infinity if no strategy needs candles. */
  closesAt: number

  constructor(course: MarketCursor, wanted: readonly CandlesWanted[]) {
    this.#course = course
    if (wanted.length > 0) course.openSpan()
    const from = course.nextAt
    this.#growing = wanted.map((each) => {
      const opened = candleStart(each.interval, from)
      const closes = nextCandleStart(each.interval, opened)
      return { wanted: each, opened, closes, span: undefined, isWhole: opened === from }
    })
    this.longestMs = Math.max(0, ...wanted.map(({ interval }) => candleIntervals[interval]))
    // Weeks and months are computed from days.
    this.#stepMs = wanted.reduce(
      (step, { interval }) => divisor(step, Math.min(dayMs, candleIntervals[interval])),
      0,
    )
    this.closesAt = wanted.length === 0 ? Infinity : from - (from % this.#stepMs) + this.#stepMs
  }

  /** Points before this moment do not belong to the last candles that close before it, nor to those open at it. */
  neededFrom(at: number): number {
    let from = Infinity
    for (const { wanted } of this.#growing)
      from = Math.min(from, candleStart(wanted.interval, candleStart(wanted.interval, at - 1) - 1))
    return from
  }

  /** Passes the points up to this moment. Candles that have begun before it are left out. */
  leapTo(from: number): void {
    if (from <= this.closesAt - this.#stepMs) return
    this.#course.pass(from)
    this.#course.openSpan()
    this.closesAt = from - (from % this.#stepMs) + this.#stepMs
    for (const each of this.#growing) {
      each.opened = candleStart(each.wanted.interval, from)
      each.closes = nextCandleStart(each.wanted.interval, each.opened)
      each.span = undefined
      each.isWhole = each.opened === from
    }
  }

  /** Passes the points up to `closesAt`; returns the candles that have closed then. */
  close(): ClosedCandle[] {
    const at = this.closesAt
    this.#course.pass(at)
    const span = this.#course.closeSpan()
    this.closesAt += this.#stepMs
    const candles: ClosedCandle[] = []
    if (span === undefined) return candles
    for (const each of this.#growing) {
      if (each.span) join(each.span, span)
      else each.span = { ...span }
      if (each.closes > at) continue
      if (each.isWhole && !(this.#course.isSilent && this.#course.lastAt < each.opened))
        candles.push(candleOf(each, each.span))
      each.opened = each.closes
      each.closes = nextCandleStart(each.wanted.interval, each.opened)
      each.span = undefined
      each.isWhole = true
    }
    return candles
  }
}

function divisor(one: number, other: number): number {
  return one === 0 ? other : divisor(other % one, one)
}

function join(span: Candle, later: Candle): void {
  addLater(span, later)
  span.volume += later.volume
}

function candleOf({ wanted: { market, interval }, opened }: Growing, span: Candle): ClosedCandle {
  return {
    kind: 'candle',
    market,
    interval,
    opened,
    ...mapPrices(span, (units) => units / unitsPerOne),
    // A file without volumes: scenario.ts refuses strategies that read the volume of its market.
    volume: span.volume === Infinity ? 0 : span.volume / unitsPerOne,
  }
}
