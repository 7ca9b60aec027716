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
      const count = candlesNeeded(programs, feedName)
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
