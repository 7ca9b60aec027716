import { candleIntervals } from '#src/market/candles/candle-intervals.ts'
import type { State } from '#src/engine/state/state.ts'
import type { Read } from '#src/strategy/file/read-strategy.ts'
import type { CandlesWanted } from './candle-feed.ts'
import type { KillSwitchMarket } from '#src/runtime/account/kill-switches.ts'
import type { FeedsWanted } from './feeds.ts'

/** Averages that never forget need some times their span before their beginning no longer shows. */
const spansOfPast = 4
const candlesMost = 5000

/** What the strategies want to be told of, each thing once. */
export function feedsWanted(strategies: readonly Read[], state: State | null): FeedsWanted {
  const candles = new Map<string, CandlesWanted>()
  const quotes = new Set<string>()
  for (const { strategy, programs } of strategies) {
    const symbolOf = (market: string) => strategy.markets[market]?.symbol ?? ''
    for (const { symbol } of Object.values(strategy.markets)) quotes.add(symbol)
    for (const [name, feed] of Object.entries(strategy.feeds)) {
      if (feed.source === 'book') continue
      const [market, { interval }] = [symbolOf(feed.market), feed]
      const spans = (programs.wanted.get(name) ?? []).flatMap(({ parameters }) => parameters)
      const count = Math.min(candlesMost, Math.ceil(Math.max(1, ...spans) * spansOfPast) + programs.depth)
      const opened = state?.strategies[strategy.name]?.feeds[name]?.opened ?? null
      // Includes the last known candle: a new process must learn that no newer one has closed.
      const after = opened === null ? null : opened - candleIntervals[interval]
      const known = candles.get(`${market} ${interval}`)
      candles.set(`${market} ${interval}`, {
        market,
        interval,
        count: Math.max(count, known?.count ?? 0),
        // Whoever knows least must be told all of it; the others know what they have.
        after: known === undefined ? after : least(known.after, after),
      })
    }
  }
  return { candles: [...candles.values()], quotes: [...quotes] }
}

function least(one: number | null, other: number | null): number | null {
  return one === null || other === null ? null : Math.min(one, other)
}

/** The markets under a kill switch; where several strategies share one, the most anxious counts. */
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
