import { kline } from './candles.ts'
import { fundingRates, futures } from './futures.ts'
import { depth, marketTicker, orderbook, ticker, trades } from './market-data.ts'
import { assets, collateralMarkets, fee, markets, platformStatus, time } from './reference-data.ts'

/** The public rows beyond spec.md: markets, their rules and their prices. */
export const marketRows = {
  time,
  platformStatus,
  assets,
  markets,
  collateralMarkets,
  futures,
  fee,
  ticker,
  marketTicker,
  orderbook,
  depth,
  trades,
  kline,
  fundingRates,
}
