import type { NewEvent } from '#src/runtime/loop/driver.ts'
import type { VirtualTime } from '#src/runtime/virtual-time.ts'
import type { Horizon, HorizonAsked } from '#src/research/backtest/jump/horizon.ts'
import type { Quote } from '#src/engine/state/state.ts'
import type { Exchange } from '#src/exchange/exchange.ts'
import type { SignalCursor } from '#src/research/backtest/signals.ts'
import type { ClosedCandle, CandleBuilder } from './candle-builder.ts'
import type { MarketCursor } from './market-cursor.ts'

/** One market in the loop. */
export type BacktestMarket = {
  symbol: string
  course: MarketCursor
  candles: CandleBuilder
  /** In 10^-9. */
  tick: number
  /** Whether expressions read its best prices: then each change is a quote, at most one a second. */
  isRead: boolean
}

export type EquityExposure = { equity: number; amounts: readonly number[] }

/** What the bot polls of the venue beside prices. */
export type PolledInput = {
  /** Whether values become stale between two polls that find something. */
  readonly ages: boolean
  /** The next poll that finds something else. */
  nextAt: (now: number) => number
  /** What polls up to this moment find; `silent` are the markets that had a gap before it. */
  take: (at: number, silent: readonly { symbol: string }[]) => NewEvent[]
}

export type LoopParts = {
  from: number
  still: VirtualTime
  exchange: Exchange
  places: readonly BacktestMarket[]
  signals: SignalCursor
  polled: readonly PolledInput[]
  tell: (event: NewEvent) => void
  /** Emits changes of our orders; true if there were any. */
  tellSeen: () => boolean | Promise<boolean>
  /** Resolves once every call is answered and only timers are pending. */
  settle: () => Promise<void>
  /** Whether commands were sent since the last call. */
  hasLeft: () => boolean
  /** For how long and for which prices the strategies need no evaluation. */
  horizon: (asked: HorizonAsked) => Horizon
  /** All points up to this moment have passed, and nothing has filled since. */
  passed: () => void
  /** Whether orders have filled, or funding was paid, in this moment. */
  isChanged: () => boolean
  /** A market has this price now. */
  stood: (symbol: string, at: number, price: Omit<Quote, 'at'>) => void
  /** Counts the prices of all markets in the results of the strategies, without a quote. */
  recordResults: () => void
  /** The last of the candles that the loop skipped. */
  skipped: (candle: ClosedCandle, at: number) => void
  /** Emits the account if it has changed; true if so. Undefined if no strategy reads it. */
  tellAccount: ((countsPrices: boolean) => boolean | Promise<boolean>) | undefined
  /**
   * The equity, and by market how much of it 10^-9 of the price is. Undefined if no strategy reads the equity, or if no price
   * changes it.
   */
  exposure: () => EquityExposure | undefined
  /** A minute has closed; prices in 10^-9. */
  onMinute: (at: number) => void
  /** Of the minutes that close up to then, only the last one counts. */
  quietUntil: () => number
}
