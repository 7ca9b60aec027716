import { cutTo, decimalText, type Decimal, ShortDecimal } from '#src/core/money/decimal.ts'
import { digitsWritten } from './plan.ts'
import type { Budget, Ladder, LadderPlan, MarketRules, RefusedLadder, Rung, OrderSide } from './plan.ts'
import { spreadLeftover } from './leftover.ts'
import { pricesOf } from './prices.ts'
import { sumOf, weightsOf } from './weights.ts'

type Draft = { level: string; side: OrderSide; price: Decimal; share: Decimal }

const zero: Decimal = new ShortDecimal(0)

/**
 * Computes the rungs of a plan around an anchor. Guaranteed for all numbers: the rungs together cost at most the
 * budget, prices are on the tick and move strictly away from the anchor, amounts are on the lot, and each rung meets
 * the minimums and the maximum of the market. The ladder reports the part of the budget that rounding left over.
 */
export function buildLadder(plan: LadderPlan, anchor: Decimal, market: MarketRules): Ladder | RefusedLadder {
  const sides: OrderSide[] = plan.side === 'both' ? ['buy', 'sell'] : [plan.side]
  const prices = sides.map((side) => pricesOf(plan, anchor, side, market.priceDigits))
  const weights = prices.map((each) => weightsOf(plan.shape, each?.length ?? 0))
  const all = weights.flat()
  if (prices.includes(undefined)) {
    const refusal = 'the price of a rung would be zero or less'
    return { refusal, of: 'spacing', hint: 'use fewer levels or smaller steps' }
  }
  if (all.length === 0) {
    const refusal = `no line of the range is on the ${plan.side} side of the anchor`
    return { refusal, of: 'anchor', hint: 'move the anchor or the range' }
  }
  const sum = sumOf(all)
  const total = totalOf(plan.budget, sum, all[0] ?? zero)
  const ladder: Ladder = { rungs: [], budget: total, unused: total, merged: [], dropped: [] }
  const shares: Decimal[] = []
  for (const [index, side] of sides.entries()) {
    const drafts = (prices[index] ?? []).map((price, level) => ({
      level: `${plan.side === 'both' ? side.charAt(0) : ''}${level + 1}`,
      side,
      price,
      share: total.times(weights[index]?.[level] ?? zero).div(sum),
    }))
    const refused = fill(ladder, plan, drafts, market, shares)
    if (refused) return refused
  }
  if (plan.leftover === 'spread') spreadLeftover(ladder, shares, plan, market)
  return ladder
}

export function totalOf(budget: Budget, sum: Decimal, first: Decimal): Decimal {
  const amount = new ShortDecimal(budget.amount)
  const total = budget.for === 'all' ? amount : amount.times(sum).div(first)
  // Never more than the requested budget.
  return cutTo(digitsWritten, budget.cap && total.gt(budget.cap) ? new ShortDecimal(budget.cap) : total)
}

/** Adds the rungs of one side, nearest first, and the budget share of each. */
function fill(
  ladder: Ladder,
  plan: LadderPlan,
  drafts: Draft[],
  market: MarketRules,
  shares: Decimal[],
): RefusedLadder | undefined {
  const spentOn = ({ amount, notional }: Rung) => (plan.budget.of === 'base' ? amount : notional)
  let carried = zero
  let before: Decimal | undefined
  for (const draft of drafts) {
    const share = carried.isZero() ? draft.share : draft.share.plus(carried)
    carried = zero
    let rung = rungOf(draft, share, plan, market)
    let unused = ladder.unused.minus(spentOn(rung))
    // The sum of the weights was rounded, so the shares may exceed the budget: this rung gets only the rest.
    if (unused.isNegative()) {
      rung = rungOf(draft, ladder.unused, plan, market)
      unused = ladder.unused.minus(spentOn(rung))
    }
    const short = rungProblem(rung, before, market)
    if (short === undefined) {
      if (rung.notional.gt(market.maxTotal)) {
        const refusal = `the amount of level ${rung.level} is above the maximum order size`
        return { refusal, of: 'size', hint: 'use a smaller size or more levels' }
      }
      ladder.rungs.push(rung)
      shares.push(share)
      ladder.unused = unused
      before = rung.price
      continue
    }
    if (plan.belowMin === 'refuse') {
      const hint = 'below_min: merge or drop places the other rungs'
      return { refusal: `level ${rung.level} ${short.text}`, of: short.of, hint }
    }
    if (plan.belowMin === 'merge') carried = share
    ladder[plan.belowMin === 'merge' ? 'merged' : 'dropped'].push(rung.level)
  }
  return undefined
}

function rungOf({ level, side, price }: Draft, share: Decimal, plan: LadderPlan, market: MarketRules): Rung {
  const amount = cutTo(market.amountDigits, plan.budget.of === 'base' ? share : share.div(price))
  return { level, side, price, amount, notional: amount.times(price) }
}

/** Why the market or the ladder refuses this rung; undefined if it is valid. */
function rungProblem(
  rung: Rung,
  before: Decimal | undefined,
  market: MarketRules,
): { text: string; of: 'spacing' | 'size' } | undefined {
  if (before?.eq(rung.price) === true)
    return { text: `is on the same tick as the rung before it, ${decimalText(before)}`, of: 'spacing' }
  if (rung.amount.lt(market.minAmount) || rung.amount.isZero()) {
    const text = `has an amount of ${decimalText(rung.amount)}, below the minimum of ${decimalText(market.minAmount)}`
    return { text, of: 'size' }
  }
  if (rung.notional.lt(market.minTotal)) {
    const text = `has a notional of ${decimalText(rung.notional)}, below the minimum of ${decimalText(market.minTotal)}`
    return { text, of: 'size' }
  }
  return undefined
}
