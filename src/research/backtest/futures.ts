import { basename } from 'node:path'
import { everyProgram } from '#src/strategy/expressions/programs.ts'
import { reads } from '#src/strategy/expressions/reads.ts'
import type { Read } from '#src/strategy/file/read-strategy.ts'
import type { PolledFeed } from '#src/strategy/schema/strategy-schema.ts'
import type { BacktestMarket } from './loop/loop-parts.ts'
import { HistoricalFutures, type FuturesMarket } from './loop/historical-futures.ts'
import type { Scenario } from './scenario.ts'
import type { BacktestSimulation } from './simulation.ts'

/** The list of futures, for the markets that have a feed of them. */
export function futuresOf(
  { scene: { strategies, funding }, exchange, recorder }: BacktestSimulation,
  places: readonly BacktestMarket[],
): HistoricalFutures {
  const reading = [...strategies.values()]
  const listed = new Set(reading.flatMap(symbolsOf))
  const calls = reading.flatMap(callsOf)
  const { state, venue } = exchange
  const markets = venue.trading.markets.flatMap((market): FuturesMarket[] => {
    const { name: symbol, number } = market
    const place = places.find((each) => each.symbol === symbol)
    if (!place || !listed.has(symbol)) return []
    const isPriced = calls.some(
      (call) => call.symbol === symbol && (call.name === 'mark' || call.name === 'index'),
    )
    // The index of a recorded market is its price, as its mark price is.
    const mark = () => Number(market.priceText(state.markets[number]?.mark ?? 0))
    return [{ place, isPriced, rates: funding.get(symbol)?.rates ?? [], mark }]
  })
  return new HistoricalFutures(markets, (symbol, at) => recorder.polled(symbol, at))
}

function symbolsOf({ strategy: { futures, markets } }: Read): string[] {
  return Object.values(futures).flatMap(({ market }) => markets[market]?.symbol ?? [])
}

/** The functions of a strategy that read feeds of futures or of depth. */
function callsOf({ strategy: { futures, depth, markets }, programs }: Read) {
  const feeds = new Map<string, PolledFeed>(Object.entries({ ...futures, ...depth }))
  return reads(everyProgram(programs), programs.lets).calls.flatMap(({ name, of = '' }) => {
    const feed = feeds.get(of)
    const symbol = feed && markets[feed.market]?.symbol
    return symbol === undefined ? [] : [{ name, of, symbol, source: feed?.source }]
  })
}

/** Which functions of polled feeds are unknown, and why. */
export function unknownTexts({ strategies, funding }: Pick<Scenario, 'strategies' | 'funding'>): string[] {
  const texts: string[] = []
  for (const [strategy, read] of strategies) {
    for (const { name, of, symbol, source } of callsOf(read)) {
      const reason =
        source === 'depth' ? 'market files have no order book' : whyUnknown(name, funding.get(symbol))
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
