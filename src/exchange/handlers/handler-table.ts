import type { EndpointName } from '#src/venues/whitebit/contract/endpoint-table.ts'
import type { Handler, PrivateName, PublicHandler } from '#src/exchange/venue-context.ts'
import { accountHandlers } from '#src/exchange/handlers/account/account-table.ts'
import { mainBalance, tradingBalance } from '#src/exchange/handlers/account/balances.ts'
import { depositAddress, refundDeposit } from '#src/exchange/handlers/account/deposits.ts'
import { fixedClose, fixedInterest, fixedInvest } from '#src/exchange/handlers/account/fixed-investments.ts'
import {
  flexHistory,
  flexInvest,
  flexInvestments,
  flexPlans,
} from '#src/exchange/handlers/account/flex-investments.ts'
import { marketHandlers } from '#src/exchange/handlers/market-data/market-table.ts'
import { accountHashrate, payoutDestination, workerHashrate } from '#src/exchange/handlers/account/mining.ts'
import { orderHistory } from '#src/exchange/handlers/trading/order-history.ts'
import { collateralBulk } from '#src/exchange/handlers/trading/orders.ts'
import { editSubAccount } from '#src/exchange/handlers/account/sub-accounts.ts'
import { tradingHandlers } from '#src/exchange/handlers/trading/trading-table.ts'
import { createCode } from '#src/exchange/handlers/account/transfer-codes.ts'

/** A contract row without a handler does not compile. */
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
