import type { tradingRows } from '#src/contract/trading-table.ts'
import type { Handler } from '../venue.ts'
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
} from './orders.ts'

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
}
