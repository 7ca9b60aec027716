import type { Trading } from '#src/exchange/trading/trading-context.ts'
import { liquidate } from './liquidation.ts'
import { activate } from '#src/exchange/trading/orders/trigger-orders.ts'

/**
 * What follows from prices that have moved: waiting orders come, accounts that cannot hold their positions lose them,
 * which moves prices again. Called once the order that moved them has been answered, for its row is used again.
 */
export function react(trading: Trading, now: number): void {
  const { state } = trading
  while (state.stirred) {
    state.stirred = false
    activate(trading, now)
    for (const trader of trading.accounts) {
      if (!trader.house && trader.collateral.open.length > 0) liquidate(trading, trader, now)
    }
  }
}
