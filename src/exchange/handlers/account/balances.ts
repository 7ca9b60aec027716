import { invalidField, invalidTradeField } from '#src/exchange/handlers/refused-field.ts'
import { formatAtoms } from '#src/core/money/atoms.ts'
import { mainBalances, spotBalance } from '#src/exchange/ledger/account-views.ts'
import { balanceOf } from '#src/exchange/ledger/ledger.ts'
import { RefusedCall, type Handler, type VenueContext } from '#src/exchange/venue-context.ts'

/** Lists every currency: spec §2 allows only the main balance to omit zero balances. */
export const tradingBalance: Handler<'tradingBalance'> = ({ venue, account, parameters: { ticker } }) => {
  const assets = assetsOf(venue, ticker)
  if (assets instanceof RefusedCall) return assets
  return Object.fromEntries(assets.map((asset) => [asset, spotBalance(venue, account, asset)]))
}

/** The named asset, or all if none is named. */
export function assetsOf({ world }: VenueContext, ticker: string | undefined): string[] | RefusedCall {
  const all = Object.keys(world.assets)
  if (ticker === undefined) return all
  return all.includes(ticker) ? [ticker] : invalidTradeField('ticker', 'Currency was not found.')
}

export const mainBalance: Handler<'mainBalance'> = ({ venue, account, parameters: { ticker } }) => {
  if (ticker !== undefined && !Object.hasOwn(venue.world.assets, ticker)) {
    // Live venues return a zero balance for an unknown currency (assumptions.unknownCurrencies).
    if (venue.profile === 'full') return { [ticker]: { main_balance: '0' } }
    return invalidField('ticker', 'The selected ticker is invalid.')
  }
  const balances =
    ticker === undefined
      ? mainBalances(venue, account)
      : { [ticker]: formatAtoms(balanceOf(venue.state.ledger, account.wallets.main, ticker)) }
  return Object.fromEntries(
    Object.entries(balances).map(([asset, balance]) => [asset, { main_balance: balance }]),
  )
}
