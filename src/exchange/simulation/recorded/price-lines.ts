import { shareDown } from '#src/exchange/trading/book/market.ts'

/**
 * The path of a price inside a bar. A bar has four points: its open, the nearer of high and low, the other one, and its
 * close. Between points the price moves in a straight line over time; only an open may jump, as a trade does.
 */

/** What the points of a market are. A block of bars begins with an open. */
export type PointsKind = 'bars' | 'trades'

const pointsPerBar = 4

type Points = { at: Float64Array; units: Float64Array }

/** Whether the price moves in a line to this point (true) or jumps there. */
export function isLineTo(kind: PointsKind, place: number): boolean {
  return kind === 'bars' && place % pointsPerBar !== 0
}

/** The price at a time on the line that ends at this place. */
export function unitsAt({ at, units }: Points, place: number, moment: number): number {
  const [from, to] = [units[place - 1] ?? 0, units[place] ?? 0]
  const [begins, ends] = [at[place - 1] ?? 0, at[place] ?? 0]
  if (moment >= ends) return to
  const moved = movedAfter(Math.abs(to - from), moment - begins, ends - begins)
  return to > from ? from + moved : from - moved
}

/** A band of prices: above the first and below the second is inside. */
export type Inside = readonly [low: number, high: number]

export function isOutside(units: number, [low, high]: Inside): boolean {
  return units <= low || units >= high
}

/**
 * The first time on the line to this place, not before `from`, with a price outside the band; Infinity if the line ends
 * inside.
 */
export function leavesLineAt(points: Points, place: number, from: number, inside: Inside): number {
  const next = Math.max(from, (points.at[place - 1] ?? 0) + 1)
  if (isOutside(unitsAt(points, place, next), inside)) return next
  const to = points.units[place] ?? 0
  if (!isOutside(to, inside)) return Infinity
  return reachedAt(points, place, to <= inside[0] ? inside[0] : inside[1])
}

/** The first time on the line to this place at which the price reaches `price`. */
function reachedAt({ at, units }: Points, place: number, price: number): number {
  const [from, to] = [units[place - 1] ?? 0, units[place] ?? 0]
  const [begins, ends] = [at[place - 1] ?? 0, at[place] ?? 0]
  const [whole, wanted, ms] = [Math.abs(to - from), Math.abs(price - from), ends - begins]
  let passed = Math.max(1, Math.min(ms, Math.ceil((wanted / whole) * ms)))
  // The quotient is a double, so the loop checks the neighbours.
  while (passed < ms && movedAfter(whole, passed, ms) < wanted) passed += 1
  while (passed > 1 && movedAfter(whole, passed - 1, ms) >= wanted) passed -= 1
  return begins + passed
}

/**
 * The whole units passed after `passed` of `ms` milliseconds, rounded down. The result is exact although the product is
 * large.
 */
function movedAfter(whole: number, passed: number, ms: number): number {
  const each = Math.floor(whole / ms)
  return each * passed + shareDown(whole - each * ms, passed, ms)
}
