import type { Told } from '#src/bot/driver.ts'
import type { Standstill } from '#src/bot/standstill.ts'
import type { Horizon } from '#src/engine/horizon.ts'
import type { Exchange } from '#src/exchange/exchange.ts'
import type { Candle, CourseCandles } from './candles.ts'
import type { Course } from './course.ts'
import type { Quiet } from './measures.ts'

/** One market as the loop sees it. */
export type Place = {
  symbol: string
  course: Course
  candles: CourseCandles
  /** In 10^-9. */
  tick: number
  /** Whether expressions read its best prices: then each change is told, but no more than one a second. */
  isRead: boolean
  /** At which ages its last price becomes too old, in milliseconds. */
  ages: readonly number[]
}

export type LoopParts = {
  from: number
  still: Standstill
  exchange: Exchange
  places: readonly Place[]
  tell: (event: Told) => void
  /** Tells what has become of our orders; true when there was anything. */
  tellSeen: () => boolean | Promise<boolean>
  /** Until nothing is on its way any more but what sleeps on the clock. */
  settle: () => Promise<void>
  /** Whether commands have left since it was asked last. */
  hasLeft: () => boolean
  /** How far the strategies can see. */
  horizon: (asked: { all: boolean }) => Horizon
  /** So far a price has gone since the last moment, as the middle between bid and ask. */
  passed: (symbol: string, lowest: number, highest: number) => void
  /** The price that was told last is what it was until now. */
  stood: (symbol: string, at: number) => void
  /** The last candle of those that nobody had to look at. */
  skipped: (candle: Candle, at: number) => void
  /** Tells what the account has, where strategies look at it; true when that has changed. */
  tellAccount: (() => Promise<boolean>) | undefined
  /** Whether the account has an open position. */
  isExposed: () => boolean
  /** A minute has closed; prices in 10^-9. */
  onMinute: (at: number) => void
  /** Which minutes may be left out. */
  quiet: () => Quiet | null
}
