import { formatAtoms } from '#src/core/money/atoms.ts'
import { Decimal } from '#src/core/money/decimal.ts'
import type { MarketFacts } from '#src/engine/events.ts'
import { minTotalOf } from '#src/exchange/trading/book/market.ts'
import type { World } from '#src/exchange/world-file.ts'
import { venueRules, type VenueRules } from '#src/runtime/compose/venue-rules.ts'
import { readWorld } from './packaged-world.ts'
import { served } from '#src/strategy/file/capabilities.ts'
import { orderLimit } from '#src/venues/whitebit/contract/rate-limits.ts'

/** Rules of the embedded exchange with this world, before it runs. */
export function rulesOfWorld(path: string, profile: 'spec' | 'full'): VenueRules {
  const world = readWorld(path)
  const { batchMax } = world.switches
  // One band stands for all markets: the narrowest.
  const bands = Object.values(world.markets).map(({ priceBand = world.switches.priceBand }) => priceBand)
  const priceBand = Math.min(...bands)
  const hasBand = profile === 'full' && priceBand !== Infinity
  const prices = Object.entries(world.markets).map(
    ([symbol, { base }]) => [symbol, formatAtoms(world.assets[base]?.price ?? 0n)] as const,
  )
  return venueRules(factsOfWorld(world), prices, {
    batchMax,
    orderLimit,
    priceBand: hasBand ? new Decimal(priceBand).div(100) : undefined,
    has: served[profile],
  })
}

/** Order rules of the markets of a world: the embedded exchange does not publish them in profile spec. */
export function factsOfWorld(world: World): Record<string, MarketFacts> {
  const facts = Object.entries(world.markets).map(([symbol, market]): [string, MarketFacts] => {
    const { money, priceDigits, amountDigits } = market
    const texts = {
      minAmount: formatAtoms(market.minAmount),
      minTotal: formatAtoms(minTotalOf(market)),
      maxTotal: formatAtoms(market.maxTotal),
      makerFee: formatAtoms(market.makerFee),
      takerFee: formatAtoms(market.takerFee),
    }
    return [symbol, { money, priceDigits, amountDigits, ...texts }]
  })
  return Object.fromEntries(facts)
}
