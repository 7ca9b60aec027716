import { assetsOf } from '#src/exchange/handlers/account/balances.ts'
import { refusedField } from '#src/exchange/handlers/refused-field.ts'
import { cutDown, formatAtoms, oneUnit } from '#src/core/money/atoms.ts'
import {
  accountEquity,
  collateralBalance as balanceView,
  moneyOf,
} from '#src/exchange/ledger/account-views.ts'
import type { ExchangeAccount } from '#src/exchange/state.ts'
import { restingOf } from '#src/exchange/trading/orders/find-orders.ts'
import { freeCollateral, marginInUse } from '#src/exchange/trading/positions/fill-settlement.ts'
import { balanceOf } from '#src/exchange/ledger/ledger.ts'
import { waitingOf } from '#src/exchange/trading/orders/cancel-orders.ts'
import { RefusedCall, type Handler, type VenueContext } from '#src/exchange/venue-context.ts'

export const collateralBalance: Handler<'collateralBalance'> = ({ venue, account, parameters }) => {
  const assets = assetsOf(venue, parameters.ticker)
  if (assets instanceof RefusedCall) return assets
  return Object.fromEntries(
    assets.map((asset) => [asset, balanceView(venue.trading, account, asset).balance]),
  )
}

export const collateralSummary: Handler<'collateralSummary'> = ({ venue, account, parameters }) => {
  const assets = assetsOf(venue, parameters.ticker)
  if (assets instanceof RefusedCall) return assets
  return assets.map((asset) => {
    const { balance, borrowed, free, leveraged } = balanceView(venue.trading, account, asset)
    return { asset, balance, borrow: borrowed, availableWithoutBorrow: free, availableWithBorrow: leveraged }
  })
}

const fractionDigits = 8

export const accountSummary: Handler<'accountSummary'> = ({ venue, account }) => {
  const { trading } = venue
  const money = moneyOf(trading)
  const equity = accountEquity(trading, account)
  const { reserved, margin } = marginInUse(trading, account, money)
  const used = reserved + margin
  const { leverage, owed } = account.collateral
  const own = balanceOf(venue.state.ledger, account.wallets.collateral, money) - (owed.get(money) ?? 0n)
  return {
    equity: formatAtoms(equity),
    margin: formatAtoms(used),
    freeMargin: formatAtoms(equity - used),
    unrealizedFunding: '0',
    pnl: formatAtoms(equity - own),
    leverage,
    marginFraction: equity > 0n ? formatAtoms(cutDown((used * oneUnit) / equity, fractionDigits)) : '0',
  }
}

export const setLeverage: Handler<'setLeverage'> = ({ venue, account, parameters: { leverage } }) => {
  const { trading } = venue
  const moneys = [...new Set(trading.markets.map(({ rules }) => rules.money))]
  const before = moneys.map((money) => freeCollateral(trading, account, money))
  const { leverage: old } = account.collateral
  account.collateral.leverage = leverage
  const short = moneys.some((money, index) => {
    const free = freeCollateral(trading, account, money)
    return free < 0n && free < (before[index] ?? 0n)
  })
  if (!short) return { leverage }
  account.collateral.leverage = old
  return refusedField(17, 'amount', 'Not enough balance for this leverage.')
}

export const hedgeMode: Handler<'hedgeMode'> = ({ account }) => ({ hedgeMode: account.collateral.hedged })

export const setHedgeMode: Handler<'setHedgeMode'> = ({ venue, account, parameters }) => {
  if (parameters.hedgeMode !== account.collateral.hedged && isBusy(venue, account)) {
    const text = 'The mode cannot change while there are positions or orders of the collateral account.'
    return refusedField(113, 'hedgeMode', text)
  }
  account.collateral.hedged = parameters.hedgeMode
  return { hedgeMode: parameters.hedgeMode }
}

/** Whether the account has positions, or orders that could open some. */
function isBusy({ trading }: VenueContext, account: ExchangeAccount): boolean {
  const about = { kinds: ['margin', 'futures'] } as const
  return (
    account.collateral.open.length > 0 ||
    restingOf(trading, account, about).next().done === false ||
    waitingOf(trading, account, about).length > 0
  )
}
