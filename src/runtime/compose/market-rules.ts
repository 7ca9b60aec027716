import type { MarketFacts } from '#src/engine/events.ts'
import type { MarketRules } from '#src/market/ladder/plan.ts'
import { decimal, signedDecimal, type Decimal } from '#src/core/money/decimal.ts'
import type { Capability } from '#src/strategy/schema/strategy-schema.ts'

/** Data of a venue for `check`: market rules and prices by symbol. */
export type VenueRules = {
  markets: Map<string, MarketRules>
  prices: Map<string, Decimal>
  batchMax: number
  /** Rate limit of orders. */
  orderLimit: { calls: number; perMs: number }
  /** Maximum relative distance of a limit order from the price, if the venue has one. */
  priceBand?: Decimal | undefined
  has: readonly Capability[]
}

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
