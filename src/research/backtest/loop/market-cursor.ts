import { firstIndex } from '#src/core/objects/first-index.ts'
import {
  isLineTo,
  isOutside,
  leavesLineAt,
  unitsAt,
  type Inside,
} from '#src/exchange/simulation/recorded/price-lines.ts'
import {
  extremesAmong,
  firstBeyond,
  noExtremes,
  type Extremes,
} from '#src/exchange/simulation/recorded/price-extremes.ts'
import { pricesAt, type Candle } from '#src/market/candles/candle.ts'
import type { PointBlock, HistoricalMarket } from '#src/market/data/historical-market.ts'

/** Points that have passed: those from `from` on and before `end`. */
export type PassedPoints = { block: PointBlock; from: number; end: number }

/** How the points of a market are read. */
export type MarketCursorParts = {
  blocks: Iterator<PointBlock>
  kind: HistoricalMarket['kind']
  /** In 10^-9: prices are rounded to whole ticks. */
  tick: number
  /** A longer time without points is a gap of the file. */
  patienceMs: number
}

type Found = { block: PointBlock | undefined; below: number; above: number; place: number }

/**
 * A cursor over historical market data: its price, also on the line between two points of a bar, its candle since the last call
 * of `closeSpan`, and when it leaves a band of prices. It reads no further than the block of the next point.
 */
export class MarketCursor {
  readonly #blocks: Iterator<PointBlock>
  readonly kind: HistoricalMarket['kind']
  readonly tick: number
  #block: PointBlock | undefined
  /** The first point that has not passed. */
  #next = 0
  /** The price, exact and in whole ticks; 0 before the first point. */
  #exact = 0
  units = 0
  /** The last moment that has passed. */
  #at = -Infinity
  /** Points that have passed. */
  passed = 0
  /** `closeSpan` computes the candle: from this place on, and from the sums of the blocks before. */
  #spanFrom = Infinity
  #span: { open: number; extremes: Extremes; amount: number } = { open: 0, extremes: noExtremes, amount: 0 }
  /** The first point of the block that was not taken. */
  #takenTo = 0
  /** Receives the rest of a block that has passed: the next block may reuse its columns. */
  onBlockEnd: ((points: PassedPoints) => void) | undefined
  /** The results for the last requested band of prices and of points. */
  readonly #leaving: Found = { block: undefined, below: 0, above: 0, place: 0 }
  readonly #turn: Found = { block: undefined, below: 0, above: 0, place: 0 }
  readonly #patienceMs: number
  /** The time of the last point of the blocks before. */
  #before = -Infinity
  #gap: { block: PointBlock; place: number } | undefined

  constructor({ blocks, kind, tick, patienceMs }: MarketCursorParts) {
    this.#blocks = blocks
    this.kind = kind
    this.tick = tick
    this.#patienceMs = patienceMs
    this.#reachBlock()
  }

  /** The time of the last point that has passed. */
  get lastAt(): number {
    return this.#next > 0 ? (this.#block?.at[this.#next - 1] ?? this.#before) : this.#before
  }

  /** Whether the file has gaps at all. */
  get hasGaps(): boolean {
    return this.#patienceMs !== Infinity
  }

  /** Whether the file has a gap between the last point and the next one, where prices are unknown. */
  get isSilent(): boolean {
    if (!this.hasGaps || this.units === 0) return false
    const { nextAt, lastAt } = this
    return nextAt !== Infinity && nextAt - lastAt > this.#patienceMs
  }

  /** The last point before the next gap. If this block has none, when to ask again. */
  get silentFrom(): number {
    const block = this.#block
    if (!block || !this.hasGaps) return Infinity
    const { at, count } = block
    let gap = this.#gap
    if (!gap || gap.block !== block || gap.place < this.#next) {
      let place = this.#next
      while (place < count - 1 && at[place + 1]! - at[place]! <= this.#patienceMs) place++
      gap = this.#gap = { block, place }
    }
    return at[gap.place]!
  }

  /** The time of the next point; Infinity after the last one. */
  get nextAt(): number {
    return this.#block?.at[this.#next] ?? Infinity
  }

  /** Passes everything before this moment. */
  pass(before: number): void {
    this.#passPoints(before)
    if (before - 1 > this.#at) this.#at = before - 1
    const block = this.#block
    if (block && this.#isOnLine) this.#stand(unitsAt(block, this.#next, this.#at))
  }

  #passPoints(before: number): void {
    for (let block = this.#block; block; block = this.#block) {
      const { at, count } = block
      if (at[this.#next]! >= before) return
      const end = at[count - 1]! < before ? count : firstAt(at, this.#next, count, before)
      this.#stand(block.units[end - 1] ?? 0)
      this.passed += end - this.#next
      this.#next = end
      if (end < count) return
      this.#before = at[count - 1]!
      this.#lookAt(block)
      this.onBlockEnd?.(this.takePassed())
      this.#reachBlock()
    }
  }

  /** The points of this block that have passed since the last call. */
  takePassed(): PassedPoints {
    const from = this.#takenTo
    this.#takenTo = this.#next
    return { block: this.#block ?? noBlock, from, end: this.#next }
  }

  #stand(exact: number): void {
    if (exact === this.#exact) return
    this.#exact = exact
    this.units = this.rounded(exact)
  }

  /** The nearest tick. */
  rounded(exact: number): number {
    return Math.max(1, Math.round(exact / this.tick)) * this.tick
  }

  /** Whether the price moves to the next point in a line, and has left the point before it. */
  get #isOnLine(): boolean {
    return isLineTo(this.kind, this.#next) && this.#at > (this.#block?.at[this.#next - 1] ?? Infinity)
  }

  /** A candle begins here. */
  openSpan(): void {
    this.#span = this.#beginSpan()
    this.#spanFrom = this.#next
  }

  /** A span that begins on a line begins with its price. */
  #beginSpan() {
    const block = this.#block
    const isOnLine = block !== undefined && isLineTo(this.kind, this.#next)
    const open = isOnLine ? unitsAt(block, this.#next, this.#at + 1) : 0
    return { open, extremes: isOnLine ? { low: open, high: open } : noExtremes, amount: 0 }
  }

  /** The candle since the last call, in 10^-9; without trades the last price stays. Undefined before the first point. */
  closeSpan(): Candle | undefined {
    if (this.units === 0) return undefined
    if (this.#block) this.#lookAt(this.#block)
    const { open, extremes, amount } = this.#span
    const close = this.#exact
    this.#span = this.#beginSpan()
    if (open === 0) return { ...pricesAt(close), volume: 0 }
    return { open, ...withPrice(extremes, close), close, volume: amount }
  }

  #lookAt(block: PointBlock): void {
    const from = this.#spanFrom
    const end = this.#next
    if (from >= end) return
    const { open, extremes, amount } = this.#span
    // No destructuring of an array here: a year has half a million minutes.
    let sum = amount
    for (let place = from; place < end; place++) sum += block.amounts[place] ?? 0
    this.#span = {
      open: open === 0 ? (block.units[from] ?? 0) : open,
      extremes: extremesAmong(block, from, end, extremes),
      amount: sum,
    }
    this.#spanFrom = end
  }

  /**
   * When the price is at or beyond one of these prices next. If this block has no such price, when to ask again; Infinity if the
   * price does not change any more. If the first price is not below the second, each change counts.
   */
  leavesAt(below: number, above: number): number {
    const block = this.#block
    if (!block) return Infinity
    if (below >= above) return this.changesAt
    const inside = this.#insideOf(below, above)
    // While the tick is unchanged, a price outside the band is no news.
    if (isLineTo(this.kind, this.#next) && isOutside(this.#exact, inside)) return this.changesAt
    const place = this.#placeOutside(block, inside, this.#leaving)
    if (place === block.count) return (block.at[place - 1] ?? 0) + 1
    const onLine = isLineTo(this.kind, place) ? leavesLineAt(block, place, this.#at + 1, inside) : Infinity
    return Math.min(onLine, block.at[place] ?? 0)
  }

  /**
   * When a point is at or beyond one of these prices next, with the exceptions of `leavesAt`. A line only rises or only falls, so
   * its best price is at one of its ends.
   */
  turnsBeyond(below: number, above: number): number {
    const block = this.#block
    if (!block) return Infinity
    const place = this.#placeOutside(block, this.#insideOf(below, above), this.#turn)
    return place === block.count ? (block.at[place - 1] ?? 0) + 1 : (block.at[place] ?? 0)
  }

  /** Prices count as the nearest tick, and none is below the first tick. */
  #insideOf(below: number, above: number): Inside {
    const tick = this.tick
    const lowest = Math.floor(below / tick)
    return [
      lowest < 1 ? -1 : Math.ceil((lowest + 0.5) * tick) - 1,
      Math.ceil((Math.ceil(above / tick) - 0.5) * tick),
    ]
  }

  /** When the price changes next, or the next point comes; Infinity if the price does not change any more. */
  get changesAt(): number {
    const { units, nextAt } = this
    return isLineTo(this.kind, this.#next)
      ? Math.min(nextAt, this.leavesAt(units - 0.5, units + 0.5))
      : nextAt
  }

  /** The next place with a price outside the band; the end of the block if there is none. */
  #placeOutside(block: PointBlock, [below, above]: Inside, found: Found): number {
    if (found.block === block && found.below === below && found.above === above && found.place >= this.#next)
      return found.place
    const isInside = block.low > below && block.high < above
    const place = isInside ? block.count : firstBeyond(block, this.#next, block.count, below, above)
    Object.assign(found, { block, below, above, place })
    return place
  }

  #reachBlock(): void {
    const { done, value } = this.#blocks.next()
    this.#block = done === true ? undefined : value
    this.#next = 0
    this.#takenTo = 0
    if (this.#spanFrom !== Infinity) this.#spanFrom = 0
    // A market that is read as a stream reuses the columns.
    this.#leaving.block = this.#turn.block = undefined
  }
}

const none = new Float64Array()
const noBlock: PointBlock = { count: 0, at: none, units: none, amounts: none, low: Infinity, high: 0 }

function withPrice({ low, high }: Extremes, units: number): Extremes {
  return { low: Math.min(low, units), high: Math.max(high, units) }
}

/** The place of the first point that is not before this moment. */
export function firstAt(at: ArrayLike<number>, from: number, count: number, moment: number): number {
  // Usually it is near.
  for (let place = from; place < from + 8 && place < count; place++)
    if ((at[place] ?? 0) >= moment) return place
  return firstIndex(from, count, (place) => at[place]! >= moment)
}
