import { accountRows } from './account-table.ts'
import { mainBalance, tradingBalance } from './balances.ts'
import { depositAddress, refundDeposit } from './deposits.ts'
import { fixedClose, fixedInterest, fixedInvest } from './fixed-investments.ts'
import { flexHistory, flexInvest, flexInvestments, flexPlans } from './flex-investments.ts'
import { marketRows } from './market-table.ts'
import { accountHashrate, payoutDestination, workerHashrate } from './mining.ts'
import { collateralBulk, orderHistory } from './orders.ts'
import { ping } from './ping.ts'
import { editSubAccount } from './sub-accounts.ts'
import { tradingRows } from './trading-table.ts'
import { createCode } from './transfer-codes.ts'

/**
 * Every endpoint under the name of its client method and of its handler, in the order of spec.md; what lies beyond it
 * follows by chapters.
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
  ...accountRows,
  ...tradingRows,
  ...marketRows,
}

export type Contract = typeof contract
export type EndpointName = keyof Contract
