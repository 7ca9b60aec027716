import type { RungState } from '#src/engine/state/state.ts'
import { edgeAt } from '#src/engine/state/validity.ts'

/**
 * The distances of the rungs of a ladder from the price. The order of two rungs changes half way between them, and each query
 * compares as few rungs as possible: so its result changes seldom. Of two rungs at the same distance the first one is nearer;
 * without a price, all distances are 0.
 */
export class RungDistances {
  readonly #symbol: string
  readonly #price: number | undefined
  readonly #rungs: readonly RungState[]
  readonly #needsPlace: (rung: RungState) => boolean
  #known: { prices: number[]; shares: number[]; sorted: number[]; places: number[] } | undefined

  constructor(
    symbol: string,
    rungs: readonly RungState[],
    needsPlace: (rung: RungState) => boolean,
    price: number | undefined,
  ) {
    this.#symbol = symbol
    this.#rungs = rungs
    this.#needsPlace = needsPlace
    this.#price = price
  }

  /**
   * The prices of all rungs and their distances as shares of the price, the rungs that compete for places by their price, and the
   * index of each.
   */
  get #found() {
    if (this.#known) return this.#known
    const prices = this.#rungs.map((rung) => Number(rung.price))
    const price = this.#price ?? 1
    const shares = prices.map((each) => Math.abs(each - price) / price)
    const sorted = [...prices.keys()].filter((index) => this.#needsPlace(this.#rungs[index]!))
    sorted.sort((a, b) => prices[a]! - prices[b]!)
    const places = prices.map(() => NaN)
    for (const [place, index] of sorted.entries()) places[index] = place
    return (this.#known = { prices, shares, sorted, places })
  }

  get isPriced(): boolean {
    return this.#price !== undefined
  }

  /** Negative if the first rung is nearer. */
  compare(one: number, other: number): number {
    if (this.#price === undefined) return one - other
    const { prices, shares } = this.#found
    edgeAt(this.#symbol, this.#price, (prices[one]! + prices[other]!) / 2)
    return shares[one]! - shares[other]! || one - other
  }

  /** Whether at least this many rungs are nearer: then the rung with that rank is farther away. */
  hasNearer(index: number, count: number): boolean {
    if (count === 0) return true
    if (this.#price === undefined) return false
    const { sorted, places } = this.#found
    const place = places[index]!
    return [place + count, place - count].some((other) => {
      const found = sorted[other]
      return found !== undefined && this.compare(found, index) < 0
    })
  }

  /** Whether the rung is within this share of the price; with one step of the ladder more, if asked. */
  isWithin(index: number, share: number, slack?: 'one step more'): boolean {
    const price = this.#price
    if (price === undefined) return true
    const { prices, shares, sorted } = this.#found
    const at = prices[index]!
    const step = sorted.length > 1 ? Math.abs(prices[0]! - prices[1]!) : 0
    const more = slack === undefined ? 0 : step
    edgeAt(this.#symbol, price, (at - more) / (1 + share))
    edgeAt(this.#symbol, price, (at + more) / (1 - share))
    return shares[index]! <= share + more / price
  }

  /** Rank from the price, for people. */
  numberOf(index: number): number {
    const { shares, sorted } = this.#found
    const share = shares[index]!
    const isBefore = (other: number) => shares[other]! < share || (shares[other] === share && other < index)
    return sorted.filter(isBefore).length + 1
  }
}
