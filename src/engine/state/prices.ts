import type { Arithmetic } from '#src/core/money/bounded.ts'
import { Decimal } from '#src/core/money/decimal.ts'
import { depthStaleMs, futuresStaleMs, tradesStaleMs } from '#src/strategy/schema/poll-times.ts'
import { polledIn, type PolledFeed, type Strategy } from '#src/strategy/schema/strategy-schema.ts'
import { depthKey, reachOf } from './depth.ts'
import { lastSignal } from './signals.ts'
import type { Quote, State } from './state.ts'
import { isYoung, needQuote } from './validity.ts'

type Feed = Strategy['feeds'][string] | PolledFeed

const bookStaleMs = 5000
export const quoteStaleMs = 60_000
const intervalsUntilStale = 3
const unitsMs: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }

/** The greatest age of the last value of a feed; after that it is unknown. */
export function staleAfterMs(feed: Feed): number {
  if (feed.stale_after !== undefined) return feed.stale_after
  if (feed.source === 'book') return bookStaleMs
  if (feed.source === 'futures') return futuresStaleMs
  if (feed.source === 'depth') return depthStaleMs
  if (feed.source === 'trades') return tradesStaleMs
  return intervalsUntilStale * intervalMsOf(feed.interval)
}

export function intervalMsOf(interval: string): number {
  return Number.parseInt(interval, 10) * (unitsMs[interval.slice(-1)] ?? 0)
}

/** The time of the last value of a feed or signal; null before the first one. */
export function receivedAt(state: State, strategy: Strategy, name: string): number | null {
  const feed = strategy.feeds[name]
  const polled = strategy.futures[name] ?? strategy.depth[name] ?? strategy.trades[name]
  if (!feed && !polled) return lastSignal(state.strategies[strategy.name] ?? {}, name)?.at ?? null
  const last =
    feed?.source === 'candles'
      ? state.strategies[strategy.name]?.feeds[name]
      : lastOf(state, strategy.markets[(feed ?? polled)?.market ?? '']?.symbol ?? '', polled)
  return last === undefined || last.at === 0 ? null : last.at
}

function lastOf(state: State, symbol: string, polled: PolledFeed | undefined): { at: number } | undefined {
  if (!polled) return state.quotes[symbol]
  if (polled.source === 'futures') return state.futures?.[symbol]
  if (polled.source === 'trades') return state.trades?.[symbol]
  return state.depth?.[depthKey(symbol, reachOf(polled))]
}

const every = new WeakMap<Strategy, (readonly [name: string, feed: Feed])[]>()

/** All feeds of a strategy; cached for each file. */
export function everyFeed(strategy: Strategy): readonly (readonly [name: string, feed: Feed])[] {
  let feeds = every.get(strategy)
  if (!feeds) every.set(strategy, (feeds = Object.entries({ ...strategy.feeds, ...polledIn(strategy) })))
  return feeds
}

/**
 * Whether entries in the market wait while the feed is stale. A feed of depth or trades that never had a value, as in a
 * backtest, has caused no entry.
 */
export function blocksEntries(state: State, strategy: Strategy, feed: Feed, symbol: string): boolean {
  if (strategy.markets[feed.market]?.symbol !== symbol) return false
  return (feed.source !== 'depth' && feed.source !== 'trades') || lastOf(state, symbol, feed) !== undefined
}

/** The current price of a market: of its last quote, or if that is stale, the close of its last candle. */
export function priceOf(
  state: State,
  strategy: Strategy,
  symbol: string,
): { price: Decimal; isFresh: boolean; before: number } | undefined {
  const found = sourceOf(state, strategy, symbol)
  return found && { price: middleOf(found), isFresh: found.isFresh, before: found.before }
}

/** The same as a double, for many comparisons. */
export function nearPriceOf(
  state: State,
  strategy: Strategy,
  symbol: string,
): { value: number; isFresh: boolean } | undefined {
  const found = sourceOf(state, strategy, symbol)
  return found && { value: (found.low + found.high) / 2, isFresh: found.isFresh }
}

/** The same in any arithmetic. */
export function priceIn<N>(
  a: Arithmetic<N>,
  state: State,
  strategy: Strategy,
  symbol: string,
): N | undefined {
  const found = sourceOf(state, strategy, symbol)
  return found && a.times(a.plus(a.number(found.low), a.number(found.high)), a.number(0.5))
}

/** The price is the middle of the two. It cannot contain a deal at `before` or later. */
type Source = { quote: Quote | undefined; low: number; high: number; isFresh: boolean; before: number }

function sourceOf(state: State, strategy: Strategy, symbol: string): Source | undefined {
  const told = toldOf(state, strategy, symbol)
  if (told?.isFresh) return told
  needQuote()
  let newest: { at: number; close: number; isFresh: boolean } | undefined
  for (const [name, feed] of Object.entries(strategy.feeds)) {
    if (strategy.markets[feed.market]?.symbol !== symbol) continue
    const known = state.strategies[strategy.name]?.feeds[name]
    const close = known?.readings.now?.close
    if (feed.source !== 'candles' || !known || close === undefined || known.at <= (newest?.at ?? 0)) continue
    newest = { at: known.at, close, isFresh: isYoung(state, 'candle', known.at, staleAfterMs(feed)) }
  }
  if (!newest || (told && !newest.isFresh)) return told
  const { at: before, close, isFresh } = newest
  return { quote: undefined, low: close, high: close, isFresh, before }
}

function toldOf(state: State, strategy: Strategy, symbol: string): Source | undefined {
  const quote = state.quotes[symbol]
  if (!quote) return undefined
  const { at, bid, ask, last } = quote
  const before = at + 1
  const isFresh = freshQuote(state, strategy, symbol) !== undefined
  if (bid !== null && ask !== null) return { quote, low: bid, high: ask, isFresh, before }
  const only = last ?? bid ?? ask
  return only === null ? undefined : { quote, low: only, high: only, isFresh, before }
}

/** The ages beyond which the price of a market is stale for one purpose or another. */
export function quoteAges({ feeds, markets }: Strategy, symbol: string): number[] {
  const books = Object.values(feeds).filter(
    ({ source, market }) => source === 'book' && markets[market]?.symbol === symbol,
  )
  return [quoteStaleMs, ...books.map(staleAfterMs)]
}

/**
 * The best price for an exit now, or the close of the last candle; undefined where none is known. `exactly` converts it to a
 * decimal.
 */
export function touchPrice(
  state: State,
  strategy: Strategy,
  symbol: string,
  of: 'bid' | 'ask',
): number | undefined {
  const quote = freshQuote(state, strategy, symbol)
  if (quote) return quote[of] ?? quote.last ?? undefined
  const found = sourceOf(state, strategy, symbol)
  return found?.isFresh === true ? found.low : undefined
}

/** When the feeds of a market become stale without a further message; without a feed, its quote. */
export function staleFrom(state: State, strategy: Strategy, symbol: string): number {
  let from = Infinity
  for (const [name, feed] of everyFeed(strategy)) {
    if (!blocksEntries(state, strategy, feed, symbol)) continue
    from = Math.min(from, (receivedAt(state, strategy, name) ?? 0) + staleAfterMs(feed) + 1)
  }
  return from < Infinity ? from : (state.quotes[symbol]?.at ?? 0) + quoteStaleMs + 1
}

function freshQuote(state: State, strategy: Strategy, symbol: string): Quote | undefined {
  const quote = state.quotes[symbol]
  const ageMs = booksOf(strategy).get(symbol) ?? quoteStaleMs
  return quote && isYoung(state, 'quote', quote.at, ageMs) ? quote : undefined
}

const books = new WeakMap<Strategy, Map<string, number>>()

/** The greatest age of quotes in a market whose book a strategy reads; cached for each file. */
function booksOf(strategy: Strategy): ReadonlyMap<string, number> {
  let read = books.get(strategy)
  if (!read) {
    books.set(strategy, (read = new Map()))
    for (const feed of Object.values(strategy.feeds)) {
      const symbol = strategy.markets[feed.market]?.symbol
      if (feed.source === 'book' && symbol !== undefined && !read.has(symbol))
        read.set(symbol, staleAfterMs(feed))
    }
  }
  return read
}

/** Cached: a sum of Decimals costs more than a whole evaluation of an unchanged quote. */
const middleByQuote = new WeakMap<Quote, { low: number; high: number; middle: Decimal }>()

function middleOf({ quote, low, high }: Source): Decimal {
  const before = quote && middleByQuote.get(quote)
  if (before?.low === low && before.high === high) return before.middle
  const middle = middleIn(low, high)
  if (quote) middleByQuote.set(quote, { low, high, middle })
  return middle
}

const half = new Decimal('0.5')
const unitsPerOne = 1e8
const unitsMost = 1e15

/** Usually both prices and their middle are whole numbers of units: then the double of the middle has its digits. */
function middleIn(low: number, high: number): Decimal {
  const near = (low + high) / 2
  const units = unitsOf(low) + unitsOf(high)
  return units < 2 * unitsMost && units === 2 * unitsOf(near)
    ? new Decimal(near)
    : exactly(low).plus(exactly(high)).times(half)
}

/** NaN if it is not a whole number of units. */
function unitsOf(price: number): number {
  const units = Math.round(price * unitsPerOne)
  return units / unitsPerOne === price ? units : NaN
}

/**
 * The decimal that a double price was read from: no two decimals of up to fifteen digits share a double, and the shortest text of
 * a double is that decimal again.
 */
export function exactly(price: number): Decimal {
  let decimal = exact.get(price)
  if (decimal) return decimal
  if (exact.size === pricesKept) exact.clear()
  exact.set(price, (decimal = new Decimal(price)))
  return decimal
}

/** Cached: each current price is read several times. */
const exact = new Map<number, Decimal>()
const pricesKept = 64
