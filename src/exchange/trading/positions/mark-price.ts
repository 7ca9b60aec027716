import { bestPrice } from '#src/exchange/trading/book/book.ts'
import { bookOf, type Trading } from '#src/exchange/trading/trading-context.ts'

/**
 * The mark price where losses are bounded (ADR 0031), of markets without an index and without recorded prices: the median of
 * best bid, best ask and last price. So a trade between two quotes of others moves it no further than to a quote. A book with one
 * empty side has no middle: there it is the last price.
 */
export function updateMarkPrices(trading: Trading): void {
  for (const market of trading.markets) {
    const marketState = trading.state.markets[market.number]
    if (marketState === undefined || marketState.last === 0) continue
    if (marketState.indexed || marketState.recorded) continue
    const book = bookOf(trading, market)
    const [bid, ask] = [bestPrice(book, false), bestPrice(book, true)]
    const { last } = marketState
    const mark = bid === 0 || ask === 0 ? last : Math.max(bid, Math.min(ask, last))
    if (mark === marketState.mark) continue
    marketState.mark = mark
    trading.state.stirred = true
  }
}
