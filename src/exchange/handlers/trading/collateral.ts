import { invalidTrade, refusedInside } from '#src/venues/whitebit/contract/wire/refusals.ts'
import { cutDown, formatAtoms, oneUnit } from '#src/core/money/atoms.ts'
import { collateralBalance as balanceView } from '#src/exchange/ledger/account-views.ts'
import type { Account } from '#src/exchange/state.ts'
import { restingOf } from '#src/exchange/trading/orders/find-orders.ts'
import { equityOf, freeCollateral, held } from '#src/exchange/trading/positions/fill-settlement.ts'
import { balanceOf } from '#src/exchange/ledger/ledger.ts'
import { waitingOf } from '#src/exchange/trading/orders/cancel-orders.ts'
import { Refused, type Handler, type Venue } from '#src/exchange/venue-context.ts'

export const collateralBalance: Handler<'collateralBalance'> = ({ venue, account, parameters }) => {
  const assets = assetsOf(venue, parameters.ticker)
  if (assets instanceof Refused) return assets
  return Object.fromEntries(
    assets.map((asset) => [asset, formatAtoms(balanceView(venue.floor, account, asset).balance)]),
  )
}

export const collateralSummary: Handler<'collateralSummary'> = ({ venue, account, parameters }) => {
  const assets = assetsOf(venue, parameters.ticker)
  if (assets instanceof Refused) return assets
  return assets.map((asset) => {
    const { balance, borrowed, free, leveraged } = balanceView(venue.floor, account, asset)
    return {
      asset,
      balance: formatAtoms(balance),
      borrow: formatAtoms(borrowed),
      availableWithoutBorrow: formatAtoms(free),
      availableWithBorrow: formatAtoms(leveraged),
    }
  })
}

function assetsOf(venue: Venue, ticker: string | undefined): string[] | Refused {
  const all = Object.keys(venue.world.assets)
  if (ticker === undefined) return all
  return all.includes(ticker) ? [ticker] : new Refused(invalidTrade({ ticker: ['Currency was not found.'] }))
}

const fractionDigits = 8

export const accountSummary: Handler<'accountSummary'> = ({ venue, account }) => {
  const { floor } = venue
  const money = floor.markets[0]?.rules.money ?? ''
  const equity = equityOf(floor, account, money)
  const { reserved, margin } = held(floor, account, money)
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
  const { floor } = venue
  const moneys = [...new Set(floor.markets.map(({ rules }) => rules.money))]
  const before = moneys.map((money) => freeCollateral(floor, account, money))
  const { leverage: old } = account.collateral
  account.collateral.leverage = leverage
  const short = moneys.some((money, index) => {
    const free = freeCollateral(floor, account, money)
    return free < 0n && free < (before[index] ?? 0n)
  })
  if (!short) return { leverage }
  account.collateral.leverage = old
  return new Refused(refusedInside(17, { amount: ['Not enough balance for this leverage.'] }))
}

export const hedgeMode: Handler<'hedgeMode'> = ({ account }) => ({ hedgeMode: account.collateral.hedged })

export const setHedgeMode: Handler<'setHedgeMode'> = ({ venue, account, parameters }) => {
  if (parameters.hedgeMode !== account.collateral.hedged && isBusy(venue, account)) {
    const text = 'The mode cannot change while there are positions or orders of the collateral account.'
    return new Refused(refusedInside(113, { hedgeMode: [text] }))
  }
  account.collateral.hedged = parameters.hedgeMode
  return { hedgeMode: parameters.hedgeMode }
}

/** Whether there are positions, or orders that could open some. */
function isBusy({ floor }: Venue, account: Account): boolean {
  const about = { kinds: ['margin', 'futures'] } as const
  return (
    account.collateral.open.length > 0 ||
    restingOf(floor, account, about).next().done === false ||
    waitingOf(floor, account, about).length > 0
  )
}
