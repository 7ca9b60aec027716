import type { Block } from '#src/market/past-market.ts'

/** Points in one look: of so many the lowest and the highest are kept, so that a search need not read each of them. */
const stretch = 256

/** What a market did between two moments, in 10^-9. */
export type Span = { open: number; high: number; low: number; close: number; amount: number }

/**
 * A market of the past as it goes by: which point was the last one, what it did since somebody asked, and when it will
 * leave a band of prices. It reads ahead no further than the block that it is in.
 */
export class Course {
  readonly #blocks: Iterator<Block>
  #block: Block | undefined
  /** The first point that has not passed. */
  #next = 0
  #lows = new Float64Array(0)
  #highs = new Float64Array(0)
  /** Of the last point that has passed; 0 before the first one. */
  units = 0
  /** Points that have passed. */
  passed = 0
  /** Since `closeSpan` was called. */
  #open = 0
  #high = 0
  #low = 0
  #amount = 0
  /** Since `closeReach` was called. */
  highest = 0
  lowest = Infinity
  #found: { below: number; above: number; block: Block; place: number } | undefined

  constructor(blocks: Iterator<Block>) {
    this.#blocks = blocks
    this.#reachBlock()
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
      this.#passTo(block, end)
      if (end < count) return
      this.#reachBlock()
    }
  }

  #passTo({ units, amounts }: Block, end: number): void {
    // No arrays here to take apart: a year has half a million minutes.
    let amount = this.#amount
    const from = this.#next
    if (this.#open === 0) this.#open = this.#high = this.#low = units[from] ?? 0
    let highest = 0
    let lowest = Infinity
    for (let place = from; place < end; place++) {
      const price = units[place] ?? 0
      if (price > highest) highest = price
      if (price < lowest) lowest = price
      amount += amounts[place] ?? 0
    }
    if (highest > this.#high) this.#high = highest
    if (lowest < this.#low) this.#low = lowest
    this.#amount = amount
    if (highest > this.highest) this.highest = highest
    if (lowest < this.lowest) this.lowest = lowest
    this.units = units[end - 1] ?? 0
    this.passed += end - from
    this.#next = end
  }

  /** What it did since the last time; where nothing traded the last price stands. Undefined before the first point. */
  closeSpan(): Span | undefined {
    if (this.units === 0) return undefined
    const close = this.units
    const isTraded = this.#open !== 0
    const span = isTraded
      ? { open: this.#open, high: this.#high, low: this.#low, close, amount: this.#amount }
      : { open: close, high: close, low: close, close, amount: 0 }
    this.#open = 0
    this.#amount = 0
    return span
  }

  /** How far the price goes, either way, is counted from here on. */
  closeReach(): void {
    this.lowest = Infinity
    this.highest = 0
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
    const { units, count } = block
    if (block.low > below && block.high < above) return count
    for (let place = this.#next; place < count;) {
      const number = Math.floor(place / stretch)
      const end = Math.min(count, (number + 1) * stretch)
      if ((this.#lows[number] ?? 0) <= below || (this.#highs[number] ?? 0) >= above) {
        for (; place < end; place++) {
          const price = units[place] ?? 0
          if (price <= below || price >= above) return place
        }
      }
      place = end
    }
    return count
  }

  #reachBlock(): void {
    const { done, value } = this.#blocks.next()
    this.#block = done === true ? undefined : value
    this.#next = 0
    // A market that is read from its file uses the columns again.
    this.#found = undefined
    if (!this.#block) return
    const { units, count } = this.#block
    this.#lows = new Float64Array(Math.ceil(count / stretch)).fill(Infinity)
    this.#highs = new Float64Array(Math.ceil(count / stretch))
    for (let place = 0; place < count; place++) {
      const number = Math.floor(place / stretch)
      const price = units[place] ?? 0
      if (price < (this.#lows[number] ?? 0)) this.#lows[number] = price
      if (price > (this.#highs[number] ?? 0)) this.#highs[number] = price
    }
  }
}

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
