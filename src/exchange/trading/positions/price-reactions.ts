import type { Trading } from '#src/exchange/trading/trading-context.ts'
import { liquidate } from './liquidation.ts'
import { updateMarkPrices } from './mark-price.ts'
import { cancelIdleExits } from '#src/exchange/trading/orders/cancel-orders.ts'
import { activateTriggers } from '#src/exchange/trading/orders/trigger-orders.ts'

/**
 * The consequences of changed prices: waiting orders activate and accounts are liquidated, which changes prices again.
 * Called after the order that changed the prices was answered, because its row is used again.
 */
export function react(trading: Trading, now: number): void {
  const { state } = trading
  if (trading.deleverages) updateMarkPrices(trading)
  while (state.stirred) {
    state.stirred = false
    cancelIdleExits(trading, now)
    activateTriggers(trading, now)
    for (const trader of trading.accounts) {
      if (!trader.house && trader.collateral.open.length > 0) liquidate(trading, trader, now)
    }
    if (trading.deleverages) updateMarkPrices(trading)
  }
  cancelIdleExits(trading, now)
}
