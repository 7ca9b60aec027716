import { basename } from 'node:path'
import { tradeSides, type HistoricalMarket } from '#src/market/data/historical-market.ts'
import { everyProgram } from '#src/strategy/expressions/programs.ts'
import { reads } from '#src/strategy/expressions/reads.ts'
import type { Read } from '#src/strategy/file/read-strategy.ts'
import { polledIn } from '#src/strategy/schema/strategy-schema.ts'
import type { Scenario } from './scenario.ts'

/** The functions of a strategy that read polled feeds. */
export function callsOf({ strategy, programs }: Read) {
  const feeds = new Map(Object.entries(polledIn(strategy)))
  return reads(everyProgram(programs), programs.lets).calls.flatMap(({ name, of = '' }) => {
    const feed = feeds.get(of)
    const symbol = feed && strategy.markets[feed.market]?.symbol
    return symbol === undefined ? [] : [{ name, of, symbol, source: feed?.source }]
  })
}

/** Which functions of polled feeds are unknown, and why. */
export function unknownTexts({
  strategies,
  markets,
  funding,
}: Pick<Scenario, 'strategies' | 'markets' | 'funding'>): string[] {
  const texts: string[] = []
  for (const [strategy, read] of strategies) {
    for (const { name, of, symbol, source } of callsOf(read)) {
      const reason =
        source === 'depth'
          ? 'market files have no order book'
          : source === 'trades'
            ? whyNoTrades(name, markets.get(symbol))
            : whyUnknown(name, funding.get(symbol))
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
  return `${basename(funding.file)} has no column rate_calculated_time, which states when each rate was known`
}

function whyNoTrades(name: string, market: HistoricalMarket | undefined): string | undefined {
  if (market?.kind !== 'trades') return 'the market file has bars, not trades'
  const [block] = market.blocks()
  if (name !== 'buy_volume' && name !== 'sell_volume') return undefined
  return block?.sides?.includes(tradeSides.unknown) === false
    ? undefined
    : 'the market file does not state the side of each trade'
}
