import { matchable } from '#src/exchange/trading/book/book.ts'
import { exposureOfOrder } from '#src/exchange/trading/positions/exposure.ts'
import { bookOf, type Trading } from '#src/exchange/trading/trading-context.ts'
import type { Market } from '#src/exchange/trading/book/market.ts'
import { flag, has } from '#src/exchange/trading/book/order-columns.ts'
import type { Exposure } from '#src/exchange/trading/records.ts'
import type { Trader } from '#src/exchange/trading/trader.ts'

/** `selfTrade` as in the order. Either lots (an amount of the base asset) or quanta (an amount of money) is given. */
type Want = { selfTrade: number; lots?: number; quanta?: number }

/**
 * What a market buy would get from the book: the lots, and the price of the last of them. The result is exact, because
 * nothing else trades in between, so the order never overspends. The part beyond the book is counted at the limit; it
 * will not fill.
 */
export function marketOrderReach(
  trading: Trading,
  market: Market,
  buyer: Trader,
  { selfTrade, lots = Infinity, quanta = Infinity }: Want,
  limit: number,
): { lots: number; ticks: number } {
  const { orders } = trading.state
  const held = new Map<Exposure, number>()
  let end = limit
  let bought = 0
  let spent = 0
  let ticks = 0
  for (const maker of matchable(bookOf(trading, market), orders, true, limit)) {
    const price = orders.ticks[maker] ?? 0
    if (selfTrade !== 0 && orders.account[maker] === buyer.number) {
      // 3 cancels the old order and continues; the other modes end here.
      if (selfTrade === 3) continue
      end = price
      break
    }
    const offered = offer(trading, maker, held)
    const part = Math.min(offered, lots - bought, Math.floor((quanta - spent) / price))
    sold(trading, maker, part, held)
    bought += part
    spent += part * price
    if (part > 0) ticks = price
    if (part < offered) return { lots: bought, ticks }
  }
  const rest = Math.min(lots - bought, Math.floor((quanta - spent) / end))
  return { lots: bought + rest, ticks: rest > 0 ? end : ticks }
}

/** A reduce-only order offers the part of its position that earlier sells of the sweep leave. */
function offer(trading: Trading, maker: number, held: Map<Exposure, number>): number {
  const { orders } = trading.state
  const left = orders.left[maker] ?? 0
  if (!has(orders, maker, flag.reduceOnly)) return left
  const exposure = exposureOfOrder(trading, maker)
  return Math.min(left, Math.max(0, held.get(exposure) ?? exposure.lots))
}

function sold(trading: Trading, maker: number, lots: number, held: Map<Exposure, number>): void {
  if (has(trading.state.orders, maker, flag.spot)) return
  const exposure = exposureOfOrder(trading, maker)
  held.set(exposure, (held.get(exposure) ?? exposure.lots) - lots)
}
