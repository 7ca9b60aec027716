import type { MarketFacts } from '#src/engine/events.ts'
import { rulesOf } from '#src/engine/rules/market-rules.ts'
import type { MarketRules } from '#src/market/ladder/plan.ts'
import { decimal, type Decimal } from '#src/core/money/decimal.ts'
import type { Capability } from '#src/strategy/schema/strategy-schema.ts'

/** Data of a venue for `check`: market rules and prices by symbol. */
export type VenueRules = {
  markets: ReadonlyMap<string, MarketRules>
  prices: ReadonlyMap<string, Decimal>
  batchMax: number
  /** Rate limit of orders. */
  orderLimit: { calls: number; perMs: number }
  /** Maximum relative distance of a limit order from the price, if the venue has one. */
  priceBand?: Decimal | undefined
  has: readonly Capability[]
}

/** Facts and prices are by symbol. */
export function venueRules(
  facts: Readonly<Record<string, MarketFacts>>,
  prices: Iterable<readonly [symbol: string, price: string]>,
  limits: Omit<VenueRules, 'markets' | 'prices'>,
): VenueRules {
  return {
    markets: new Map(Object.entries(facts).map(([symbol, each]) => [symbol, rulesOf(each)])),
    prices: new Map([...prices].map(([symbol, price]) => [symbol, decimal(price)])),
    ...limits,
  }
}
