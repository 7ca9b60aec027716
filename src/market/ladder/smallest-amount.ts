import { Decimal, raiseTo } from '#src/core/money/decimal.ts'
import type { MarketRules } from './plan.ts'

/** The smallest amount that the market accepts at this price, on the lot. */
export function smallestAmount({ amountDigits, minAmount, minTotal }: MarketRules, price: Decimal): Decimal {
  return raiseTo(amountDigits, Decimal.max(minAmount, minTotal.div(price)))
}
