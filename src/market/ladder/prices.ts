import { cutTo, type Decimal, raiseTo, ShortDecimal } from '#src/core/money/decimal.ts'
import type { LadderPlan, OrderSide, RangeSpacing, Steps } from './plan.ts'

const zero: Decimal = new ShortDecimal(0)
const one: Decimal = new ShortDecimal(1)

/** The prices of one side, from the anchor outwards, on the tick. Undefined if a price is not above zero. */
export function pricesOf(
  { spacing, levels }: LadderPlan,
  anchor: Decimal,
  side: OrderSide,
  priceDigits: number,
): Decimal[] | undefined {
  const exact =
    spacing.kind === 'range'
      ? linesBeyond(linesOf(spacing, levels), anchor, side)
      : movesOf(spacing, levels, side).map((move) => priceAt(spacing, anchor, move))
  const prices = exact.map((price) => onTick(price, side, priceDigits))
  return prices.every((price) => price.isPositive() && !price.isZero()) ? prices : undefined
}

/** A buy is rounded down and a sell up: away from the market, so that rounding never makes a trade worse than planned. */
export function onTick(price: Decimal, side: OrderSide, priceDigits: number): Decimal {
  return side === 'buy' ? cutTo(priceDigits, price) : raiseTo(priceDigits, price)
}

/** The lines of a range. */
export function linesOf({ from, to, by }: RangeSpacing, levels: number): Decimal[] {
  const last = levels - 1
  const ratio = by === 'ratio' ? new ShortDecimal(to).div(from).pow(one.div(last)) : one
  return Array.from({ length: levels }, (_, line) => {
    if (line === 0) return from
    if (line === last) return to
    return by === 'ratio'
      ? from.times(ratio.pow(line))
      : from.plus(new ShortDecimal(to).minus(from).times(line).div(last))
  })
}

/** The lines on one side of the anchor. A line at the anchor belongs to neither side. */
function linesBeyond(lines: readonly Decimal[], anchor: Decimal, side: OrderSide): Decimal[] {
  return side === 'buy'
    ? lines.filter((line) => line.lt(anchor)).reverse()
    : lines.filter((line) => line.gt(anchor))
}

/** The distances of rungs from the anchor, below it negative: multiples of the anchor, or of a measured unit. */
export type Moves = readonly Decimal[]

/** They do not depend on the anchor, so they are kept for each spacing of a file. */
type Kept = { first: Decimal | undefined; levels: number; buy: Moves; sell: Moves }
const keptMoves = new WeakMap<Steps | Decimal, Kept>()

export function movesOf(spacing: Steps, levels: number, side: OrderSide): Moves {
  // A spacing with a newly measured unit has the numbers of the file.
  const key = spacing.kind === 'volatility' ? spacing.step : spacing
  const first = spacing.kind === 'offsets' ? undefined : spacing.first
  let kept = keptMoves.get(key)
  if (kept?.levels !== levels || kept.first !== first) {
    const [buy, sell] = [computedMoves(spacing, levels, 'buy'), computedMoves(spacing, levels, 'sell')]
    keptMoves.set(key, (kept = { first, levels, buy, sell }))
  }
  return kept[side]
}

function computedMoves(spacing: Steps, levels: number, side: OrderSide): Moves {
  const away = (distance: Decimal) => (side === 'buy' ? distance.neg() : distance)
  if (spacing.kind !== 'geometric')
    return Array.from({ length: levels }, (_, index) => away(distance(spacing, index)))
  let ratio = one
  let gap = spacing.first
  let step: Decimal = new ShortDecimal(spacing.step)
  return Array.from({ length: levels }, () => {
    ratio = ratio.times(one.plus(away(gap)))
    gap = step
    step = step.times(spacing.grow)
    return ratio.minus(one)
  })
}

function distance(spacing: Exclude<Steps, { kind: 'geometric' }>, index: number): Decimal {
  switch (spacing.kind) {
    case 'arithmetic':
    case 'volatility':
      return spacing.step.times(index).plus(spacing.first)
    case 'offsets':
      return spacing.at[index] ?? zero
  }
}

/** The exact price of a rung. */
export function priceAt(spacing: Steps, anchor: Decimal, move: Decimal): Decimal {
  return anchor.plus((spacing.kind === 'volatility' ? spacing.unit : anchor).times(move))
}
