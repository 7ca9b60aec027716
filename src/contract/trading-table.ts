import {
  collateralLimit,
  collateralMarket,
  spotBulk,
  spotLimit,
  spotMarket,
  spotStockMarket,
} from './placing.ts'

/** Beyond spec.md: orders, what became of them, and the positions that they open. */
export const tradingRows = {
  collateralLimit,
  collateralMarket,
  spotLimit,
  spotBulk,
  spotMarket,
  spotStockMarket,
}
