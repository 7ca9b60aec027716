import type { Strategy } from '#src/strategy/schema/strategy-schema.ts'
import { pastsIn, type Past } from '#src/strategy/expressions/condition.ts'
import type { Read } from '#src/strategy/file/read-strategy.ts'
import type { Programs } from '#src/strategy/expressions/programs.ts'
import { candlesNeeded } from '#src/strategy/expressions/context-values.ts'
import { candleStart } from '#src/market/candles/candle-times.ts'
import { candleIntervals } from '#src/market/candles/candle-intervals.ts'
import type { Scenario } from './scenario.ts'

/** When strategies have enough data, if not from the beginning. */
export function warmUpNotes({ strategies, markets, from, to }: Scenario): string[] {
  const said: string[] = []
  for (const [name, { strategy, programs }] of strategies) {
    for (const [feedName, feed] of Object.entries(strategy.feeds)) {
      const market = markets.get(strategy.markets[feed.market]?.symbol ?? '')
      const count = candlesRead(strategy, programs, feedName)
      if (feed.source === 'book' || count === 0 || !market) continue
      const intervalMs = candleIntervals[feed.interval]
      const first = candleStart(feed.interval, market.beginsAt + intervalMs - 1)
      const knowsAt = first + count * intervalMs
      if (knowsAt <= from) continue
      const when =
        knowsAt > to ? 'more than the file has' : `which are complete at ${new Date(knowsAt).toISOString()}`
      said.push(
        `${name} reads up to ${count} candles of ${feed.interval} (${feedName}), ${when}: until then they are unknown.`,
      )
    }
  }
  return said
}

/** How far back the strategy reads candles. */
export function lookBackMs({ strategy, programs }: Pick<Read, 'strategy' | 'programs'>): number {
  const spans = Object.entries(strategy.feeds).map(([name, feed]) =>
    feed.source === 'candles' ? candlesRead(strategy, programs, name) * candleIntervals[feed.interval] : 0,
  )
  return Math.max(0, ...spans)
}

/** At most so many candles until indicators have a value, also at the earlier times that conditions read. */
function candlesRead({ feeds }: Strategy, programs: Programs, name: string): number {
  const intervalMs = (of: string) => {
    const feed = feeds[of]
    return feed?.source === 'candles' ? candleIntervals[feed.interval] : Infinity
  }
  const furthest = (pasts: readonly Past[]) => {
    const back = pasts
      .filter((past) => past.feeds.includes(name))
      // The shortest interval of the feeds counts.
      .map((past) => Math.ceil((past.candles * Math.min(...past.feeds.map(intervalMs))) / intervalMs(name)))
    return Math.max(0, ...back)
  }
  const needed = candlesNeeded(programs, name)
  const back = furthest([...programs.conditions.values()].flatMap(pastsIn)) + furthest(programs.series)
  return back === 0 ? needed : Math.max(1, needed) + back
}
