import { basename } from 'node:path'
import { BotError } from '#src/core/errors/bot-error.ts'
import type { Exchange } from '#src/exchange/exchange.ts'
import { everyProgram } from '#src/strategy/expressions/programs.ts'
import { reads } from '#src/strategy/expressions/reads.ts'
import type { Read } from '#src/strategy/file/read-strategy.ts'
import type { BacktestMarket } from './loop/loop-parts.ts'
import type { FuturesMarket } from './loop/historical-futures.ts'
import type { Scenario } from './scenario.ts'
import { isPerpetual } from './world.ts'

/** A venue does not list a spot market among its futures, so nothing would ever be known. */
export function refuseSpotFutures(strategies: Scenario['strategies']): void {
  for (const [name, { strategy }] of strategies) {
    for (const [feed, { market }] of Object.entries(strategy.futures)) {
      const symbol = strategy.markets[market]?.symbol ?? ''
      if (isPerpetual(symbol)) continue
      throw new BotError('STRATEGY_INVALID', {
        seen: `${name} reads futures of ${symbol} (${feed}), which is no perpetual`,
        fix: 'Read a perpetual such as BTC_PERP, or omit the feed',
      })
    }
  }
}

/** The markets with a feed of futures. */
export function futuresRead(
  { strategies, funding }: Pick<Scenario, 'strategies' | 'funding'>,
  places: readonly BacktestMarket[],
  { state, venue }: Exchange,
): FuturesMarket[] {
  const calls = [...strategies.values()].flatMap(callsOf)
  return places.flatMap((place): FuturesMarket[] => {
    const { symbol } = place
    const market = venue.trading.markets.find(({ name }) => name === symbol)
    const isListed = [...strategies.values()].some(({ strategy: { futures, markets } }) =>
      Object.values(futures).some((feed) => markets[feed.market]?.symbol === symbol),
    )
    if (!market || !isListed) return []
    const priced = calls.filter(({ name }) => name === 'mark' || name === 'index')
    return [
      {
        place,
        isPriced: priced.some((call) => call.symbol === symbol),
        rates: funding.get(symbol)?.rates ?? [],
        // The index of a recorded market is its price, as its mark price is.
        mark: () => Number(market.priceText(state.markets[market.number]?.mark ?? 0)),
      },
    ]
  })
}

/** The functions of a strategy that read feeds of futures. */
function callsOf({ strategy: { futures, markets }, programs }: Read) {
  return reads(everyProgram(programs), programs.lets).calls.flatMap(({ name, of = '' }) => {
    const feed = Object.hasOwn(futures, of) ? futures[of] : undefined
    const symbol = feed && markets[feed.market]?.symbol
    return symbol === undefined ? [] : [{ name, of, symbol }]
  })
}

/** Which functions of futures are unknown, and why. */
export function futuresTexts({ strategies, funding }: Pick<Scenario, 'strategies' | 'funding'>): string[] {
  const texts: string[] = []
  for (const [strategy, read] of strategies) {
    for (const { name, of, symbol } of callsOf(read)) {
      const reason = whyUnknown(name, funding.get(symbol))
      if (reason !== undefined) texts.push(`${strategy}: ${name}(${of}) is unknown: ${reason}.`)
    }
  }
  return [...new Set(texts)]
}

function whyUnknown(name: string, funding: ReturnType<Scenario['funding']['get']>): string | undefined {
  if (name === 'open_interest') return 'market files have no open interest'
  if (name !== 'funding' && name !== 'funding_hours') return undefined
  if (!funding) return '--funding FILE gives the rates'
  if (name === 'funding_hours' || funding.rates.some(({ calculatedAt }) => calculatedAt !== undefined))
    return undefined
  return `${basename(funding.file)} has no column rate_calculated_time, which tells when each rate was known`
}
