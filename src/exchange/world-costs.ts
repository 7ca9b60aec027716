import { BotError } from '#src/core/errors/bot-error.ts'
import { marketCosts, type CostTexts } from '#src/venues/whitebit/contract/market-costs.ts'
import { hasExactFees, inexactFees, type World, type WorldMarket } from './world-file.ts'

/** By kind of market or by symbol: the section `markets` of a venue file. */
export type CostsByMarket = Readonly<Record<string, CostTexts>>

/** The world with these costs. Values of a symbol win over those of its kind. */
export function withCosts(world: World, costs: CostsByMarket): World {
  const names = Object.keys(world.markets)
  for (const key of Object.keys(costs)) {
    if (key === 'spot' || key === 'futures' || names.includes(key)) continue
    throw fault(
      `markets.${key} is no market of the exchange`,
      `Use spot, futures, or one of ${names.join(', ')}`,
    )
  }
  const markets = Object.entries(world.markets).map(([symbol, before]) => {
    const own = marketCosts.parse({ ...costs[before.kind], ...costs[symbol] })
    const after: WorldMarket = Object.assign({}, before, own)
    if (before.kind === 'spot' && after.fundingHours !== undefined)
      throw fault(`fundingHours of ${symbol}: only futures pay funding`, 'Put the key below futures')
    if (!hasExactFees(after)) throw fault(`${symbol}: ${inexactFees}`, 'Write fees with fewer decimals')
    return [symbol, after] as const
  })
  return { ...world, markets: Object.fromEntries(markets) }
}

function fault(seen: string, fix: string): BotError {
  return new BotError('SETTING_INVALID', { seen: `section markets of the venue file: ${seen}`, fix })
}
