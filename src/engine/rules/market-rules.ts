import type { MarketFacts } from '#src/engine/events.ts'
import type { MarketRules } from '#src/market/ladder/plan.ts'
import { decimal, signedDecimal } from '#src/core/money/decimal.ts'

export function rulesOf({ priceDigits, amountDigits, ...facts }: MarketFacts): MarketRules {
  return {
    priceDigits,
    amountDigits,
    minAmount: decimal(facts.minAmount),
    minTotal: decimal(facts.minTotal),
    maxTotal: decimal(facts.maxTotal),
    makerFee: signedDecimal(facts.makerFee),
    takerFee: signedDecimal(facts.takerFee),
  }
}
