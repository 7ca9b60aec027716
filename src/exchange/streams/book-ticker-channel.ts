import { bestLevel } from '#src/exchange/trading/book/levels.ts'
import { bookOf } from '#src/exchange/trading/trading-context.ts'
import type { Market } from '#src/exchange/trading/book/market.ts'
import type { VenueContext } from '#src/exchange/venue-context.ts'
import { marketsMethod, success, update, topicsChannel, type Channel, type SendFrame } from './channel.ts'

/** The best bid and ask, whenever an update has changed them. */
export function bookTickerChannel(venue: VenueContext, post: SendFrame): Channel {
  const { audience, methods, leave } = topicsChannel(
    'bookTicker',
    marketsMethod(venue, ({ now }, markets) => ({
      topics: markets.map(({ name }) => name),
      first: markets.map((market) => lastSent(market, now).frame),
    })),
  )
  const changed = new Set<Market>()
  /** The last best levels and frame sent for each market. */
  const sent = new Map<Market, { best: string; frame: string }>()

  function currentBest(market: Market, now: number): { best: string; frame: string } {
    const book = bookOf(venue.trading, market)
    const [bid, ask] = [bestLevel(book, false), bestLevel(book, true)]
    const best = [
      market.priceText(bid.ticks),
      market.amountText(bid.lots),
      market.priceText(ask.ticks),
      market.amountText(ask.lots),
    ] as const
    const at = now / 1000
    const frame = update('bookTicker', [[at, at, market.name, book.updateId, ...best]])
    return { best: best.join(' '), frame }
  }

  function lastSent(market: Market, now: number): { best: string; frame: string } {
    const known = audience.of(market.name) && sent.get(market)
    if (known) return known
    const current = currentBest(market, now)
    sent.set(market, current)
    return current
  }

  return {
    methods: {
      ...methods,
      bookTicker_unsubscribe: marketsMethod(venue, ({ reader }, markets) => {
        const gone = new Set(markets.map(({ name }) => name))
        audience.set(
          reader,
          audience.topicsOf(reader).filter((topic) => !gone.has(topic)),
        )
        return { json: success }
      }),
    },
    leave,
    order(_, row) {
      const market = venue.trading.markets[venue.state.orders.market[row] ?? 0]
      if (market !== undefined && audience.of(market.name)) changed.add(market)
    },
    flush(now) {
      for (const market of changed) {
        const current = currentBest(market, now)
        if (current.best === sent.get(market)?.best) continue
        sent.set(market, current)
        post(audience.of(market.name) ?? [], current.frame)
      }
      changed.clear()
    },
  }
}
