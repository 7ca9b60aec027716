import type { MarketFacts } from '#src/engine/events.ts'
import type { MarketRules } from '#src/market/ladder/plan.ts'
import { decimal, signedDecimal, type Decimal } from '#src/core/money/decimal.ts'
import type { Capability } from '#src/strategy/schema/strategy-schema.ts'

/** What `check` needs to know of a venue: the rules of each market by its symbol, and where prices stand. */
export type VenueRules = {
  markets: Map<string, MarketRules>
  prices: Map<string, Decimal>
  batchMax: number
  /** How often orders may be submitted. */
  orderLimit: { calls: number; perMs: number }
  /** The share of the price that a limit order may lie away from it, where the venue says so. */
  priceBand?: Decimal | undefined
  /** What a strategy can count on there. */
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
