import { type Decimal, numberOf } from '#src/core/money/decimal.ts'
import { plus, times } from './long-double.ts'
import type { LadderPlan, OrderSide, RangeSpacing, Steps } from './plan.ts'
import { linesOf, movesOf, onTick, priceAt, type Moves } from './prices.ts'
import { digitsOf, errorOfLong, longOf, power, rounded, whole } from './tick-numbers.ts'

/** Buffer for the prices of one side; a price that is no safe number of ticks above zero is NaN. */
export type Ticks = { prices: Float64Array; count: number }

/** One side of a ladder: where it begins, which way it goes, and the decimals of a tick. */
type Place = { anchor: Decimal; side: OrderSide; digits: number }

/** Adds the prices of one side in ticks, equal to those of `pricesOf`. */
export function addTicks(ticks: Ticks, { spacing, levels }: LadderPlan, place: Place): void {
  if (spacing.kind === 'range') addLines(ticks, spacing, levels, place)
  else addSteps(ticks, spacing, levels, place)
}

function add(ticks: Ticks, price: number): void {
  ticks.prices[ticks.count] = price
  ticks.count += 1
}

/** Moves as whole numbers of so many digits, NaN where that is not possible, and with twice the digits. */
type MovesInDoubles = {
  digits: number
  whole: Float64Array
  farthest: number
  high: Float64Array
  low: Float64Array
}
const movesInDoubles = new WeakMap<Moves, MovesInDoubles>()

function inDoubles(exact: Moves): MovesInDoubles {
  const known = movesInDoubles.get(exact)
  if (known) return known
  const digits = digitsOf(exact)
  const units = Float64Array.from(exact, (move) => whole(move.abs(), digits) * (move.isNegative() ? -1 : 1))
  const longs = exact.map((move) => longOf(move))
  const moves = {
    digits,
    whole: units,
    farthest: units.reduce((most, move) => Math.max(most, Math.abs(move)), 0),
    high: Float64Array.from(longs, ({ high }) => high),
    low: Float64Array.from(longs, ({ low }) => low),
  }
  movesInDoubles.set(exact, moves)
  return moves
}

/** Each price is the anchor plus a number of units. */
function addSteps(ticks: Ticks, spacing: Steps, levels: number, { anchor, side, digits }: Place): void {
  const exact = movesOf(spacing, levels, side)
  const moves = inDoubles(exact)
  const unit = spacing.kind === 'volatility' ? spacing.unit : anchor
  const anchorDigits = anchor.decimalPlaces()
  const unitDigits = unit === anchor ? anchorDigits : unit.decimalPlaces()
  const all = Math.max(anchorDigits, unitDigits + moves.digits, digits)
  const anchorUnits = whole(anchor, anchorDigits)
  const base = anchorUnits * power(all - anchorDigits)
  const units =
    (unit === anchor ? anchorUnits : whole(unit, unitDigits)) * power(all - unitDigits - moves.digits)
  const divisor = power(all - digits)
  if (base + units * moves.farthest <= Number.MAX_SAFE_INTEGER) {
    // In this range doubles are exact.
    for (let level = 0; level < levels; level++) {
      const price = (base + units * moves.whole[level]!) / divisor
      add(ticks, side === 'sell' ? Math.ceil(price) : Math.floor(price))
    }
    return
  }
  const start = longOf(anchor, digits)
  const width = unit === anchor ? start : longOf(unit, digits)
  for (let level = 0; level < levels; level++) {
    const way = times(width, { high: moves.high[level]!, low: moves.low[level]! })
    const price = plus(start, way)
    const near = Math.round(price.high)
    const blur = 8 * errorOfLong * (start.high + Math.abs(way.high))
    const isSure = Math.abs(price.high - near + price.low) > blur && Math.abs(near) < Number.MAX_SAFE_INTEGER
    if (isSure) add(ticks, rounded(price, side === 'sell'))
    // It may be exactly on a tick.
    else add(ticks, whole(onTick(priceAt(spacing, anchor, exact[level]!), side, digits), digits))
  }
}

/** The lines of a range, and where a buy and a sell stand that are placed there. */
type Lines = { digits: number; exact: readonly Decimal[]; buy: Float64Array; sell: Float64Array }
const linesByRange = new WeakMap<RangeSpacing, Lines>()

function linesInTicks(range: RangeSpacing, levels: number, digits: number): Lines {
  const known = linesByRange.get(range)
  if (known?.exact.length === levels && known.digits === digits) return known
  const exact = linesOf(range, levels)
  const ticksOf = (side: OrderSide) =>
    Float64Array.from(exact, (line) => whole(onTick(line, side, digits), digits))
  const lines = { digits, exact, buy: ticksOf('buy'), sell: ticksOf('sell') }
  linesByRange.set(range, lines)
  return lines
}

function addLines(ticks: Ticks, range: RangeSpacing, levels: number, { anchor, side, digits }: Place): void {
  const lines = linesInTicks(range, levels, digits)
  const near = numberOf(anchor)
  for (let step = 0; step < levels; step++) {
    const line = side === 'buy' ? levels - 1 - step : step
    const exact = lines.exact[line]!
    const price = numberOf(exact)
    // Doubles never reverse an order; the digits decide between equal doubles.
    const way = price === near ? exact.cmp(anchor) : price - near
    if (side === 'buy' ? way < 0 : way > 0) add(ticks, lines[side][line]!)
  }
}
