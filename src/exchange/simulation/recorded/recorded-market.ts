import type { PaidThen } from '#src/exchange/trading/positions/funding-times.ts'
import type { PointsKind } from './price-lines.ts'

/**
 * The recorded data of a market: points with a traded price, in ascending time. A trade is one point; a bar is four
 * points with straight lines between them. The points come in blocks of columns, from memory or from a file too large
 * for memory.
 */
export type RecordedMarket = {
  /** Fingerprint of the points: a stored world continues only with exactly the same points. */
  print: string
  kind: PointsKind
  /** Time of the first point, Unix milliseconds. */
  beginsAt: number
  /** All blocks from the first, anew with each call. A block is not valid any more after the next one was requested. */
  blocks(): Iterator<RecordedBlock>
}

export type RecordedBlock = {
  count: number
  /** Unix milliseconds. */
  at: Float64Array
  /** Prices in 10^-9. */
  units: Float64Array
  /** Volume at the point and on the line to it, in 10^-9 of the coin; Infinity if the file has no volume. */
  amounts: Float64Array
  /** The lowest and the highest price in the block. */
  low: number
  high: number
}

/**
 * When a resting order fills. `touch`: the price reaches the limit. `through`: the price passes the limit. `queue`: the
 * price passes the limit, or enough volume for the queue ahead trades at the limit.
 */
export type FillRule = 'touch' | 'through' | 'queue'

/** The recorded data of some markets, at most one file for each. */
export type RecordedMarkets = {
  files: readonly { markets: readonly string[]; market: RecordedMarket }[]
  fill: FillRule
  /**
   * Funding rates in the exchange's own time; markets without recorded rates pay the rate computed from their prices.
   */
  funding?: PaidThen
  /** True: all points are shifted so that the first one is at the start of the world. False: they keep their times. */
  moved: boolean
  /** False if no caller reads the public trades: writing them takes longer than skipping the points. */
  taped?: boolean
}

/** Reads the points of a market forwards, block by block. Points are counted from 0. */
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

  /** Moves to the block with this point; false if the market ends before it. */
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

  /**
   * The first point of this block, not before `point`, that is after `at` (or at it, with `orAt`); the end of the block
   * if there is none.
   */
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
