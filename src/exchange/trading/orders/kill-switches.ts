import type { Trading } from '#src/exchange/trading/trading-context.ts'
import type { Market } from '#src/exchange/trading/book/market.ts'
import type { KillSwitch } from '#src/exchange/trading/records.ts'
import type { Trader } from '#src/exchange/trading/trader.ts'
import { cancelSelected } from './cancel-orders.ts'
import type { ExchangeState } from '#src/exchange/state.ts'

/** Timers that cancel the orders of a market unless they are set again. They depend on the time alone. */

/** One timer for each market: a new one replaces the old one. */
export function armSwitch(state: ExchangeState, trader: Trader, market: Market, armed: KillSwitch): void {
  trader.killSwitches.set(market.number, armed)
  state.switchAt = Math.min(state.switchAt, armed.dueAt)
}

/** Runs the timers that are due, and computes when the next one is due. */
export function runKillSwitches(trading: Trading, at: number): void {
  const { state } = trading
  state.switchAt = Infinity
  for (const trader of trading.accounts) {
    for (const [market, { kinds, dueAt }] of trader.killSwitches) {
      if (dueAt > at) {
        state.switchAt = Math.min(state.switchAt, dueAt)
        continue
      }
      trader.killSwitches.delete(market)
      cancelSelected(trading, trader, { market, kinds }, at)
    }
  }
}
