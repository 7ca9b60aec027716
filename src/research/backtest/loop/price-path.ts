import { isLineTo, unitsAt } from '#src/exchange/simulation/recorded/price-lines.ts'
import { firstBeyond } from '#src/exchange/simulation/recorded/price-extremes.ts'
import type { MarketCursor, PassedPoints } from './market-cursor.ts'

/**
 * A watched sum of prices: `base` plus each amount times its price in 10^-9. Only points at which it lies above `high` or below
 * `low` count.
 */
export type PriceWatch = {
  /** By market, in the order of the cursors. */
  amounts: ArrayLike<number>
  base: number
  low: number
  high: number
  /** Whether only the last of successive points above `high`, or below `low`, counts. */
  isLastEnough: boolean
  /** The sum is above `high` or below `low` at these prices. */
  reached: (prices: ArrayLike<number>, at: number) => void
}

type Held = { watch: PriceWatch; markets: readonly number[] }

/**
 * The points of all markets that have passed since the last change of holdings. Between two changes a value is linear in the
 * prices, and these are linear over time between points, so its extremes lie at points.
 */
export class PricePath {
  readonly #courses: readonly MarketCursor[]
  readonly #watches: () => readonly PriceWatch[]
  /** Until the next change. */
  #held: { alone: readonly Held[]; together: readonly Held[] } | undefined
  /** By cursor: for sums of several prices, points that have passed and were not evaluated yet. */
  readonly #passed: PassedPoints[][]
  /** Prices at the end of the last evaluation. */
  readonly #prices: Float64Array
  /** For sums of one price; other prices do not affect them. */
  readonly #alone: Float64Array

  constructor(courses: readonly MarketCursor[], watches: () => readonly PriceWatch[]) {
    this.#courses = courses
    this.#watches = watches
    this.#passed = courses.map(() => [])
    this.#prices = Float64Array.from(courses, ({ units }) => units)
    this.#alone = this.#prices.slice()
    for (const [index, course] of courses.entries()) {
      course.takePassed()
      // The next block may reuse the columns of this one.
      course.onBlockEnd = (points) => this.#take(index, points, true)
    }
  }

  /** Evaluates all points that have passed, in the order of their times. Holdings may change after it. */
  walk(): void {
    const rests = this.#courses.map((course, index) => {
      const points = course.takePassed()
      this.#take(index, points, false)
      return points
    })
    if (this.#held && this.#held.together.length > 0) {
      for (const each of this.#held.together) this.#walkTogether(each, rests)
      for (const points of this.#passed) points.length = 0
    }
    for (let index = 0; index < this.#courses.length; index++)
      this.#prices[index] = this.#courses[index]!.units
    this.#held = undefined
  }

  #take(index: number, points: PassedPoints, isCopied: boolean): void {
    const { block, from, end } = points
    if (end === from) return
    const { alone, together } = (this.#held ??= this.#look())
    for (const { watch, markets } of alone) if (markets[0] === index) this.#walkAlone(watch, index, points)
    if (together.length === 0) return
    const kept = isCopied ? { ...block, at: block.at.slice(), units: block.units.slice() } : block
    this.#passed[index]?.push({ block: kept, from, end })
  }

  #look() {
    const [alone, together]: [Held[], Held[]] = [[], []]
    for (const watch of this.#watches()) {
      const markets: number[] = []
      for (let index = 0; index < this.#courses.length; index++)
        if ((watch.amounts[index] ?? 0) !== 0) markets.push(index)
      if (markets.length > 0) (markets.length === 1 ? alone : together).push({ watch, markets })
    }
    return { alone, together }
  }

  #walkAlone(watch: PriceWatch, index: number, { block, from, end }: PassedPoints): void {
    const { at, units } = block
    const { base, isLastEnough } = watch
    const amount = watch.amounts[index] ?? 0
    const prices = this.#alone
    const course = this.#courses[index]!
    // A price that is no whole tick counts as the nearest one.
    const half = course.tick / 2
    let [low, high] = [0, 0]
    const readBounds = () => {
      const [one, other] = [(watch.low - base) / amount, (watch.high - base) / amount]
      ;[low, high] = [Math.min(one, other), Math.max(one, other)]
    }
    /** The last point beyond the bounds, until it is known that no other one follows it. */
    let last: { price: number; at: number; isAbove: boolean } | undefined
    const report = (price: number, moment: number) => {
      prices[index] = price
      watch.reached(prices, moment)
      last = undefined
      readBounds()
    }
    readBounds()
    let place = from
    while ((place = firstBeyond(block, place, end, low + half, high - half)) < end) {
      const price = course.rounded(units[place]!)
      const value = base + amount * price
      const isBeyond = last ? price < low || price > high : value < watch.low || value > watch.high
      const isAbove = price > high
      if (isBeyond && last && last.isAbove !== isAbove) {
        report(last.price, last.at)
        continue
      }
      if (isBeyond && isLastEnough) {
        last = { price, at: at[place]!, isAbove }
        // The other bound moves as far: where it does not, the point there is looked at and changes nothing.
        const by = price - (isAbove ? high : low)
        ;[low, high] = isAbove ? [low + by, price] : [price, high + by]
      } else if (isBeyond) report(price, at[place]!)
      place += 1
    }
    if (last) report(last.price, last.at)
  }

  /** A sum of several prices is known once each price of the same millisecond is. */
  #walkTogether({ watch, markets }: Held, rests: readonly PassedPoints[]): void {
    const prices = Float64Array.from(this.#prices)
    const cursors = markets.map(
      (index) => new Cursor(this.#courses[index]!, this.#passed[index]!, rests[index]!),
    )
    for (let at = soonest(cursors); at !== Infinity; at = soonest(cursors)) {
      let value = watch.base
      for (let place = 0; place < markets.length; place++) {
        const [index, cursor] = [markets[place]!, cursors[place]!]
        const price = cursor.goTo(at) ?? prices[index]!
        prices[index] = price
        value += watch.amounts[index]! * price
      }
      if (value < watch.low || value > watch.high) watch.reached(prices, at)
    }
  }
}

class Cursor {
  readonly #course: MarketCursor
  readonly #all: readonly PassedPoints[]
  #number = 0
  #points: PassedPoints
  #place: number

  /** Behind all points that have passed, a line may lead to the first one of the rest. */
  constructor(course: MarketCursor, passed: readonly PassedPoints[], rest: PassedPoints) {
    this.#course = course
    this.#all = [...passed, { ...rest, from: rest.end }]
    this.#points = this.#all[0]!
    this.#place = this.#points.from
  }

  /** The time of the next passed point; Infinity behind the last one. */
  get at(): number {
    return this.#place < this.#points.end ? this.#points.block.at[this.#place]! : Infinity
  }

  /** The price at a moment not behind the next point; undefined if unchanged. */
  goTo(at: number): number | undefined {
    let units: number | undefined
    while (this.at === at) {
      units = this.#course.rounded(this.#points.block.units[this.#place]!)
      this.#next()
    }
    const { block } = this.#points
    if (units !== undefined || this.#place >= block.count || !isLineTo(this.#course.kind, this.#place))
      return units
    return this.#course.rounded(unitsAt(block, this.#place, at))
  }

  #next(): void {
    this.#place += 1
    if (this.#place < this.#points.end || this.#number === this.#all.length - 1) return
    this.#number += 1
    this.#points = this.#all[this.#number]!
    this.#place = this.#points.from
  }
}

function soonest(cursors: readonly Cursor[]): number {
  let at = Infinity
  for (const cursor of cursors) if (cursor.at < at) at = cursor.at
  return at
}
