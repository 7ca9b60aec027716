import { cutTo, Decimal, raiseTo, ShortDecimal } from '#src/core/money/decimal.ts'
import type { LadderPlan, OrderSide, Spacing } from './plan.ts'

const one = new ShortDecimal(1)

/**
 * The prices of one side, from the anchor outwards, on the tick. A buy is rounded down and a sell up: away from the
 * market, so that rounding never makes a trade worse than planned. Undefined if a price is not above zero.
 */
export function pricesOf(
  plan: LadderPlan,
  anchor: Decimal,
  side: OrderSide,
  priceDigits: number,
): Decimal[] | undefined {
  const exact = plan.spacing.kind === 'range' ? linesOf(plan, anchor, side) : stepsOf(plan, anchor, side)
  const prices = exact.map((price) =>
    side === 'buy' ? cutTo(priceDigits, price) : raiseTo(priceDigits, price),
  )
  return prices.every(isAboveZero) ? prices : undefined
}

/** The lines of a range on one side of the anchor. A line at the anchor belongs to neither side. */
function linesOf({ spacing, levels }: LadderPlan, anchor: Decimal, side: OrderSide): Decimal[] {
  if (spacing.kind !== 'range') return []
  const { from, to } = spacing
  const last = levels - 1
  const ratio = spacing.by === 'ratio' && last > 0 ? new ShortDecimal(to).div(from).pow(one.div(last)) : one
  const lines = Array.from({ length: levels }, (_, line) => {
    if (line === 0) return from
    if (line === last) return to
    return spacing.by === 'ratio'
      ? from.times(ratio.pow(line))
      : from.plus(new ShortDecimal(to).minus(from).times(line).div(last))
  })
  return side === 'buy'
    ? lines.filter((line) => line.lt(anchor)).reverse()
    : lines.filter((line) => line.gt(anchor))
}

function stepsOf({ spacing, levels }: LadderPlan, anchor: Decimal, side: OrderSide): Decimal[] {
  const away = (distance: Decimal) => (side === 'buy' ? anchor.minus(distance) : anchor.plus(distance))
  if (spacing.kind !== 'geometric')
    return Array.from({ length: levels }, (_, index) => away(distance(spacing, anchor, index)))
  const prices: Decimal[] = []
  let price: Decimal = new ShortDecimal(anchor)
  let gap = spacing.first
  let step: Decimal = new ShortDecimal(spacing.step)
  for (let index = 0; index < levels; index++) {
    price = price.times(side === 'buy' ? one.minus(gap) : one.plus(gap))
    prices.push(price)
    // A distance of 100 % or more leaves no price for the next rung.
    if (!isAboveZero(price)) break
    gap = step
    step = step.times(spacing.grow)
  }
  return prices
}

function distance(spacing: Exclude<Spacing, { kind: 'geometric' }>, anchor: Decimal, index: number): Decimal {
  switch (spacing.kind) {
    case 'arithmetic':
      return anchor.times(spacing.step.times(index).plus(spacing.first))
    case 'volatility':
      return spacing.unit.times(spacing.step.times(index).plus(spacing.first))
    case 'offsets':
      return anchor.times(spacing.at[index] ?? 0)
    case 'range':
      return new Decimal(0)
  }
}

function isAboveZero(price: Decimal): boolean {
  return price.isPositive() && !price.isZero()
}
