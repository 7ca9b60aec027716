import type { Atoms } from '#src/core/money/atoms.ts'
import { crosses, matchable } from '#src/exchange/trading/book/book.ts'
import type { Market } from '#src/exchange/trading/book/market.ts'
import { flag, has } from '#src/exchange/trading/book/order-columns.ts'
import { equityOf } from '#src/exchange/trading/positions/fill-settlement.ts'
import { bookOf, ownerOf, type Trading } from '#src/exchange/trading/trading-context.ts'
import type { NewOrder } from './order-draft.ts'

/**
 * The loss of an order against the mark price: who buys above it or sells below it has lost the difference at once. An
 * account that could not pay it would leave it to others, and the other side of the trade would have the profit.
 */

/** The loss at the prices of the book, in quanta. What does not match counts at the limit if it can rest. */
export function orderLoss(trading: Trading, market: Market, draft: NewOrder, lots: number): number {
  const { sells, flags, ticks } = draft
  const mark = trading.state.markets[market.number]?.mark ?? 0
  const worst = lossPerLot(mark, sells, ticks)
  if (worst <= 0) return 0
  const book = bookOf(trading, market)
  const { orders } = trading.state
  let left = lots
  let loss = 0
  if ((flags & (flag.postOnly | flag.rpi)) === 0 && crosses(book, sells, ticks)) {
    for (const maker of matchable(book, orders, !sells, ticks)) {
      const part = Math.min(left, orders.left[maker] ?? 0)
      loss += part * Math.max(0, lossPerLot(mark, sells, orders.ticks[maker] ?? 0))
      left -= part
      if (left === 0) break
    }
  }
  return (flags & (flag.market | flag.ioc)) === 0 ? loss + left * worst : loss
}

/** In ticks; negative for a profit. Without a mark price there is no loss. */
function lossPerLot(mark: number, sells: boolean, ticks: number): number {
  if (mark === 0) return 0
  return sells ? mark - ticks : ticks - mark
}

/**
 * Which side of a fill would have less than nothing after it, at the mark price: its order is canceled instead. The
 * check of the order came before, but since then the mark price has moved, or other orders have lost the money.
 */
export function unbacked(
  trading: Trading,
  market: Market,
  ...[maker, taker, lots, ticks]: [maker: number, taker: number, lots: number, ticks: number]
): 'maker' | 'taker' | undefined {
  const { feePerQuantum } = market
  const quanta = BigInt(lots) * BigInt(ticks)
  const fill = { lots, ticks }
  if (!isBacked(trading, market, taker, { ...fill, fee: quanta * feePerQuantum.taker })) return 'taker'
  return isBacked(trading, market, maker, { ...fill, fee: quanta * feePerQuantum.maker })
    ? undefined
    : 'maker'
}

function isBacked(
  trading: Trading,
  market: Market,
  row: number,
  { lots, ticks, fee }: { lots: number; ticks: number; fee: Atoms },
): boolean {
  const { orders, markets } = trading.state
  const account = ownerOf(trading, row)
  // The limit of a liquidation is a price that the account and the insurance can pay.
  if (account.house || has(orders, row, flag.spot) || has(orders, row, flag.forced)) return true
  const perLot = lossPerLot(markets[market.number]?.mark ?? 0, orders.sells[row] === 1, ticks)
  const loss = BigInt(lots) * BigInt(perLot) * market.atomsPerQuantum + fee
  return loss <= 0n || loss <= equityOf(trading, account, market.rules.money)
}
