import { invalid, invalidTrade } from '#src/venues/whitebit/contract/wire/refusals.ts'
import { formatAtoms } from '#src/core/money/atoms.ts'
import { spotBalance } from '#src/exchange/ledger/account-views.ts'
import { balanceOf } from '#src/exchange/ledger/ledger.ts'
import { walletOf } from '#src/exchange/state.ts'
import { RefusedCall, type Handler } from '#src/exchange/venue-context.ts'

/** Lists every currency: spec §2 allows only the main balance to omit zero balances. */
export const tradingBalance: Handler<'tradingBalance'> = ({ venue, account, parameters: { ticker } }) => {
  if (ticker !== undefined && !Object.hasOwn(venue.world.assets, ticker)) {
    return new RefusedCall(invalidTrade({ ticker: ['Currency was not found.'] }))
  }
  const assets = ticker === undefined ? Object.keys(venue.world.assets) : [ticker]
  return Object.fromEntries(assets.map((asset) => [asset, spotBalance(venue, account, asset)]))
}

export const mainBalance: Handler<'mainBalance'> = ({ venue, account, parameters: { ticker } }) => {
  if (ticker !== undefined && !Object.hasOwn(venue.world.assets, ticker)) {
    // Live venues return a zero balance for an unknown currency (assumptions.unknownCurrencies).
    if (venue.profile === 'full') return { [ticker]: { main_balance: '0' } }
    return new RefusedCall(invalid({ ticker: ['The selected ticker is invalid.'] }))
  }
  const balances = Object.keys(venue.world.assets).map(
    (asset) => [asset, balanceOf(venue.state.ledger, walletOf(account, 'main'), asset)] as const,
  )
  return Object.fromEntries(
    balances
      .filter(([asset, balance]) => (ticker === undefined ? balance > 0n : asset === ticker))
      .map(([asset, balance]) => [asset, { main_balance: formatAtoms(balance) }]),
  )
}
