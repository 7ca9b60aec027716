import type { Floor } from '../trading/floor.ts'
import type { Market } from '../trading/market.ts'
import type { Trader } from '../trading/trader.ts'
import type { Stand } from './records.ts'

/** A market and who trades there for the house. */
export type Desk = {
  floor: Floor
  market: Market
  maker: Trader
  taker: Trader
  spot: boolean
  /** Units of the index in one tick of the market. */
  perTick: number
  stand: Stand
}
