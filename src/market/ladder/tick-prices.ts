import type { Decimal } from '#src/core/money/decimal.ts'
import { over, plus, times } from './long-double.ts'
import type { LadderPlan, OrderSide, Spacing } from './plan.ts'
import { pricesOf } from './prices.ts'
import { errorOfLong, digitsOf, fraction, long, longMax, power, rounded, whole } from './tick-numbers.ts'

/** Buffer for the prices of one side; a price that could not be proven is NaN. */
export type Ticks = { prices: Float64Array; count: number }

/** One side of a ladder: where it begins, which way it goes, and the decimals of a tick. */
type Place = { anchor: Decimal; side: OrderSide; digits: number }

/** Adds the prices of one side in ticks, equal to those of `pricesOf`. */
export function addTicks(ticks: Ticks, plan: LadderPlan, place: Place): void {
  const { spacing, levels } = plan
  if (spacing.kind === 'geometric') addChain(ticks, plan, spacing, place)
  else if (spacing.kind === 'range') addRange(ticks, spacing, levels, place)
  else addSteps(ticks, spacing, levels, place)
}

function add(ticks: Ticks, price: number): void {
  ticks.prices[ticks.count] = price
  ticks.count += 1
}

type Stepped = Extract<Spacing, { kind: 'arithmetic' | 'offsets' | 'volatility' }>
type Steps = { scale: number; first: number; step: number; at: number[] | undefined }
const stepsBySpacing = new WeakMap<Stepped, Steps>()

/** The distances of a spacing as whole numbers, cached for each spacing of a file. */
function stepsOf(spacing: Stepped): Steps {
  let steps = stepsBySpacing.get(spacing)
  if (!steps) {
    const distances = spacing.kind === 'offsets' ? spacing.at : [spacing.first, spacing.step]
    const scale = digitsOf(distances)
    const all = distances.map((distance) => whole(distance, scale))
    const [first = 0, step = 0] = all
    steps = { scale, first, step, at: spacing.kind === 'offsets' ? all : undefined }
    stepsBySpacing.set(spacing, steps)
  }
  return steps
}

/** Each price is the anchor plus a number of units: all are whole numbers at the same scale. */
function addSteps(ticks: Ticks, spacing: Stepped, levels: number, { anchor, side, digits }: Place): void {
  const { scale, first, step, at } = stepsOf(spacing)
  const anchorDigits = anchor.decimalPlaces()
  const anchorUnits = whole(anchor, anchorDigits)
  // A ratio of the anchor, or of the measured unit.
  const unit = spacing.kind === 'volatility' ? spacing.unit : undefined
  const ownDigits = unit ? unit.decimalPlaces() : anchorDigits
  const unitDigits = ownDigits + scale
  const all = Math.max(anchorDigits, unitDigits, digits)
  const base = times(long(anchorUnits), long(power(all - anchorDigits)))
  const ownUnits = unit ? whole(unit, ownDigits) : anchorUnits
  const units = ownUnits * power(all - unitDigits) * (side === 'buy' ? -1 : 1)
  const divisor = power(all - digits)
  const farthest = at ? Math.max(...at) : first + step * levels
  if (base.high + Math.abs(units) * farthest < 2 ** 53) {
    // In this range doubles are exact.
    for (let level = 0; level < levels; level++) {
      const price = base.high + units * (at ? (at[level] ?? 0) : first + step * level)
      add(ticks, side === 'sell' ? Math.ceil(price / divisor) : Math.floor(price / divisor))
    }
    return
  }
  for (let level = 0; level < levels; level++) {
    const distance = at ? (at[level] ?? 0) : first + step * level
    const price = plus(base, times(long(units), long(distance)))
    const isExact =
      Math.abs(units) < 2 ** 53 && distance < 2 ** 53 && base.high < longMax && price.high < longMax
    add(ticks, isExact ? rounded(price, divisor, side === 'sell') : NaN)
  }
}

function addRange(
  ticks: Ticks,
  spacing: Extract<Spacing, { kind: 'range' }>,
  levels: number,
  { anchor, side, digits }: Place,
): void {
  const last = levels - 1
  const all = Math.max(digitsOf([spacing.from, spacing.to, anchor]), digits)
  // Lines with equal ratios are roots, which cannot be computed exactly.
  const from = spacing.by === 'ratio' ? NaN : whole(spacing.from, all)
  const to = whole(spacing.to, all)
  const middle = whole(anchor, all) * last
  const divisor = power(all - digits) * last
  const isExact = Math.max(from, to) * last < 2 ** 53 && middle < 2 ** 53 && divisor < 2 ** 53
  for (let step = 0; step <= last; step++) {
    const line = side === 'buy' ? last - step : step
    const price = from * last + (to - from) * line
    if (side === 'buy' ? price >= middle : price <= middle) continue
    add(ticks, isExact ? rounded(long(price), divisor, side === 'sell') : NaN)
  }
}

function addChain(
  ticks: Ticks,
  plan: LadderPlan,
  spacing: Extract<Spacing, { kind: 'geometric' }>,
  place: Place,
): void {
  const { anchor, side, digits } = place
  const [first, step0, grow] = [spacing.first, spacing.step, spacing.grow].map(fraction)
  const away = side === 'buy' ? -1 : 1
  const anchorDigits = anchor.decimalPlaces()
  const one = long(1)
  let price = over(
    times(long(whole(anchor, anchorDigits)), long(power(Math.max(digits - anchorDigits, 0)))),
    long(power(Math.max(anchorDigits - digits, 0))),
  )
  let gap = first!
  let step = step0!
  let blur = 2
  for (let level = 0; level < plan.levels; level++) {
    const factor = plus(one, { high: away * gap.high, low: away * gap.low })
    price = times(price, factor)
    blur += 2 + ((level + 2) * (1 + gap.high)) / factor.high
    const near = Math.round(price.high)
    const rest = price.high - near + price.low
    const isSure = Math.abs(rest) > price.high * blur * errorOfLong
    add(ticks, isSure ? rounded(price, 1, side === 'sell') : chainAt(plan, level, place))
    gap = step
    step = times(step, grow!)
  }
}

/** A price that may be exactly on a tick, like the first ones of a chain often are. */
function chainAt(plan: LadderPlan, level: number, { anchor, side, digits }: Place): number {
  if (level > 9) return NaN
  const price = pricesOf({ ...plan, levels: level + 1 }, anchor, side, digits)?.[level]
  return price ? whole(price, digits) : NaN
}
