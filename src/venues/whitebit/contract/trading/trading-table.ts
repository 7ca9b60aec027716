import {
  accountSummary,
  collateralBalance,
  collateralSummary,
  hedgeMode,
  setHedgeMode,
  setLeverage,
} from './collateral.ts'
import { executedHistory, orderDeals } from './fills.ts'
import { killSwitch, killSwitches } from './kill-switch.ts'
import { cancelAll, cancelOrder, cancelOrders, modifyOrder, openOrders } from './order-changes.ts'
import {
  collateralLimit,
  collateralMarket,
  spotBulk,
  spotLimit,
  spotMarket,
  spotStockMarket,
} from './single-orders.ts'
import {
  closedPositions,
  closePosition,
  fundingHistory,
  openPositions,
  positionHistory,
} from './positions.ts'
import {
  cancelConditional,
  cancelOco,
  cancelOto,
  collateralOco,
  collateralStopLimit,
  collateralTriggerMarket,
  conditionalOrders,
  ocoOrders,
  spotStopLimit,
  spotStopMarket,
} from './trigger-orders.ts'

/** Beyond spec.md: orders, what became of them, and the positions that they open. */
export const tradingRows = {
  collateralLimit,
  collateralMarket,
  spotLimit,
  spotBulk,
  spotMarket,
  spotStockMarket,
  openOrders,
  cancelOrder,
  cancelOrders,
  cancelAll,
  modifyOrder,
  killSwitch,
  killSwitches,
  executedHistory,
  orderDeals,
  collateralBalance,
  collateralSummary,
  accountSummary,
  openPositions,
  closePosition,
  positionHistory,
  closedPositions,
  fundingHistory,
  setLeverage,
  hedgeMode,
  setHedgeMode,
  collateralStopLimit,
  collateralTriggerMarket,
  spotStopLimit,
  spotStopMarket,
  collateralOco,
  conditionalOrders,
  ocoOrders,
  cancelConditional,
  cancelOco,
  cancelOto,
}
