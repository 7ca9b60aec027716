import { basename } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { Decimal } from '#src/core/money/decimal.ts'
import { reachOf } from '#src/engine/state/depth.ts'
import { staleAfterMs } from '#src/engine/state/prices.ts'
import {
  tradeSides,
  type HistoricalListing,
  type HistoricalMarket,
} from '#src/market/data/historical-market.ts'
import { everyProgram } from '#src/strategy/expressions/programs.ts'
import { reads } from '#src/strategy/expressions/reads.ts'
import type { Read } from '#src/strategy/file/read-strategy.ts'
import { polledIn } from '#src/strategy/schema/strategy-schema.ts'
import type { HistoricalDepth, ReachRead } from './loop/historical-depth.ts'
import type { HistoricalFutures } from './loop/historical-futures.ts'
import type { RowPolls } from './loop/row-polls.ts'
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
  futures,
  depth,
}: Pick<Scenario, 'strategies' | 'markets' | 'funding' | 'futures' | 'depth'>): string[] {
  const texts: string[] = []
  for (const [strategy, read] of strategies) {
    for (const { name, of, symbol, source } of callsOf(read)) {
      const reason =
        source === 'depth'
          ? whyNoDepth(depth.has(symbol))
          : source === 'trades'
            ? whyNoTrades(name, markets.get(symbol))
            : whyUnknown(name, funding.get(symbol), futures.get(symbol))
      if (reason !== undefined) texts.push(`${strategy}: ${name}(${of}) is unknown: ${reason}.`)
    }
  }
  return [...new Set(texts)]
}

function whyNoDepth(isGiven: boolean): string | undefined {
  return isGiven ? undefined : 'market files have no order book, --depth FILE gives it'
}

function whyUnknown(
  name: string,
  funding: ReturnType<Scenario['funding']['get']>,
  listing: HistoricalListing | undefined,
): string | undefined {
  if (name === 'open_interest') {
    if (!listing) return 'market files have no open interest, --futures FILE gives it'
    return listing.has.includes('openInterest')
      ? undefined
      : `${basename(listing.file)} has no values of open_interest`
  }
  if (name === 'funding' && listing?.has.includes('funding')) return undefined
  if (name === 'funding_hours' && listing?.has.includes('fundingAt')) return undefined
  if (name !== 'funding' && name !== 'funding_hours') return undefined
  if (!funding) return '--funding FILE gives the rates'
  if (name === 'funding_hours' || funding.rates.some(({ calculatedAt }) => calculatedAt !== undefined))
    return undefined
  return `${basename(funding.file)} has no column rate_calculated_time, which states when each rate was known`
}

/** Rows are not evenly spaced: a pause up to so many averages is no missing part. */
const unevenTimes = 1.5

/** What was read of the files of --futures and --depth. */
export type PolledFiles = {
  futures: Pick<HistoricalFutures, 'rowsOf'>
  depth: Pick<HistoricalDepth, 'readsOf'>
}

/** Which values were unknown for a part of the time, since a file has too few rows or too few levels. */
export function sparseTexts(
  { strategies, from, to }: Pick<Scenario, 'strategies' | 'from' | 'to'>,
  { futures, depth }: PolledFiles,
): string[] {
  const texts: string[] = []
  for (const [name, { strategy }] of strategies) {
    const symbolOf = (market: string) => strategy.markets[market]?.symbol ?? ''
    for (const [feed, read] of Object.entries(strategy.futures)) {
      const rows = futures.rowsOf(symbolOf(read.market))
      if (rows) texts.push(...rowTexts(`${name}: ${feed}`, rows, staleAfterMs(read), { from, to }))
    }
    for (const [feed, read] of Object.entries(strategy.depth)) {
      const found = depth.readsOf(symbolOf(read.market))
      if (!found) continue
      texts.push(...rowTexts(`${name}: ${feed}`, found.rows, staleAfterMs(read), { from, to }))
      const own = found.reads.find(({ reach }) => isDeepStrictEqual(reach, reachOf(read)))
      if (own && own.short > 0) texts.push(shortText(`${name}: the values of ${feed}`, own))
    }
  }
  return texts
}

function rowTexts(
  feed: string,
  rows: Pick<RowPolls<never>, 'averageMs' | 'without'>,
  staleMs: number,
  period: Pick<Scenario, 'from' | 'to'>,
): string[] {
  const { averageMs } = rows
  if (averageMs === Infinity) return [`${feed} is unknown: its file has no rows in this period.`]
  const missing = rows
    .without(period, { staleMs, patienceMs: Math.max(staleMs, averageMs * unevenTimes) })
    .map((part) => [part.from, part.to].map((at) => new Date(at).toISOString()).join(' to '))
  const apart = `the rows of its file are ${Math.round(averageMs / 1000)} s apart on average`
  return [
    ...(missing.length > 0
      ? [`${feed} is unknown from ${missing.join(' and from ')}: its file has no rows there.`]
      : []),
    ...(averageMs > staleMs
      ? [`${feed} is stale between rows: ${apart}, and it is stale after ${staleMs / 1000} s (stale_after).`]
      : []),
  ]
}

function shortText(values: string, { reach, books, short }: ReachRead): string {
  const far =
    'within' in reach ? `${new Decimal(reach.within).times(100).toFixed()} %` : `${reach.levels} levels`
  return `${values} are unknown in ${short} of ${books} order books, which do not reach as far as ${far}.`
}

function whyNoTrades(name: string, market: HistoricalMarket | undefined): string | undefined {
  if (market?.kind !== 'trades') return 'the market file has bars, not trades'
  const [block] = market.blocks()
  if (name !== 'buy_volume' && name !== 'sell_volume') return undefined
  return block?.sides?.includes(tradeSides.unknown) === false
    ? undefined
    : 'the market file does not state the side of each trade'
}
