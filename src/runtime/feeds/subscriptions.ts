import type { DepthReach } from '#src/engine/depth-event.ts'
import { candleIntervals } from '#src/market/candles/candle-intervals.ts'
import { candlesNeeded } from '#src/strategy/expressions/context-values.ts'
import { depthKey, reachOf } from '#src/engine/state/depth.ts'
import { quoteAges } from '#src/engine/state/prices.ts'
import type { State } from '#src/engine/state/state.ts'
import { tradesRead } from '#src/strategy/expressions/trades-read.ts'
import type { Read } from '#src/strategy/file/read-strategy.ts'
import type { CandlesWanted } from './candle-feed.ts'
import type { KillSwitchMarket } from '#src/runtime/account/kill-switches.ts'
import type { FeedsWanted } from './feeds.ts'
import type { TradesWanted } from './trades-source.ts'

/** Exponential averages need several times their length until their start has no effect. */
const spansOfPast = 4
const candlesMost = 5000

/** The feeds of all strategies, without duplicates. */
export function feedsWanted(strategies: readonly Read[], state: State | null): FeedsWanted {
  const candles = new Map<string, CandlesWanted>()
  const quotes = new Set<string>()
  const futures = new Set<string>()
  const depth = new Map<string, Map<string, DepthReach>>()
  const trades = new Map<string, TradesWanted>()
  for (const { strategy, programs } of strategies) {
    const symbolOf = (market: string) => strategy.markets[market]?.symbol ?? ''
    for (const { symbol } of Object.values(strategy.markets)) quotes.add(symbol)
    for (const { market } of Object.values(strategy.futures)) futures.add(symbolOf(market))
    for (const feed of Object.values(strategy.depth)) {
      const [market, reach] = [symbolOf(feed.market), reachOf(feed)]
      const known = depth.get(market) ?? new Map<string, DepthReach>()
      depth.set(market, known.set(depthKey(market, reach), reach))
    }
    for (const [name, feed] of Object.entries(strategy.trades)) {
      const market = symbolOf(feed.market)
      const byPrice = trades.get(market)?.byPrice === true || tradesRead(programs, name).byPrice
      trades.set(market, { market, byPrice, last: state?.trades?.[market] })
    }
    for (const [name, feed] of Object.entries(strategy.feeds)) {
      if (feed.source === 'book') continue
      const [market, { interval }] = [symbolOf(feed.market), feed]
      const needed = Math.max(1, candlesNeeded(programs, name))
      const count = Math.min(candlesMost, needed * spansOfPast + programs.depth)
      const opened = state?.strategies[strategy.name]?.feeds[name]?.opened ?? null
      // Includes the last known candle: a new process must learn that no newer one has closed.
      const after = opened === null ? null : opened - candleIntervals[interval]
      const known = candles.get(`${market} ${interval}`)
      candles.set(`${market} ${interval}`, {
        market,
        interval,
        count: Math.max(count, known?.count ?? 0),
        // The strategy with the oldest candle determines the start; the others ignore known candles.
        after: known === undefined ? after : least(known.after, after),
      })
    }
  }
  const ages = strategies.flatMap(({ strategy }) =>
    [...quotes].flatMap((symbol) => quoteAges(strategy, symbol)),
  )
  return {
    candles: [...candles.values()],
    quotes: [...quotes],
    futures: [...futures],
    depth: [...depth].map(([market, reaches]) => ({ market, reaches: [...reaches.values()] })),
    trades: [...trades.values()],
    quoteMsMax: Math.min(...ages),
  }
}

function least(one: number | null, other: number | null): number | null {
  return one === null || other === null ? null : Math.min(one, other)
}

/** The markets with a kill switch; the shortest interval of several strategies counts. */
export function watched(strategies: readonly Read[]): KillSwitchMarket[] {
  const beats = new Map<string, number>()
  for (const { strategy } of strategies) {
    const heartbeatMs = strategy.risk.deadman?.heartbeat
    if (heartbeatMs === undefined) continue
    for (const { symbol } of Object.values(strategy.markets)) {
      beats.set(symbol, Math.min(heartbeatMs, beats.get(symbol) ?? Infinity))
    }
  }
  return [...beats].map(([market, heartbeatMs]) => ({ market, heartbeatMs }))
}
