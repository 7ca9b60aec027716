import type { tradingRows } from '#src/venues/whitebit/contract/trading/trading-table.ts'
import type { Handler } from '#src/exchange/venue-context.ts'
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
import { modifyOrder } from './modify-order.ts'
import { cancelAll, cancelOrder, cancelOrders, openOrders } from './order-changes.ts'
import {
  collateralLimit,
  collateralMarket,
  spotBulk,
  spotLimit,
  spotMarket,
  spotStockMarket,
} from './orders.ts'
import { closedPositions } from './closed-positions.ts'
import { closePosition, fundingHistory, openPositions, positionHistory } from './positions.ts'
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

export const tradingHandlers: { [Name in keyof typeof tradingRows]: Handler<Name> } = {
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
