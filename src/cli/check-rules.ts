import { readYaml } from '#src/settings/yaml.ts'
import { worldSchema } from '#src/exchange/world.ts'
import type { MarketRules } from '#src/ladder/plan.ts'
import { formatAtoms } from '#src/money/atoms.ts'
import { Decimal } from '#src/money/decimal.ts'

/** What `check` needs to know of a venue: the rules of each market by its symbol, and where prices stand. */
export type VenueRules = {
  markets: Map<string, MarketRules>
  prices: Map<string, Decimal>
  batchMax: number
}

const exact = (atoms: bigint) => new Decimal(formatAtoms(atoms))

/** Of the embedded exchange with this world, before anybody trades there. */
export function rulesOfWorld(path: string): VenueRules {
  const world = readYaml(path, worldSchema)
  const rules: VenueRules = { markets: new Map(), prices: new Map(), batchMax: world.switches.batchMax }
  for (const [symbol, market] of Object.entries(world.markets)) {
    const { priceDigits, amountDigits } = market
    rules.markets.set(symbol, {
      priceDigits,
      amountDigits,
      minAmount: exact(market.minAmount),
      minTotal: exact(market.minTotal),
      maxTotal: exact(market.maxTotal),
      makerFee: exact(market.makerFee),
      takerFee: exact(market.takerFee),
    })
    rules.prices.set(symbol, exact(world.assets[market.base]?.price ?? 0n))
  }
  return rules
}
