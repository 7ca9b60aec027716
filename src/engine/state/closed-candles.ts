import { addCandle } from '#src/market/indicators/indicator-values.ts'
import { beginFeed } from '#src/strategy/expressions/context-values.ts'
import type { Compiled } from '#src/engine/rules/compiled-strategy.ts'
import type { CandleEvent } from '#src/engine/events.ts'
import type { StrategyState } from './state.ts'

/** What a candle is to the strategy. `part`: another one that closes at this time is missing. `first`: the first after a gap. */
export type CandleNews = 'part' | 'first' | 'next'

/** Adds a closed candle to its feeds. Undefined if it is not the newest possible one: older ones decide nothing. */
export function applyCandle(
  { feeds, programs }: Compiled,
  own: StrategyState,
  candle: Omit<CandleEvent, 'at'>,
  at: number,
): CandleNews | undefined {
  let [news, closedAt]: [CandleNews | undefined, number] = [undefined, 0]
  for (const { name, symbol, interval, intervalMs, staleMs } of feeds) {
    if (symbol !== candle.market || interval !== candle.interval) continue
    const known = (own.feeds[name] ??= { at: 0, opened: -1, readings: beginFeed(programs, name) })
    // A session begins with the last known candle again: no newer one has closed.
    const isAgain = candle.opened === known.opened && known.at === 0
    if (candle.opened <= known.opened && !isAgain) continue
    const wasKnown = at - known.at <= staleMs
    closedAt = candle.opened + intervalMs
    // The feed is as old as the close of its candle.
    known.at = Math.min(at, closedAt)
    known.opened = candle.opened
    const { open, high, low, close, volume } = candle
    if (!isAgain) addCandle(known.readings, { open, high, low, close, volume })
    if (at - known.at < intervalMs) news = wasKnown ? (news ?? 'next') : 'first'
  }
  if (news === undefined) return undefined
  const isMissing = feeds.some(({ name, intervalMs }) => {
    const { opened = closedAt } = own.feeds[name] ?? {}
    return opened + intervalMs < closedAt && (closedAt - opened) % intervalMs === 0
  })
  return isMissing ? 'part' : news
}
