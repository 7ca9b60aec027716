import type { RecordedMarkets } from '#src/exchange/simulation/recorded/recorded-market.ts'
import type { World } from '#src/exchange/world-file.ts'
import { formatAtoms } from '#src/core/money/atoms.ts'
import type { StrategyFile } from '#src/runtime/compose/strategy-files.ts'
import { isShare } from '#src/strategy/schema/quantities.ts'
import type { SeededRandom } from './seeded-random.ts'
import { quanta, type RawRead } from './oracle-ledger.ts'
import { botKey } from './bot-process.ts'
import { marketPath } from './random-market.ts'
import type { Limits, StrategyPromises } from './oracle.ts'
import { SimulatedExchange } from './simulated-exchange.ts'
import type { SimulatedTime } from './simulated-time.ts'
import type { SimulatedWorld } from './worlds.ts'

/** 2026-01-15, 00:00 UTC. */
export const beginsAt = 1_768_435_200_000

/** Reads the account for the oracle. */
const observer = { key: 'observer-key', secret: 'observer-secret' }

/** The packaged world with these switches, the leverage of the strategy, and keys for the bot and the observer. */
export function worldFor(
  base: World,
  switches: SimulatedWorld['switches'],
  { read: { strategy } }: StrategyFile,
): World {
  const owner = base.accounts['paper']
  const [permissions] = owner?.keys.map(({ permissions }) => permissions) ?? []
  if (owner === undefined || permissions === undefined) throw new RangeError('the world has no account paper')
  const keys = [
    { ...botKey, permissions },
    { ...observer, permissions },
  ]
  return {
    ...base,
    switches: { ...base.switches, nonce: 'strict', rateLimits: 'off', ...switches },
    accounts: { paper: { ...owner, leverage: strategy.leverage ?? owner.leverage, keys } },
  }
}

/** `risk.max_notional` of markets with a single alias. */
export function limitsOf({ read: { strategy } }: StrategyFile): Limits {
  const aliases = Map.groupBy(Object.entries(strategy.markets), ([, { symbol }]) => symbol)
  return new Map(
    [...aliases].flatMap(([symbol, [one, ...more]]) => {
      const limit = one && strategy.risk.max_notional[one[0]]
      if (limit === undefined || more.length > 0) return []
      const most = isShare(limit) ? { ofEquity: quanta(limit.ofEquity.toFixed()) } : quanta(String(limit))
      return [[symbol, most] as const]
    }),
  )
}

/** Rate limit and maximum price ages of the strategy file. */
export function promisedIn({ read: { strategy } }: StrategyFile): StrategyPromises {
  const { requests, per: perMs } = strategy.submit.rate
  const ages = Object.values(strategy.feeds).flatMap((feed) => {
    const market = strategy.markets[feed.market]?.symbol
    return market === undefined || feed.stale_after === undefined ? [] : [[market, feed.stale_after] as const]
  })
  // The shortest age of a market comes last and counts.
  return { rate: { requests, perMs }, staleMs: new Map(ages.toSorted(([, one], [, other]) => other - one)) }
}

/** Reads the exchange with the key of the observer. */
export function observing(venue: SimulatedExchange): RawRead {
  let count = 0
  return (path, parameters) => {
    count += 1
    const body = Buffer.from(
      JSON.stringify({ ...parameters, request: path, nonce: String(venue.now + count) }),
    )
    const headers = {
      'content-type': 'application/json',
      'x-txc-apikey': observer.key,
      'x-txc-payload': body.toString('base64'),
      'x-txc-signature': observer.secret,
    }
    const request = { method: 'POST', path, query: '', headers, body, origin: '127.0.0.2' }
    const answer = venue.exchange.handle(request, venue.now)
    if (answer.status === 200) return JSON.parse(answer.body)
    throw new Error(`${path} is answered with ${answer.status}: ${answer.body}`)
  }
}

/** The markets of a strategy. */
export function marketsOf({ read: { strategy } }: StrategyFile): string[] {
  return [...new Set(Object.values(strategy.markets).map(({ symbol }) => symbol))]
}

/** The exchange of a simulation of at most `ms` milliseconds, with random prices of these markets. */
export function simulatedVenue(about: {
  seed: number
  world: World
  markets: readonly string[]
  dice: SeededRandom
  time: SimulatedTime
  ms: number
}): SimulatedExchange {
  const { seed, world, markets, dice, time, ms } = about
  return new SimulatedExchange({
    world,
    seed: `simulated ${seed}`,
    beginsAt,
    time,
    sources: {
      seeded: false,
      recorded: {
        files: markets.map((symbol) => marketFile(symbol, world, { dice, ms })),
        fill: 'through',
        moved: false,
        taped: true,
      },
    },
  })
}

/** A random walk around the price of the packaged world. */
function marketFile(
  symbol: string,
  world: World,
  about: { dice: SeededRandom; ms: number },
): RecordedMarkets['files'][number] {
  const rules = world.markets[symbol]
  if (rules === undefined) throw new RangeError(`there is no market ${symbol}`)
  const price = Number(formatAtoms(world.assets[rules.base]?.price ?? 0n))
  const tick = 10 ** -rules.priceDigits
  const { dice, ms } = about
  return { markets: [symbol], market: marketPath(dice, { symbol, price, tick, beginsAt, ms }) }
}
