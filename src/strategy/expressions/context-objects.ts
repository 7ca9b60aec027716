import type { Candle } from '#src/market/candles/candle.ts'
import { localTime } from '#src/strategy/file/time-zones.ts'
import type { Readings } from '#src/market/indicators/indicator-values.ts'

/**
 * The objects that expressions read, one class each: the type checker of the language knows them by their class. Every
 * value may be missing; a missing value is `Unknown`, never a guess.
 */
export class UnknownValue extends Error {}

const unknownValues = new Map<string, UnknownValue>()

/**
 * One error for each text: it is thrown at every evaluation while a value is missing, and to make a new one with its stack
 * took a third of such a backtest.
 */
export function unknownValue(message: string): UnknownValue {
  let error = unknownValues.get(message)
  if (!error) unknownValues.set(message, (error = new UnknownValue(message)))
  return error
}

export function known<Value>(value: Value | null | undefined, what: string): Value {
  if (value === null || value === undefined) throw unknownValue(`${what} is unknown`)
  return value
}

/** The data of a feed. The owner of the readings sets them, and sets null while they are stale. */
export type FeedInput = { readings: Readings | null; opened: number; readonly intervalMs: number }

/** The candles of a feed, now or so many candles ago. */
export class CandlesObject {
  readonly feed: FeedInput
  readonly #ago: () => number

  constructor(feed: FeedInput, ago = () => 0) {
    this.feed = feed
    this.#ago = ago
  }

  last(field: keyof Candle): number {
    const value = this.#at(this.feed.readings)?.[field]
    if (value === undefined) throw unknownValue(`the ${field} of the last candle is unknown`)
    return value
  }

  /** By the key of an indicator. */
  read(key: string, what: string): number {
    return known(this.#at(this.feed.readings?.running[key]), what)
  }

  #at<Value>(found: { now: Value; past: Value[] } | null | undefined): Value | undefined {
    const ago = this.#ago()
    return ago === 0 ? found?.now : found?.past.at(-ago)
  }
}

type Perhaps = number | null | undefined

export class BookObject {
  bid: Perhaps
  ask: Perhaps
}

/** A signal with a number. */
export class NumberSignal {
  value: Perhaps
}

/** A signal that is one of the states in the file. */
export class StateSignal {
  state: string | null | undefined
}

/** What the venue lists about a futures market. */
export class FuturesObject {
  /** The rate of the coming funding payment: a share of the position. */
  funding: Perhaps
  fundingHours: Perhaps
  mark: Perhaps
  index: Perhaps
  openInterest: Perhaps
}

/** Amounts of an order book near its best prices, and the price that they suggest. */
export class DepthObject {
  bidVolume: Perhaps
  askVolume: Perhaps
  microPrice: Perhaps
}

/** The trades of a span of time up to now. */
export type TradesWindow = {
  /** What takers bought and sold, in base currency. */
  bought: Perhaps
  sold: Perhaps
  count: Perhaps
  /** The amount of the trades at prices from `low` to `high`. */
  between: (low: number, high: number) => Perhaps
}

/** The public trades of a market. */
export class TradesObject {
  window: (spanMs: number) => TradesWindow | undefined = () => undefined
}

/** Position and fills of the strategy in one market. */
export class HoldingObject {
  position: Perhaps
  entry: Perhaps
  netFills: Perhaps
  /** The position is so small that the venue would not close it. */
  isBelowMinimum = false
  /** Called when an expression reads it; always true for a market of no loop that chooses. */
  isActive: () => boolean | undefined = () => true

  get isHeld(): boolean {
    return Boolean(this.position) && !this.isBelowMinimum
  }
}

/** The progress of the current episode of a ladder. */
export class LadderProgress {
  filledLevels: Perhaps
  openHours: Perhaps
}

type Balances = Readonly<Record<string, number>>

export class AccountObject {
  /** Called when an expression reads it. */
  equity: () => Perhaps = () => undefined
  balances: Balances = {}
  mainBalances: Balances = {}

  balance(ticker: string): number {
    return known(balanceOf(this.balances, ticker), `the balance of ${ticker}`)
  }

  mainBalance(ticker: string): number {
    return known(balanceOf(this.mainBalances, ticker), `the main balance of ${ticker}`)
  }
}

/** The time of day and the day of the week, counted from Sunday; in UTC, or in a time zone. */
export class ClockObject {
  minute: Perhaps
  weekday: Perhaps
  /** Where the time zone matters. */
  at: Perhaps
  /** Whether the bot has just started, so that values may be unknown only because they have not come yet. */
  isStarting = false

  minuteIn(zone: string | undefined): number {
    if (zone === undefined) return known(this.minute, 'the time')
    return localTime(zone, known(this.at, 'the time')).minute
  }

  weekdayIn(zone: string | undefined): number {
    const weekday = known(this.weekday, 'the day')
    return zone === undefined ? weekday : localTime(zone, known(this.at, 'the time')).weekday
  }
}

function balanceOf(balances: Balances, ticker: string): Perhaps {
  return Object.hasOwn(balances, ticker) ? balances[ticker] : undefined
}
