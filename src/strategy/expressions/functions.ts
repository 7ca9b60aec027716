import { dayNames, minuteOf } from '#src/strategy/file/schedule.ts'
import { tradesSpanMs } from '#src/strategy/schema/trade-spans.ts'
import {
  known,
  type AccountObject,
  type BookObject,
  type CandlesObject,
  type ClockObject,
  type DepthObject,
  type FuturesObject,
  type HoldingObject,
  type LadderProgress,
  type NumberSignal,
  type StateSignal,
  type TradesObject,
  type TradesWindow,
} from './context-objects.ts'

/** Every function of the expression language, by its signature. All numbers are doubles. */
export const functions = {
  'open(Candles): double': (feed: CandlesObject) => feed.last('open'),
  'high(Candles): double': (feed: CandlesObject) => feed.last('high'),
  'low(Candles): double': (feed: CandlesObject) => feed.last('low'),
  'last(Candles): double': (feed: CandlesObject) => feed.last('close'),
  'volume(Candles): double': (feed: CandlesObject) => feed.last('volume'),
  'bid(Book): double': (book: BookObject) => known(book.bid, 'the best bid'),
  'ask(Book): double': (book: BookObject) => known(book.ask, 'the best ask'),
  'mid(Book): double': (book: BookObject) =>
    (known(book.bid, 'the best bid') + known(book.ask, 'the best ask')) / 2,
  'spread(Book): double': (book: BookObject) =>
    known(book.ask, 'the best ask') / known(book.bid, 'the best bid') - 1,
  'signal_value(Signal): double': (signal: NumberSignal) => known(signal.value, 'the value of the signal'),
  'signal_is(States, string): bool': (signal: StateSignal, state: string) =>
    known(signal.state, 'the state of the signal') === state,
  'funding(Futures): double': (futures: FuturesObject) => known(futures.funding, 'the funding rate'),
  'funding_hours(Futures): double': (futures: FuturesObject) =>
    known(futures.fundingHours, 'the time of the funding'),
  'mark(Futures): double': (futures: FuturesObject) => known(futures.mark, 'the mark price'),
  'index(Futures): double': (futures: FuturesObject) => known(futures.index, 'the index price'),
  'open_interest(Futures): double': (futures: FuturesObject) =>
    known(futures.openInterest, 'the open interest'),
  'bid_volume(Depth): double': bidVolume,
  'ask_volume(Depth): double': askVolume,
  'imbalance(Depth): double': (depth: DepthObject) => {
    const [bids, asks] = [bidVolume(depth), askVolume(depth)]
    return finite((bids - asks) / (bids + asks), 'the imbalance of an empty book')
  },
  'micro_price(Depth): double': (depth: DepthObject) => known(depth.microPrice, 'the micro-price'),
  'buy_volume(Trades, string): double': (trades: TradesObject, span: string) =>
    known(windowIn(trades, span)?.bought, `the volume that takers bought in ${span}`),
  'sell_volume(Trades, string): double': (trades: TradesObject, span: string) =>
    known(windowIn(trades, span)?.sold, `the volume that takers sold in ${span}`),
  'trade_count(Trades, string): double': (trades: TradesObject, span: string) =>
    known(windowIn(trades, span)?.count, `the number of trades in ${span}`),
  'volume_between(Trades, double, double, string): double': (
    trades: TradesObject,
    low: number,
    high: number,
    span: string,
  ) => known(windowIn(trades, span)?.between(low, high), `the volume at prices in ${span}`),
  'position(Holding): double': (holding: HoldingObject) => known(holding.position, 'the position'),
  'avg_entry(Holding): double': (holding: HoldingObject) =>
    known(holding.entry, 'the average entry without a position'),
  'net_fills(Holding): double': (holding: HoldingObject) =>
    known(holding.netFills, 'the fills of the last minute'),
  'active(Holding): bool': (holding: HoldingObject) =>
    known(holding.isActive(), 'whether the market is active'),
  'filled_levels(Progress): double': (ladder: LadderProgress) =>
    known(ladder.filledLevels, 'the number of filled levels'),
  'open_hours(Progress): double': (ladder: LadderProgress) =>
    known(ladder.openHours, 'the age of the episode'),
  'equity(Account): double': (account: AccountObject) => known(account.equity(), 'the equity'),
  'balance(Account, string): double': (account: AccountObject, ticker: string) => account.balance(ticker),
  'main_balance(Account, string): double': (account: AccountObject, ticker: string) =>
    account.mainBalance(ticker),
  'time_between(Clock, string, string): bool': timeBetween,
  'time_between(Clock, string, string, string): bool': timeBetween,
  'on_days(Clock, string): bool': onDays,
  'on_days(Clock, string, string): bool': onDays,
  'between(double, double, double): bool': (value: number, low: number, high: number) =>
    value >= low && value <= high,
  'clamp(double, double, double): double': (value: number, low: number, high: number) =>
    Math.min(Math.max(value, low), high),
  'min(double, double): double': Math.min,
  'max(double, double): double': Math.max,
  'abs(double): double': Math.abs,
  'sqrt(double): double': (value: number) => finite(Math.sqrt(value), 'the square root of a negative number'),
  'ln(double): double': (value: number) =>
    finite(Math.log(value), 'the logarithm of a number that is not positive'),
  'exp(double): double': (value: number) => finite(Math.exp(value), 'a number that is too large'),
  'pow(double, double): double': (base: number, exponent: number) =>
    finite(base ** exponent, 'a power that is no finite number'),
  'round(double): double': Math.round,
  'floor(double): double': Math.floor,
  'ceil(double): double': Math.ceil,
}

function bidVolume({ bidVolume: volume }: DepthObject): number {
  return known(volume, 'the volume of the bids')
}

function askVolume({ askVolume: volume }: DepthObject): number {
  return known(volume, 'the volume of the asks')
}

function windowIn(trades: TradesObject, span: string): TradesWindow | undefined {
  return trades.window(tradesSpanMs(span) ?? 0)
}

function finite(value: number, what: string): number {
  return known(Number.isFinite(value) ? value : undefined, what)
}

/** Declared as a method, because method parameters are bivariant; the types of the expression have been checked. */
type Callable = { call(...values: unknown[]): unknown }['call']

const named = new Map<string, Callable>(
  Object.entries(functions).map(([signature, run]) => [signature.slice(0, signature.indexOf('(')), run]),
)

export function functionNamed(name: string): Callable {
  const found = named.get(name)
  if (!found) throw new Error(`unknown function ${name}()`)
  return found
}

function onDays(clock: ClockObject, days: string, zone?: string): boolean {
  return daysIn(days).includes(clock.weekdayIn(zone))
}

function timeBetween(clock: ClockObject, from: string, to: string, zone?: string): boolean {
  const [now, start, end] = [clock.minuteIn(zone), minuteOf(from), minuteOf(to)]
  return start <= end ? now >= start && now < end : now >= start || now < end
}

/** The format of a time of day in expressions. */
export function isTimeOfDay(text: string): boolean {
  return /^(?:[01]\d|2[0-3]):[0-5]\d$/.test(text)
}

/** The days of a text such as `Mon,Tue`, counted from Sunday; -1 for a word that is no day. */
export function daysIn(text: string): number[] {
  const names: readonly string[] = dayNames
  return text.split(',').map((day) => names.indexOf(day))
}
