import { Decimal, cutTo, raiseTo, ShortDecimal } from '#src/core/money/decimal.ts'
import { totalOf } from './ladder.ts'
import { over, remainderOf, times, type Long, plus } from './long-double.ts'
import { formatUnits } from '#src/core/money/units.ts'
import type { Ladder, LadderPlan, MarketRules, Rung, RungText, OrderSide, WeightShape } from './plan.ts'
import { errorOfLong, long, longWhole, power, digitsOf } from './tick-numbers.ts'
import { addTicks, type Ticks } from './tick-prices.ts'
import { sumOf, weightsOf } from './weights.ts'

/**
 * The same ladder as `buildLadder`, digit for digit, in whole ticks and lots, for callers that need thousands of them.
 * It computes in doubles with known error bounds, and with twice the digits where the error could matter. If a result
 * cannot be proven, there is no TickLadder and the caller uses Decimals.
 */
export type TickLadder = {
  sides: readonly OrderSide[]
  /** Number of rungs on the first side. */
  turn: number
  prices: Float64Array
  amounts: Float64Array
  budget: Decimal
  /** The spent budget, in units of its last digit. */
  spent: number
  digits: number
}

/** Relative error bound of a quotient whose numbers are nearest doubles. */
const errorOfDouble = 2 ** -48
const safe = Number.MAX_SAFE_INTEGER

export function ladderInTicks(
  plan: LadderPlan,
  anchor: Decimal,
  market: MarketRules,
): TickLadder | undefined {
  if (plan.leftover !== 'keep') return undefined
  const { priceDigits, amountDigits } = market
  const sides: OrderSide[] = plan.side === 'both' ? ['buy', 'sell'] : [plan.side]
  const ticks: Ticks = { prices: new Float64Array(plan.levels * sides.length), count: 0 }
  const turns = sides.map((side) => {
    addTicks(ticks, plan, { anchor, side, digits: priceDigits })
    return ticks.count
  })
  const { prices, count } = ticks
  if (count === 0) return undefined
  const turn = turns[0] ?? 0
  const { weights, budget, top, bottom, most } = sharesOf(plan, market, turn, count)
  const { sum } = weights
  const inBase = plan.budget.of === 'base'

  const isExact =
    weights.isExact &&
    top.low === 0 &&
    top.high <= safe &&
    sum.high * bottom * (inBase ? 1 : Math.max(prices[0] ?? NaN, prices[count - 1] ?? NaN)) <= safe
  const each = isExact ? top : over(over(top, long(bottom)), sum)
  const below = isExact ? sum.high * bottom : 1
  const blur = isExact ? 0 : (3 * count + 10) * errorOfLong

  const valueDigits = priceDigits + amountDigits
  const { amountMin, valueMin, valueMax } = boundsOf(market)
  const amounts = new Float64Array(count)
  let spent = 0
  for (let index = 0; index < count; index++) {
    const price = prices[index] ?? NaN
    const amount = amountOf(
      each,
      weights.high[index] ?? NaN,
      weights.low[index] ?? NaN,
      inBase ? below : below * price,
      blur,
    )
    const value = amount * price
    spent += inBase ? amount : value
    const isApart = index === 0 || index === turn || price !== prices[index - 1]
    if (!(price >= 1 && amount >= amountMin && value >= valueMin && value <= valueMax && isApart))
      return undefined
    if (value > safe) return undefined
    amounts[index] = amount
  }
  if (spent > safe) return undefined
  const digits = inBase ? amountDigits : valueDigits
  if (spent > most) return undefined
  return { sides, turn, prices: prices.subarray(0, count), amounts, budget, spent, digits }
}

type Shares = {
  market: MarketRules
  turn: number
  count: number
  weights: Weights
  budget: Decimal
  top: Long
  bottom: number
  /** The whole budget, in the units of `spent`. */
  most: number
}
const spread = new WeakMap<LadderPlan, Shares>()

/**
 * The values that depend on the plan only, not on the anchor. The amount of a rung is top * weight / (sum * bottom *
 * price); the price is 1 if the budget is an amount of the base currency.
 */
function sharesOf(plan: LadderPlan, market: MarketRules, turn: number, count: number): Shares {
  const before = spread.get(plan)
  if (before?.market === market && before.turn === turn && before.count === count) return before
  const { priceDigits, amountDigits } = market
  const inBase = plan.budget.of === 'base'
  const weights = tickWeights(plan.shape, [turn, count - turn])
  const budget = totalOf(plan.budget, weights.total, weights.first ?? weights.total)
  const budgetDigits = budget.decimalPlaces()
  const shift = amountDigits + (inBase ? 0 : priceDigits) - budgetDigits
  const top = times(longWhole(budget, budgetDigits), long(power(Math.max(shift, 0))))
  const bottom = power(Math.max(-shift, 0))
  const digits = inBase ? amountDigits : priceDigits + amountDigits
  const most = cutTo(0, budget.times(power(digits))).toNumber()
  const shares = { market, turn, count, weights, budget, top, bottom, most }
  spread.set(plan, shares)
  return shares
}

type Bounds = { amountMin: number; valueMin: number; valueMax: number }
const boundsByMarket = new WeakMap<MarketRules, Bounds>()

/** The order limits of the market, in lots and in units of value, cached for thousands of ladders. */
function boundsOf(market: MarketRules): Bounds {
  let bounds = boundsByMarket.get(market)
  if (!bounds) {
    const { amountDigits, priceDigits, minAmount, minTotal, maxTotal } = market
    const valueDigits = priceDigits + amountDigits
    bounds = {
      amountMin: Math.max(1, unitsAbove(minAmount, amountDigits)),
      valueMin: unitsAbove(minTotal, valueDigits),
      valueMax: cutTo(0, maxTotal.times(power(valueDigits))).toNumber(),
    }
    boundsByMarket.set(market, bounds)
  }
  return bounds
}

/** The whole number below each * weight / divisor; NaN if it cannot be proven. */
function amountOf(each: Long, high: number, low: number, divisor: number, blur: number): number {
  const guess = (each.high * high) / divisor
  const near = Math.round(guess)
  if (Math.abs(guess - near) > guess * errorOfDouble) return guess < near ? near - 1 : near
  const share = times(each, { high, low })
  const rest = remainderOf(share, near, divisor)
  if (divisor > safe || (blur > 0 && !(Math.abs(rest) > share.high * blur))) return NaN
  return rest < 0 ? near - 1 : near
}

function unitsAbove(value: Decimal, digits: number): number {
  return raiseTo(0, value.times(power(digits))).toNumber()
}

/** The ladder in Decimals. */
export function inDecimals(ladder: TickLadder, { priceDigits, amountDigits }: MarketRules): Ladder {
  const { prices, amounts, budget, spent, digits } = ladder
  const unused = budget.minus(new ShortDecimal(spent).div(power(digits)))
  const tick = new Decimal(10).pow(-priceDigits)
  const lot = new Decimal(10).pow(-amountDigits)
  const rungs: Rung[] = []
  for (const [index, units] of prices.entries()) {
    const price = tick.times(units)
    const amount = lot.times(amounts[index] ?? 0)
    rungs.push({ ...nameOf(ladder, index), price, amount, notional: price.times(amount) })
  }
  return { rungs, budget, unused, merged: [], dropped: [] }
}

/** The ladder as texts for a request. */
export function inTexts(ladder: TickLadder, { priceDigits, amountDigits }: MarketRules): RungText[] {
  const { prices, amounts } = ladder
  const rungs: RungText[] = []
  for (let index = 0; index < prices.length; index++) {
    const { level, side } = nameOf(ladder, index)
    const price = formatUnits(prices[index] ?? 0, priceDigits)
    rungs.push({ level, side, price, amount: formatUnits(amounts[index] ?? 0, amountDigits) })
  }
  return rungs
}

function nameOf({ sides, turn }: TickLadder, index: number): { level: string; side: OrderSide } {
  const isFirst = index < turn
  const side = sides[isFirst ? 0 : 1] ?? 'buy'
  return { level: `${sides.length > 1 ? side.charAt(0) : ''}${isFirst ? index + 1 : index + 1 - turn}`, side }
}

/** The weights of both sides with twice the digits, all at the same scale. */
type Weights = {
  high: Float64Array
  low: Float64Array
  sum: Long
  /** Whether they and their sum are whole numbers. */
  isExact: boolean
  first: Decimal | undefined
  total: Decimal
}

/** By the rungs of each side: a price that moves in a range changes them. */
const weightsByShape = new WeakMap<WeightShape, Map<string, Weights>>()
const keptMost = 256

/** `counts` are the rungs of each side. */
function tickWeights(shape: WeightShape, counts: readonly number[]): Weights {
  let known = weightsByShape.get(shape)
  if (!known) weightsByShape.set(shape, (known = new Map()))
  const key = counts.join(' ')
  let weights = known.get(key)
  if (weights) return weights
  weights = computed(shape, counts)
  if (known.size === keptMost) known.clear()
  known.set(key, weights)
  return weights
}

function computed(shape: WeightShape, counts: readonly number[]): Weights {
  const exact = counts.flatMap((count) => weightsOf(shape, count))
  const digits = digitsOf(exact)
  const high = new Float64Array(exact.length)
  const low = new Float64Array(exact.length)
  let sum = long(0)
  let each = sum
  for (const [index, weight] of exact.entries()) {
    if (weight !== exact[index - 1]) each = longWhole(weight, digits)
    high[index] = each.high
    low[index] = each.low
    sum = plus(sum, each)
  }
  const isExact = sum.low === 0 && sum.high <= Number.MAX_SAFE_INTEGER
  return { high, low, sum, isExact, first: exact[0], total: sumOf(exact) }
}
