import type { Floor } from '#src/exchange/trading/trading-context.ts'
import { liquidate } from './liquidation.ts'
import { activate } from '#src/exchange/trading/orders/trigger-orders.ts'

/**
 * What follows from prices that have moved: waiting orders come, accounts that cannot hold their positions lose them,
 * which moves prices again. Called once the order that moved them has been answered, for its row is used again.
 */
export function react(floor: Floor, now: number): void {
  const { state } = floor
  while (state.stirred) {
    state.stirred = false
    activate(floor, now)
    for (const trader of floor.accounts) {
      if (!trader.house && trader.collateral.open.length > 0) liquidate(floor, trader, now)
    }
  }
}
