import { Decimal } from '#src/money/decimal.ts'
import type { Strategy } from '#src/strategy/schema.ts'
import type { Quote, State } from './state.ts'

type Feed = Strategy['feeds'][string]

const bookStaleMs = 5000
const quoteStaleMs = 60_000
const intervalsUntilStale = 3
const unitsMs: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }

/** How old the last news of a feed may be; after that it is unknown. */
export function staleAfterMs(feed: Feed): number {
  if (feed.stale_after !== undefined) return feed.stale_after
  if (feed.source === 'book') return bookStaleMs
  return intervalsUntilStale * intervalMsOf(feed.interval)
}

export function intervalMsOf(interval: string): number {
  return Number.parseInt(interval, 10) * (unitsMs[interval.slice(-1)] ?? 0)
}

/** When a feed has last been heard of; null before the first time. */
export function heardAt(state: State, strategy: Strategy, name: string): number | null {
  const feed = strategy.feeds[name]
  if (feed?.source === 'candles') return state.strategies[strategy.name]?.feeds[name]?.at ?? null
  const market = strategy.markets[feed?.market ?? '']
  return state.quotes[market?.symbol ?? '']?.at ?? null
}

/** The price of a market now: of its last quote, or where that is too old, the close of its last candle. */
export function priceOf(
  state: State,
  strategy: Strategy,
  symbol: string,
): { price: Decimal; isFresh: boolean } | undefined {
  const quote = state.quotes[symbol]
  const middle = quote && middleOf(quote)
  if (middle && freshQuote(state, strategy, symbol)) return { price: middle, isFresh: true }
  let newest: { at: number; close: number; isFresh: boolean } | undefined
  for (const [name, feed] of Object.entries(strategy.feeds)) {
    if (strategy.markets[feed.market]?.symbol !== symbol) continue
    const known = state.strategies[strategy.name]?.feeds[name]
    const close = known?.readings.now?.close
    if (feed.source !== 'candles' || !known || close === undefined || known.at <= (newest?.at ?? -1)) continue
    newest = { at: known.at, close, isFresh: state.at - known.at <= staleAfterMs(feed) }
  }
  if (newest && (newest.isFresh || !middle)) return { price: exactly(newest.close), isFresh: newest.isFresh }
  return middle && { price: middle, isFresh: false }
}

/** What somebody pays or asks now, for whoever wants to leave; undefined where nobody is known to. */
export function touchPrice(
  state: State,
  strategy: Strategy,
  symbol: string,
  of: 'bid' | 'ask',
): Decimal | undefined {
  const quote = freshQuote(state, strategy, symbol)
  const price = quote?.[of] ?? quote?.last ?? null
  if (price !== null) return exactly(price)
  const found = priceOf(state, strategy, symbol)
  return found?.isFresh === true && !quote ? found.price : undefined
}

function freshQuote(state: State, { feeds, markets }: Strategy, symbol: string): Quote | undefined {
  const quote = state.quotes[symbol]
  const book = Object.values(feeds).find(
    ({ source, market }) => source === 'book' && markets[market]?.symbol === symbol,
  )
  return quote && state.at - quote.at <= (book ? staleAfterMs(book) : quoteStaleMs) ? quote : undefined
}

/** A sum of Decimals costs more than a whole look at a quote that is still the same. */
const known = new WeakMap<Quote, Quote & { middle: Decimal | undefined }>()

const half = new Decimal('0.5')

function middleOf(quote: Quote): Decimal | undefined {
  const { at, bid, ask, last } = quote
  const before = known.get(quote)
  if (before?.bid === bid && before.ask === ask && before.last === last) return before.middle
  const price = last ?? bid ?? ask
  const middle =
    bid !== null && ask !== null
      ? exactly(bid).plus(exactly(ask)).times(half)
      : price === null
        ? undefined
        : exactly(price)
  known.set(quote, { at, bid, ask, last, middle })
  return middle
}

/**
 * A price that came as a number is the decimal it was read from: no two of up to fifteen digits share a double, and the
 * shortest text of a double is that decimal again.
 */
function exactly(price: number): Decimal {
  return new Decimal(price)
}
