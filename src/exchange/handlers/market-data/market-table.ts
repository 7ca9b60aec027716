import type { marketRows } from '#src/venues/whitebit/contract/market-data/market-table.ts'
import type { PublicHandler } from '#src/exchange/venue-context.ts'
import { depth, marketTicker, orderbook, ticker, trades } from './market-data.ts'
import { fundingRates, futures, kline } from './price-history.ts'
import { assets, collateralMarkets, fee, markets, platformStatus, time } from './reference-data.ts'

export const marketHandlers: { [Name in keyof typeof marketRows]: PublicHandler<Name> } = {
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
