import { formatAtoms } from '#src/core/money/atoms.ts'
import { openHouse, type ExchangeState } from '#src/exchange/state.ts'
import { nextFunding } from '#src/exchange/trading/positions/funding-times.ts'
import type { World } from '#src/exchange/world-file.ts'
import { chanceOf } from './random.ts'
import { noQuotes } from './maker-quotes.ts'
import type { RecordedMarkets } from '#src/exchange/simulation/recorded/recorded-market.ts'
import type {
  IndexPrice,
  RecordedSimulation,
  RecordedMarketState,
  SimulatedMarketState,
} from './simulation-records.ts'
import { beginVolatility, beginWalk, volatilityDefault } from './price-walk.ts'
import { beginRevertingWalk } from './reverting-walk.ts'

/**
 * Where prices come from: recorded data for some markets and, if `seeded`, a simulated price for all others. `reverting`:
 * as in worlds that began before ADR 0030.
 */
export type Sources = { seeded: boolean; recorded?: RecordedMarkets; reverting?: boolean }

/** Levels of the market maker on each side: they reach 5 % from the price. */
export const makerLevels = 256
const makerLevelsOfReverting = 64
/** What long positions pay in a settlement if the market has no premium: 0.01 %, in 10^-8. */
const fundingBase = 10_000

/** Only the orders of the accounts move the prices. */
export const noSimulation: Sources = { seeded: false }

/** Adds the market simulation to the state of a new world, unless no market is simulated. */
export function beginSimulation(state: ExchangeState, world: World, sources: Sources): void {
  const { seeded, recorded, reverting = false } = sources
  if (!seeded && recorded === undefined) return
  const repeats = recorded === undefined ? undefined : beginRecorded(state, world, recorded)
  const taken = new Set(repeats?.stands.map(({ market }) => market))
  const indexes: IndexPrice[] = []
  const indexOfAsset = new Map<string, number>()
  for (const [asset, rules] of seeded ? Object.entries(world.assets) : []) {
    if (rules.price === 0n) continue
    const price = Number(formatAtoms(rules.price))
    const walk = reverting
      ? beginRevertingWalk(state.seed, asset, price)
      : beginWalk(state.seed, asset, { price, volatility: rules.volatility ?? volatilityDefault })
    indexOfAsset.set(asset, indexes.push({ units: 0, walk }) - 1)
  }
  const stands: SimulatedMarketState[] = []
  for (const [market, [name, { base }]] of Object.entries(world.markets).entries()) {
    const index = indexOfAsset.get(base)
    const marketState = state.markets[market]
    if (taken.has(market) || index === undefined || marketState === undefined) continue
    marketState.indexed = true
    if (!reverting) marketState.fundingBase = fundingBase
    const chance = chanceOf(state.seed, `market ${name}`)
    const levels = reverting ? makerLevelsOfReverting : makerLevels
    const quiet = { basis: 0, herd: 0, pace: 1, bids: noQuotes(levels), asks: noQuotes(levels) }
    stands.push({ market, index, chance, nextAt: state.at, ...quiet })
  }
  state.flow = {
    beganAt: state.at,
    behindMs: 0,
    toldUntil: state.at,
    steps: 0,
    tide: chanceOf(state.seed, 'tide'),
    ...(!reverting && { volatility: beginVolatility(state.seed) }),
    indexes,
    stands,
    maker: openHouse(state, 'maker').number,
    taker: openHouse(state, 'taker').number,
    recorded: repeats,
  }
}

function beginRecorded(state: ExchangeState, world: World, recorded: RecordedMarkets): RecordedSimulation {
  const { files, fill, funding, moved, taped = true } = recorded
  state.fundingAt = nextFunding(state.at, Object.values(world.markets), funding)
  const stands: RecordedMarketState[] = []
  for (const [market, name] of Object.keys(world.markets).entries()) {
    const marketState = state.markets[market]
    if (marketState === undefined || !files.some(({ markets }) => markets.includes(name))) continue
    marketState.indexed = true
    marketState.recorded = true
    const quote = { row: 0, id: 0 }
    const kept = { taped: taped ? 0 : Infinity, rose: false }
    stands.push({ market, next: 0, quotedAt: -1, bid: { ...quote }, ask: quote, ...kept })
  }
  const first = Math.min(...files.map(({ market }) => market.beginsAt))
  return {
    laterMs: moved && stands.length > 0 ? state.at - first : 0,
    fill,
    crowd: openHouse(state, 'crowd').number,
    stands,
  }
}
