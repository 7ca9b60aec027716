import { addCandle } from '#src/indicators/readings.ts'
import { beginFeed } from '#src/strategy/views.ts'
import type { Compiled } from './compiled.ts'
import type { CandleEvent } from './events.ts'
import type { State, StrategyState } from './state.ts'

/** A candle that has closed joins the feeds that it is of. True when it is the newest there can be: older ones decide nothing. */
export function hear(
  { feeds, programs }: Compiled,
  own: StrategyState,
  candle: Omit<CandleEvent, 'at'>,
  at: number,
): boolean {
  let isNews = false
  for (const { name, symbol, interval, intervalMs } of feeds) {
    if (symbol !== candle.market || interval !== candle.interval) continue
    const known = (own.feeds[name] ??= { at: 0, opened: -1, readings: beginFeed(programs, name) })
    if (candle.opened <= known.opened) continue
    // It is as old as what it tells of.
    known.at = Math.min(at, candle.opened + intervalMs)
    known.opened = candle.opened
    const { open, high, low, close, volume } = candle
    addCandle(known.readings, { open, high, low, close, volume })
    isNews ||= at - known.at < intervalMs
  }
  return isNews
}

/** The last of some that meant nothing, so that nobody was told of them and nothing is decided by it. */
export function hearSkipped(
  { running, strategies }: State,
  known: ReadonlyMap<string, Compiled>,
  candle: Omit<CandleEvent, 'at'>,
  at: number,
): void {
  for (const name of running) {
    const [compiled, own] = [known.get(name), strategies[name]]
    if (compiled && own) hear(compiled, own, candle, at)
  }
}
