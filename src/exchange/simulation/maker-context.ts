import type { Trading } from '#src/exchange/trading/trading-context.ts'
import type { Market } from '#src/exchange/trading/book/market.ts'
import type { Trader } from '#src/exchange/trading/trader.ts'
import type { SimulatedMarketState } from './simulation-records.ts'

/** A market with its market maker and its taker. */
export type MakerContext = {
  trading: Trading
  market: Market
  maker: Trader
  taker: Trader
  spot: boolean
  /** Index units in one tick of the market. */
  perTick: number
  simulated: SimulatedMarketState
}
