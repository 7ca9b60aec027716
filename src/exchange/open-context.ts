import { Secret } from '#src/venues/whitebit/contract/wire/signing.ts'
import { simulatedHistories } from '#src/exchange/simulation/simulated-history.ts'
import { createMarket } from '#src/exchange/trading/book/market.ts'
import type { ExchangeOptions } from './exchange-options.ts'
import type { ExchangeState } from './state.ts'
import type { Key, VenueContext } from './venue-context.ts'

/** `writeTrades` writes the public trades of a recorded market up to now. */
export function openContext(
  options: ExchangeOptions,
  state: ExchangeState,
  writeTrades: (market: number) => void,
): VenueContext {
  const { world, seed, profile = 'spec', spelling = 'spec', record = () => {} } = options
  const { secretOf = (secret: string) => new Secret(secret) } = options
  const { switches, shortfalls } = world
  const accounts = [...state.accounts.values(), ...state.houses]
  const markets = Object.entries(world.markets).map(([name, rules], number) =>
    createMarket(name, number, rules),
  )
  const keys = Object.entries(world.accounts).flatMap(([account, rules]) =>
    rules.keys.map(({ key, secret, permissions }) => {
      const known: Key = { account, secret: secretOf(secret), permissions: new Set(permissions) }
      return [key, known] as const
    }),
  )
  const owners = Object.entries(world.accounts).flatMap(([owner, { subAccounts }]) =>
    subAccounts.flatMap(({ id, account }) =>
      account === undefined ? [] : [[account, { owner, id }] as const],
    ),
  )
  return {
    world,
    switches,
    profile,
    state,
    trading: {
      state,
      switches,
      deleverages: shortfalls === 'deleverage',
      hasFeeTiers: markets.some(({ rules }) => rules.feeTiers !== undefined),
      markets,
      accounts,
    },
    spelling,
    markets: new Map(markets.map((market) => [market.name, market])),
    simulatedHistory: simulatedHistories(state),
    flexPlans: new Map(world.flexPlans.map((plan) => [plan.id, plan])),
    fixedPlans: new Map(world.fixedPlans.map((plan) => [plan.id, plan])),
    keys: new Map(keys),
    owners: new Map(owners),
    unknownKeySecret: new Secret(`nobody ${seed}`),
    record,
    publicTradesOf(market) {
      writeTrades(market.number)
      return state.tapes[market.number]
    },
  }
}
