import { extremesAmong, firstBeyond, noExtremes } from '#src/exchange/flow/stretches.ts'
import type { Block } from '#src/market/past-market.ts'

/** What a market did between two moments, in 10^-9. */
export type Span = { open: number; high: number; low: number; close: number; amount: number }

/** Points that have passed: those from `from` on and before `end`. */
export type PassedPoints = { block: Block; from: number; end: number }

/**
 * A market of the past as it goes by: which point was the last one, what it did since somebody asked, and when it will
 * leave a band of prices. It reads ahead no further than the block that it is in.
 */
export class Course {
  readonly #blocks: Iterator<Block>
  #block: Block | undefined
  /** The first point that has not passed. */
  #next = 0
  /** Of the last point that has passed; 0 before the first one. */
  units = 0
  /** Points that have passed. */
  passed = 0
  /** What is asked of them is looked at when somebody asks: from which place on, and what came of the blocks before. */
  #spanFrom = Infinity
  #span = { open: 0, extremes: noExtremes, amount: 0 }
  /** The first point of the block that was not taken. */
  #takenTo = 0
  /** Receives the rest of a block that has passed: the next one may use its columns again. */
  onBlockEnd: ((points: PassedPoints) => void) | undefined
  #found: { below: number; above: number; block: Block; place: number } | undefined
  /** When nothing comes for longer than that, the file has a gap. */
  readonly #patienceMs: number
  /** When the last point of the blocks before was. */
  #before = -Infinity
  #gap: { block: Block; place: number } | undefined

  constructor(blocks: Iterator<Block>, patienceMs = Infinity) {
    this.#blocks = blocks
    this.#patienceMs = patienceMs
    this.#reachBlock()
  }

  /** When the last point was that has passed. */
  get lastAt(): number {
    return this.#next > 0 ? (this.#block?.at[this.#next - 1] ?? this.#before) : this.#before
  }

  /** Whether the file has gaps at all. */
  get hasGaps(): boolean {
    return this.#patienceMs !== Infinity
  }

  /** Whether the file has a gap between the last point and the next one: what happened there nobody knows. */
  get isSilent(): boolean {
    if (!this.hasGaps || this.units === 0) return false
    const { nextAt, lastAt } = this
    return nextAt !== Infinity && nextAt - lastAt > this.#patienceMs
  }

  /** When the last point before the next gap comes. Where none is in sight, when somebody has to look again. */
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

  /** When the next point comes; Infinity when there is none any more. */
  get nextAt(): number {
    return this.#block?.at[this.#next] ?? Infinity
  }

  /** All points before this moment pass. */
  pass(before: number): void {
    for (let block = this.#block; block; block = this.#block) {
      const { at, count } = block
      if (at[this.#next]! >= before) return
      const end = at[count - 1]! < before ? count : firstAt(at, this.#next, count, before)
      this.units = block.units[end - 1] ?? 0
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

  /** From here on somebody asks what it did. */
  openSpan(): void {
    this.#span = { open: 0, extremes: noExtremes, amount: 0 }
    this.#spanFrom = this.#next
  }

  /** What it did since the last time; where nothing traded the last price stands. Undefined before the first point. */
  closeSpan(): Span | undefined {
    if (this.units === 0) return undefined
    if (this.#block) this.#lookAt(this.#block)
    const { open, extremes, amount } = this.#span
    const close = this.units
    this.#span = { open: 0, extremes: noExtremes, amount: 0 }
    if (open === 0) return { open: close, high: close, low: close, close, amount: 0 }
    return { open, ...extremes, close, amount }
  }

  #lookAt(block: Block): void {
    const from = this.#spanFrom
    const end = this.#next
    if (from >= end) return
    const { open, extremes, amount } = this.#span
    // No array here to take apart: a year has half a million minutes.
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
   * When the next point comes that is at or beyond one of these prices. Where none is in sight, when somebody has to look
   * again; Infinity when there is none any more.
   */
  leavesAt(below: number, above: number): number {
    const block = this.#block
    if (!block) return Infinity
    if (below >= above) return this.nextAt
    let found = this.#found
    const isKnown = found?.block === block && found.below === below && found.above === above
    if (!found || !isKnown || found.place < this.#next) {
      found = this.#found = { below, above, block, place: this.#search(block, below, above) }
    }
    return block.at[found.place] ?? (block.at[block.count - 1] ?? 0) + 1
  }

  #search(block: Block, below: number, above: number): number {
    const { count } = block
    if (block.low > below && block.high < above) return count
    return firstBeyond(block, this.#next, count, below, above)
  }

  #reachBlock(): void {
    const { done, value } = this.#blocks.next()
    this.#block = done === true ? undefined : value
    this.#next = 0
    this.#takenTo = 0
    if (this.#spanFrom !== Infinity) this.#spanFrom = 0
    // A market that is read from its file uses the columns again.
    this.#found = undefined
  }
}

const none = new Float64Array()
const noBlock: Block = { count: 0, at: none, units: none, amounts: none, low: Infinity, high: 0 }

/** The place of the first point that is not before this moment. */
export function firstAt(at: Float64Array, from: number, count: number, moment: number): number {
  // Mostly it is near.
  for (let place = from; place < from + 8 && place < count; place++)
    if ((at[place] ?? 0) >= moment) return place
  let [low, high] = [from, count]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((at[middle] ?? 0) < moment) low = middle + 1
    else high = middle
  }
  return low
}
