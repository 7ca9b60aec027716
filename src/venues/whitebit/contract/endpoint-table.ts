import { accountRows } from '#src/venues/whitebit/contract/account/account-table.ts'
import { mainBalance, tradingBalance } from '#src/venues/whitebit/contract/account/balances.ts'
import { depositAddress, refundDeposit } from '#src/venues/whitebit/contract/account/deposits.ts'
import {
  fixedClose,
  fixedInterest,
  fixedInvest,
} from '#src/venues/whitebit/contract/account/fixed-investments.ts'
import {
  flexHistory,
  flexInvest,
  flexInvestments,
  flexPlans,
} from '#src/venues/whitebit/contract/account/flex-investments.ts'
import { marketRows } from '#src/venues/whitebit/contract/market-data/market-table.ts'
import {
  accountHashrate,
  payoutDestination,
  workerHashrate,
} from '#src/venues/whitebit/contract/account/mining.ts'
import { collateralBulk, orderHistory } from '#src/venues/whitebit/contract/trading/orders.ts'
import { ping } from '#src/venues/whitebit/contract/market-data/ping.ts'
import { editSubAccount } from '#src/venues/whitebit/contract/account/sub-accounts.ts'
import { tradingRows } from '#src/venues/whitebit/contract/trading/trading-table.ts'
import { createCode } from '#src/venues/whitebit/contract/account/transfer-codes.ts'

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
  ...accountRows,
  ...tradingRows,
  ...marketRows,
}

/** The type of `contract`. */
export type Contract = typeof contract
/** The name of an endpoint, such as `collateralBulk`. */
export type EndpointName = keyof Contract
