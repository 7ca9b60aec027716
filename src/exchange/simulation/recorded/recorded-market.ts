import type { PaidThen } from '#src/exchange/trading/positions/funding-times.ts'
import type { PointsKind } from './price-lines.ts'

/**
 * What was recorded of a market: points at which something traded once, in rising time. A trade is one point, a bar is four
 * with straight lines between them. They come in blocks of columns, from memory or from a file that is too large for it.
 */
export type RecordedMarket = {
  /** What the points are, to the bit: a world that goes on must go on with the same ones. */
  print: string
  kind: PointsKind
  /** When the first point was, Unix milliseconds. */
  beginsAt: number
  /** From the first block on, anew with each call; a block is read no more once the next one has been asked for. */
  blocks(): Iterator<RecordedBlock>
}

export type RecordedBlock = {
  count: number
  /** Unix milliseconds. */
  at: Float64Array
  /** Prices in 10^-9. */
  units: Float64Array
  /** What may trade at the point and on the line to it, in 10^-9 of the coin; Infinity where the file has no volume. */
  amounts: Float64Array
  /** The lowest and the highest price in the block. */
  low: number
  high: number
}

/**
 * When an order that rests fills: the price has come to its limit, has gone beyond it, or has gone beyond it or come to it at
 * points often enough for a queue ahead of the order to have traded.
 */
export type Fill = 'touch' | 'through' | 'queue'

/** What was recorded of some markets, each of them in one file at most. */
export type RecordedMarkets = {
  files: readonly { markets: readonly string[]; market: RecordedMarket }[]
  fill: Fill
  /** In the venue's own time; markets without it pay what their prices say, which is nothing. */
  funding?: PaidThen
  /** Whether all points come as much later as lets the first of them begin the world, or when they came. */
  moved: boolean
  /** False where nobody asks what has traded: writing that down costs more than letting it pass. */
  taped?: boolean
}

/** Reads the points of a market forwards, a block at a time. They are counted from 0. */
export class RecordedReader {
  readonly #market: RecordedMarket
  #blocks: Iterator<RecordedBlock>
  block: RecordedBlock = { ...nothing }
  /** The number of the block's first point. */
  first = 0

  constructor(market: RecordedMarket) {
    this.#market = market
    this.#blocks = market.blocks()
  }

  /** Goes to the block of a point; false when the market ends before it. */
  reach(point: number): boolean {
    if (point < this.first) {
      this.#blocks = this.#market.blocks()
      this.block = { ...nothing }
      this.first = 0
    }
    while (point >= this.first + this.block.count) {
      const next = this.#blocks.next()
      if (next.done === true) return false
      this.first += this.block.count
      this.block = next.value
    }
    return true
  }

  /** The first point of this block, from `point` on, after a moment, or at it, too; the end of the block if none is. */
  firstAfter(point: number, at: number, orAt: boolean): number {
    const { block, first } = this
    let low = point - first
    let high = block.count
    while (low < high) {
      const middle = (low + high) >> 1
      const time = block.at[middle] ?? 0
      if (orAt ? time < at : time <= at) low = middle + 1
      else high = middle
    }
    return first + low
  }
}

const none = new Float64Array()
const nothing: RecordedBlock = { count: 0, at: none, units: none, amounts: none, low: 0, high: 0 }
