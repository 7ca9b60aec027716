import { buildLadder } from '#src/market/ladder/ladder.ts'
import type {
  Budget,
  Ladder,
  LadderPlan,
  MarketRules,
  RefusedLadder,
  Rung,
  RungText,
  Spacing,
} from '#src/market/ladder/plan.ts'
import { inDecimals, inTexts, ladderInTicks } from '#src/market/ladder/tick-ladder.ts'
import { Decimal, decimalText, fromDouble } from '#src/core/money/decimal.ts'
import { answer } from '#src/strategy/expressions/expression.ts'
import type { LadderFile } from '#src/strategy/schema/ladder-schema.ts'
import type { LadderPrograms, Price } from '#src/strategy/expressions/programs.ts'
import type { Context } from '#src/strategy/expressions/compile-expression.ts'

export type Placed = Ladder & {
  anchor: Decimal
  budgetOf: Budget['of']
  /** The rungs that rest at the venue at the same time: the nearest ones. */
  resting: Set<Rung>
}

/** `at` is the key in the ladder that is wrong, or whose expression is unknown. */
type RungsRefusal = { refusal: string; at: readonly string[]; hint: string }
/** `none`: the expression of the size is zero or less, which places no rung. */
export type NotComputed =
  | RungsRefusal
  | { unknown: string; at: readonly string[] }
  | { none: string; at: readonly string[] }

/** Of computed sizes. */
const digitsBelowLot = 2

type LadderInput = [
  file: LadderFile,
  programs: LadderPrograms,
  context: Context,
  market: MarketRules,
  equity: () => Decimal | undefined,
]

/** The rungs of one ladder at the given data, with everything that the preview shows. */
export function rungsOf(...world: LadderInput): Placed | NotComputed {
  const planned = planOf(...world)
  if (!('plan' in planned)) return planned
  const { plan, anchor } = planned
  const [file, , , market] = world
  const quick = ladderInTicks(plan, anchor, market)
  const ladder = quick ? inDecimals(quick, market) : buildLadder(plan, anchor, market)
  if ('refusal' in ladder) return refusalIn(file, ladder)
  const resting = restingOf(file, ladder.rungs, anchor)
  return { ...ladder, anchor, budgetOf: plan.budget.of, resting }
}

/** The same rungs as texts for a request, and nothing else. */
export function rungTexts(...world: LadderInput): { anchor: Decimal; rungs: RungText[] } | NotComputed {
  const planned = planOf(...world)
  if (!('plan' in planned)) return planned
  const { plan, anchor } = planned
  const [file, , , market] = world
  const quick = ladderInTicks(plan, anchor, market)
  if (quick) return { anchor, rungs: inTexts(quick, market) }
  const ladder = buildLadder(plan, anchor, market)
  if ('refusal' in ladder) return refusalIn(file, ladder)
  const rungs = ladder.rungs.map(({ level, side, price, amount }) => {
    return { level, side, price: decimalText(price), amount: decimalText(amount) }
  })
  return { anchor, rungs }
}

function planOf(
  ...[file, programs, context, market, equity]: LadderInput
): { plan: LadderPlan; anchor: Decimal } | NotComputed {
  const anchor = valueOf(programs.anchor, context)
  if ('unknown' in anchor) return { unknown: `anchor: ${anchor.unknown}`, at: ['anchor'] }
  if (!isAboveZero(anchor.value))
    return refusedAt(['anchor'], 'the anchor is not above zero', 'use an expression with a value above zero')
  const spacing = spacingOf(file, programs, context)
  if ('unknown' in spacing) return { unknown: `unit: ${spacing.unknown}`, at: ['spacing', 'unit'] }
  if (spacing.kind === 'volatility' && !isAboveZero(spacing.unit))
    return refusedAt(
      ['spacing', 'unit'],
      'the unit of the spacing is not above zero',
      'add a minimum, such as max(atr(h1, 14), 1)',
    )
  const budget = budgetOf(file, programs, context, market, equity)
  if ('unknown' in budget) return { unknown: `size: ${budget.unknown}`, at: budget.at }
  if ('none' in budget) return budget
  if (!isAboveZero(budget.amount))
    return refusedAt(
      ['size', 'scale_by'],
      'scale_by reduces the capital to zero',
      'add a minimum, such as max(factor, 0.4)',
    )
  return { plan: planWith(file, spacing, budget), anchor: anchor.value }
}

function refusedAt(at: readonly string[], refusal: string, hint: string): RungsRefusal {
  return { refusal, at, hint }
}

function refusalIn({ size }: LadderFile, { refusal, of, hint }: RefusedLadder): RungsRefusal {
  return { refusal, at: of === 'size' ? sizeKey(size) : [of], hint }
}

/** The key that sets the size of the ladder. */
export function sizeKey({ total, first }: LadderFile['size']): readonly string[] {
  return ['size', total ? 'total' : first ? 'first' : 'risk']
}

/** Reads the sign, because a comparison would allocate another Decimal. */
function isAboveZero(value: Decimal): boolean {
  return value.isPositive() && !value.isZero()
}

const plans = new WeakMap<LadderFile, LadderPlan>()

/** Returns the plan of the last call if it is unchanged, so that caches by plan stay valid. */
function planWith(file: LadderFile, spacing: Spacing, budget: Budget): LadderPlan {
  const before = plans.get(file)
  if (before?.spacing === spacing && isSame(before.budget, budget)) return before
  const plan: LadderPlan = {
    side: file.side,
    levels: file.levels,
    spacing,
    shape: file.size.shape,
    budget,
    belowMin: file.below_min,
    leftover: file.size.leftover,
  }
  plans.set(file, plan)
  return plan
}

function isSame(a: Budget, b: Budget): boolean {
  return a.amount === b.amount && a.cap === b.cap && a.of === b.of && a.for === b.for
}

/** The nearest rungs of both sides together, within the maximum number and the maximum distance. */
function restingOf({ resting }: LadderFile, rungs: readonly Rung[], anchor: Decimal): Set<Rung> {
  const away = rungs.map((rung) => ({ rung, distance: rung.price.minus(anchor).abs() }))
  const farthest = resting.within?.times(anchor)
  const near = farthest ? away.filter(({ distance }) => distance.lte(farthest)) : away
  const nearest = near.sort((a, b) => a.distance.cmp(b.distance)).slice(0, resting.max)
  return new Set(nearest.map(({ rung }) => rung))
}

function spacingOf(
  { spacing }: LadderFile,
  { unit }: LadderPrograms,
  context: Context,
): Spacing | { unknown: string } {
  if (spacing.kind !== 'volatility') return spacing
  const found = unit ? valueOf(unit, context) : { unknown: 'it is missing' }
  return 'unknown' in found ? found : { ...spacing, unit: found.value }
}

function budgetOf(
  ...[file, programs, context, market, equityNow]: LadderInput
): Budget | Exclude<NotComputed, RungsRefusal> {
  const { size } = file
  const given = size.total ?? size.first ?? size.risk
  if (given === undefined) return { unknown: 'it is missing', at: ['size'] }
  const { scale } = programs
  let cap = size.cap?.amount
  let share: Decimal | undefined
  if (given.of === 'equity' || size.cap?.of === 'equity') {
    const equity = equityNow()
    if (equity === undefined) return { unknown: 'the equity is unknown', at: sizeKey(size) }
    if (given.of === 'equity') share = equity
    if (size.cap?.of === 'equity') cap = cap?.times(equity)
  }
  const found = 'expression' in given ? computedSize(given, programs, context, market) : given.amount
  if (!Decimal.isDecimal(found)) return { ...found, at: sizeKey(size) }
  let amount = share === undefined ? found : found.times(share)
  if (scale) {
    const factor = valueOf(scale, context)
    if ('unknown' in factor) return { unknown: `scale_by: ${factor.unknown}`, at: ['size', 'scale_by'] }
    amount = amount.times(factor.value)
  }
  if (size.risk) amount = amount.div(lossPerCapital(file, market))
  return { amount, of: given.of === 'base' ? 'base' : 'quote', for: size.first ? 'first' : 'all', cap }
}

/**
 * The loss of a ladder with one side for each unit of its cost, if all rungs fill and the stop closes at its price: the distance
 * of the stop, the maker fee of the entries, and the taker fee of the value at the stop. A rebate does not make it smaller.
 */
function lossPerCapital({ side, exit }: LadderFile, { makerFee, takerFee }: MarketRules): Decimal {
  const pct = exit?.stop?.pct ?? new Decimal(1)
  const left = side === 'sell' ? pct.plus(1) : new Decimal(1).minus(pct)
  return pct.plus(Decimal.max(0, makerFee)).plus(Decimal.max(0, takerFee).times(left))
}

/**
 * A computed size, or why there is none. The difference of two positions carries the rounding errors of doubles: without them it
 * is a whole number of lots again, and no lot is missing.
 */
function computedSize(
  { of }: { of: 'quote' | 'base' },
  { size }: LadderPrograms,
  context: Context,
  { amountDigits, priceDigits }: MarketRules,
): Decimal | { unknown: string } | { none: string } {
  const found = size ? valueOf(size, context) : { unknown: 'it is missing' }
  if ('unknown' in found) return found
  const digits = amountDigits + (of === 'base' ? 0 : priceDigits) + digitsBelowLot
  const amount = found.value.toDecimalPlaces(digits)
  return isAboveZero(amount)
    ? amount
    : { none: `its size is ${amount.toFixed()} ${of}, and zero or less places no rung` }
}

/** The current value of an expression as an exact number; a number of the file is returned unchanged. */
export function valueOf(price: Price, context: Context): { value: Decimal } | { unknown: string } {
  if (Decimal.isDecimal(price)) return { value: price }
  const found = answer(price, context)
  return 'unknown' in found ? found : { value: fromDouble(Number(found.value)) }
}

/** The distance of the first two rungs, which is the unit of a drift in steps; zero for a single rung. */
export function stepOf([first, second]: readonly { price: string | Decimal }[]): number {
  return first === undefined || second === undefined
    ? 0
    : Math.abs(Number(first.price) - Number(second.price))
}
