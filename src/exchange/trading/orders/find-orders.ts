import { marketOf, type Trading } from '#src/exchange/trading/trading-context.ts'
import type { Market } from '#src/exchange/trading/book/market.ts'
import { flag, restingRows } from '#src/exchange/trading/book/order-columns.ts'
import type { OrderKind } from '#src/exchange/trading/records.ts'
import type { Trader } from '#src/exchange/trading/trader.ts'

/** Finds the resting orders of an account. */
export type Named = { order_id?: number | undefined; client_order_id?: string | undefined }

/** The row of the order in this market; undefined if it does not rest there. */
export function findResting(
  trading: Trading,
  trader: Trader,
  market: Market,
  named: Named,
): number | undefined {
  const { orders } = trading.state
  // Most requests name a recent order.
  for (let row = trader.newest; row !== 0; row = orders.older[row] ?? 0) {
    if (orders.market[row] === market.number && isNamed(named, orders.id[row], orders.clientId[row]))
      return row
  }
  return undefined
}

/** Whether the order has the named id. */
export function isNamed(
  { order_id, client_order_id }: Named,
  id: number | undefined,
  clientId: string | undefined,
): boolean {
  return order_id === undefined ? clientId === client_order_id : id === order_id
}

export function kindOf(market: Market, flags: number): OrderKind {
  if ((flags & flag.spot) !== 0) return 'spot'
  return market.rules.kind === 'spot' ? 'margin' : 'futures'
}

/** The rows that a call about many orders selects, oldest first. The caller may remove the current one. */
export function* restingOf(
  trading: Trading,
  trader: Trader,
  about: { market?: number | undefined; kinds?: readonly OrderKind[] | undefined },
): Generator<{ row: number; market: Market }> {
  const { orders } = trading.state
  for (const row of restingRows(orders, trader)) {
    const market = marketOf(trading, row)
    if (about.market !== undefined && market.number !== about.market) continue
    if (about.kinds && !about.kinds.includes(kindOf(market, orders.flags[row] ?? 0))) continue
    yield { row, market }
  }
}
