import { mainBalance, tradingBalance } from './account/balances.ts'
import { depositAddress, refundDeposit } from './account/deposits.ts'
import { marketFees, streamToken } from './account/fees-and-token.ts'
import {
  fixedClose,
  fixedInterest,
  fixedInvest,
  fixedInvestments,
  fixedPlans,
} from './account/fixed-investments.ts'
import { flexAutoInvest, flexClose, flexPayments, flexWithdraw } from './account/flex-changes.ts'
import { flexHistory, flexInvest, flexInvestments, flexPlans } from './account/flex-investments.ts'
import { accountHashrate, miningAccounts, payoutDestination, workerHashrate } from './account/mining.ts'
import {
  createSubAccount,
  editSubAccount,
  subAccountBalances,
  subAccounts,
  subAccountTransfer,
} from './account/sub-accounts.ts'
import { applyCode, codeHistory, createCode, myCodes } from './account/transfer-codes.ts'
import { transactionHistory, transfer } from './account/transfers.ts'
import { kline } from './market-data/candles.ts'
import { fundingRates, futures } from './market-data/futures.ts'
import { depth, marketTicker, orderbook, ticker, trades } from './market-data/market-data.ts'
import { ping } from './market-data/ping.ts'
import {
  assets,
  collateralMarkets,
  fee,
  markets,
  platformStatus,
  time,
} from './market-data/reference-data.ts'
import {
  accountSummary,
  collateralBalance,
  collateralSummary,
  hedgeMode,
  setHedgeMode,
  setLeverage,
} from './trading/collateral.ts'
import { executedHistory, orderDeals } from './trading/fills.ts'
import { killSwitch, killSwitches } from './trading/kill-switch.ts'
import { cancelAll, cancelOrder, cancelOrders, modifyOrder, openOrders } from './trading/order-changes.ts'
import { collateralBulk, orderHistory } from './trading/orders.ts'
import {
  closedPositions,
  closePosition,
  fundingHistory,
  openPositions,
  positionHistory,
} from './trading/positions.ts'
import {
  collateralLimit,
  collateralMarket,
  spotBulk,
  spotLimit,
  spotMarket,
  spotStockMarket,
} from './trading/single-orders.ts'
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
} from './trading/trigger-orders.ts'

/**
 * All endpoints by the name of the client method: first those of the specification in its order, then the others by topic.
 */
export const contract = {
  ping,
  flexInvestments,
  flexHistory,
  flexInvest,
  flexPlans,
  fixedInterest,
  fixedInvest,
  fixedClose,
  collateralBulk,
  refundDeposit,
  orderHistory,
  createCode,
  payoutDestination,
  workerHashrate,
  accountHashrate,
  depositAddress,
  editSubAccount,
  tradingBalance,
  mainBalance,
  // Not in spec.md: calls for the money and the settings of an account, without trading.
  transfer,
  transactionHistory,
  applyCode,
  myCodes,
  codeHistory,
  flexWithdraw,
  flexClose,
  flexAutoInvest,
  flexPayments,
  fixedPlans,
  fixedInvestments,
  subAccounts,
  createSubAccount,
  subAccountTransfer,
  subAccountBalances,
  miningAccounts,
  marketFees,
  streamToken,
  // Orders, their results, and the positions that they open.
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
  // Markets, their rules and their prices: public.
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

/** The type of `contract`. */
export type Contract = typeof contract
/** The name of an endpoint, such as `collateralBulk`. */
export type EndpointName = keyof Contract
