import type { EndpointName } from '#src/contract/table.ts'
import type { Handler, PrivateName, PublicHandler } from '../venue.ts'
import { accountHandlers } from './account-table.ts'
import { mainBalance, tradingBalance } from './balances.ts'
import { depositAddress, refundDeposit } from './deposits.ts'
import { fixedClose, fixedInterest, fixedInvest } from './fixed-investments.ts'
import { flexHistory, flexInvest, flexInvestments, flexPlans } from './flex-investments.ts'
import { marketHandlers } from './market-table.ts'
import { accountHashrate, payoutDestination, workerHashrate } from './mining.ts'
import { orderHistory } from './order-history.ts'
import { collateralBulk } from './orders.ts'
import { editSubAccount } from './sub-accounts.ts'
import { tradingHandlers } from './trading-table.ts'
import { createCode } from './transfer-codes.ts'

/** A row of the contract without its handler does not compile. */
export const handlers: { [Name in PrivateName]: Handler<Name> } = {
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
  ...accountHandlers,
  ...tradingHandlers,
}

export type PublicName = Exclude<EndpointName, PrivateName>

export const publicHandlers: { [Name in PublicName]: PublicHandler<Name> } = {
  ping: () => ['pong'],
  ...marketHandlers,
}
