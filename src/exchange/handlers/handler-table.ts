import type { EndpointName } from '#src/venues/whitebit/contract/endpoint-table.ts'
import type { Handler, PrivateName, PublicHandler } from '#src/exchange/venue-context.ts'
import * as balances from './account/balances.ts'
import * as deposits from './account/deposits.ts'
import * as feesAndToken from './account/fees-and-token.ts'
import * as fixedInvestments from './account/fixed-investments.ts'
import * as flexChanges from './account/flex-changes.ts'
import * as flexInvestments from './account/flex-investments.ts'
import * as mining from './account/mining.ts'
import * as subAccounts from './account/sub-accounts.ts'
import * as transferCodes from './account/transfer-codes.ts'
import * as transfers from './account/transfers.ts'
import * as marketData from './market-data/market-data.ts'
import * as priceHistory from './market-data/price-history.ts'
import * as referenceData from './market-data/reference-data.ts'
import * as closedPositions from './trading/closed-positions.ts'
import * as collateral from './trading/collateral.ts'
import * as fills from './trading/fills.ts'
import * as killSwitch from './trading/kill-switch.ts'
import * as modifyOrder from './trading/modify-order.ts'
import * as orderChanges from './trading/order-changes.ts'
import * as orderHistory from './trading/order-history.ts'
import * as orders from './trading/orders.ts'
import * as positions from './trading/positions.ts'
import * as triggerOrders from './trading/trigger-orders.ts'

/**
 * A contract row without a handler does not compile: a file of handlers exports each one under the name of its row. What else
 * these files export has no name of the contract, and no call finds it.
 */
export const handlers: { [Name in PrivateName]: Handler<Name> } = {
  ...balances,
  ...deposits,
  ...feesAndToken,
  ...fixedInvestments,
  ...flexChanges,
  ...flexInvestments,
  ...mining,
  ...subAccounts,
  ...transferCodes,
  ...transfers,
  ...closedPositions,
  ...collateral,
  ...fills,
  ...killSwitch,
  ...modifyOrder,
  ...orderChanges,
  ...orderHistory,
  ...orders,
  ...positions,
  ...triggerOrders,
}

export type PublicName = Exclude<EndpointName, PrivateName>

export const publicHandlers: { [Name in PublicName]: PublicHandler<Name> } = {
  ping: () => ['pong'],
  ...marketData,
  ...priceHistory,
  ...referenceData,
}
