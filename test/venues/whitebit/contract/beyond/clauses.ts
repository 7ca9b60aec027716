import { accounts } from '#test/venues/whitebit/contract/beyond/account/accounts.ts'
import { candles } from '#test/venues/whitebit/contract/beyond/market-data/candles.ts'
import { codes } from '#test/venues/whitebit/contract/beyond/account/codes.ts'
import { attachedExits } from './attached-exits.ts'
import { endingExits } from './ending-exits.ts'
import { closedPositions } from './closed-positions.ts'
import { collateral } from './collateral.ts'
import { fees } from '#test/venues/whitebit/contract/beyond/account/fees.ts'
import { fills } from './fills.ts'
import { hedging } from './hedging.ts'
import { pairs } from './pairs.ts'
import { positions } from './positions.ts'
import { investments } from '#test/venues/whitebit/contract/beyond/account/investments.ts'
import { killSwitches } from './kill-switches.ts'
import { modifying } from './modifying.ts'
import { orderChanges } from './order-changes.ts'
import { marketData } from '#test/venues/whitebit/contract/beyond/market-data/market-data.ts'
import { orderRefusals } from './order-refusals.ts'
import { orders } from './orders.ts'
import { publicRefusals } from '#test/venues/whitebit/contract/beyond/market-data/public-refusals.ts'
import { spotOrders } from './spot-orders.ts'
import { subAccountPermissions } from '#test/venues/whitebit/contract/beyond/account/sub-account-permissions.ts'
import { spotStops } from './spot-stops.ts'
import { transfers } from '#test/venues/whitebit/contract/beyond/account/transfers.ts'
import { triggers } from './triggers.ts'

/** Everything that is so beyond the specification, by chapters. */
export const clausesBeyond = [
  transfers,
  codes,
  investments,
  accounts,
  subAccountPermissions,
  fees,
  orders,
  spotOrders,
  orderRefusals,
  orderChanges,
  modifying,
  killSwitches,
  marketData,
  candles,
  publicRefusals,
  fills,
  collateral,
  hedging,
  positions,
  closedPositions,
  triggers,
  spotStops,
  pairs,
  attachedExits,
  endingExits,
].flat()
