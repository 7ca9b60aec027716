import { newOrderRow } from './order-intake.ts'
import type { NewOrder } from './order-draft.ts'
import type { Trading } from '#src/exchange/trading/trading-context.ts'
import type { Market } from '#src/exchange/trading/book/market.ts'
import { flag, restingRows } from '#src/exchange/trading/book/order-columns.ts'
import { place, takerBand } from './order-matching.ts'
import { marketOrderReach } from './market-order-size.ts'
import { cancelExits } from './cancel-orders.ts'
import { endOrder, cancelResting, takeWaiting } from './resting-orders.ts'
import type { Trader } from '#src/exchange/trading/trader.ts'

/** Orders that wait until the last price reaches their activation price. They reserve nothing before that. */

/** Activates the orders whose price was reached, oldest first. */
export function activateTriggers(trading: Trading, now: number): void {
  const { state } = trading
  if (state.triggers.length === 0) return
  const due = state.triggers.filter(({ market, activation, rises }) => {
    const last = state.markets[market]?.last ?? 0
    return last !== 0 && (rises ? last >= activation : last <= activation)
  })
  if (due.length > 0) trading.quote?.(now)
  for (const trigger of due) {
    // An earlier order of this loop may have cancelled it by trading with the order linked to it.
    if (!state.triggers.includes(trigger)) continue
    const { draft, other } = trigger
    const { market, trader } = takeWaiting(trading, trigger)
    if (trigger.oto !== undefined) cancelExits(trading, trigger.oto, now)
    const stop = trader.stops.get(trigger.id)
    if (stop) stop.activatedAt = now
    for (const row of restingRows(state.orders, trader)) {
      if (state.orders.id[row] === other) cancelResting(trading, row, 'CANCELED', now)
    }
    const sized = { ...draft, ...sizeNow(trading, market, trader, draft) }
    if (typeof place(trading, market, trader, sized, now) === 'string')
      endOrder(trading, newOrderRow(trading, market, trader, draft, now), 'CANCELED', now)
  }
}

/** The limit of a market order is computed at its activation; for a spot buy also the amount that it reserves. */
function sizeNow(
  trading: Trading,
  market: Market,
  trader: Trader,
  draft: NewOrder,
): Pick<NewOrder, 'lots' | 'ticks'> {
  const { lots, sells, flags, selfTrade } = draft
  if ((flags & flag.market) === 0) return { lots, ticks: draft.ticks }
  const ticks = takerBand(trading, market, sells)
  if (sells || (flags & flag.spot) === 0) return { lots, ticks }
  return marketOrderReach(trading, market, trader, { selfTrade, lots }, ticks)
}
