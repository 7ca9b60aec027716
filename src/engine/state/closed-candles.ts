import { addCandle } from '#src/market/indicators/indicator-values.ts'
import { beginFeed } from '#src/strategy/expressions/context-values.ts'
import type { Compiled } from '#src/engine/rules/compiled-strategy.ts'
import type { CandleEvent } from '#src/engine/events.ts'
import type { StrategyState } from './state.ts'

/**
 * Adds a closed candle to its feeds. Returns, if it is the newest possible one (older ones decide nothing), whether it is the
 * next one or the first after a gap.
 */
export function applyCandle(
  { feeds, programs }: Compiled,
  own: StrategyState,
  candle: Omit<CandleEvent, 'at'>,
  at: number,
): 'first' | 'next' | undefined {
  let news: 'first' | 'next' | undefined
  for (const { name, symbol, interval, intervalMs, staleMs } of feeds) {
    if (symbol !== candle.market || interval !== candle.interval) continue
    const known = (own.feeds[name] ??= { at: 0, opened: -1, readings: beginFeed(programs, name) })
    // A session begins with the last known candle again: no newer one has closed.
    const isAgain = candle.opened === known.opened && known.at === 0
    if (candle.opened <= known.opened && !isAgain) continue
    const wasKnown = at - known.at <= staleMs
    // The feed is as old as the close of its candle.
    known.at = Math.min(at, candle.opened + intervalMs)
    known.opened = candle.opened
    const { open, high, low, close, volume } = candle
    if (!isAgain) addCandle(known.readings, { open, high, low, close, volume })
    if (at - known.at < intervalMs) news = wasKnown ? (news ?? 'next') : 'first'
  }
  return news
}
