import { invalid, invalidTrade } from '#src/contract/refusals.ts'
import { formatAtoms } from '#src/money/atoms.ts'
import { balanceOf } from '../ledger.ts'
import { freeSpot, held } from '../trading/settling.ts'
import { walletOf } from '../state.ts'
import { Refused, type Handler } from '../venue.ts'

/** Lists every currency: spec §2 lets zero balances be left out of the main balance only. */
export const tradingBalance: Handler<'tradingBalance'> = ({ venue, account, parameters: { ticker } }) => {
  if (ticker !== undefined && !Object.hasOwn(venue.world.assets, ticker)) {
    return new Refused(invalidTrade({ ticker: ['Currency was not found.'] }))
  }
  const shown = venue.switches.collateralFreeze === 'shown'
  return Object.fromEntries(
    (ticker === undefined ? Object.keys(venue.world.assets) : [ticker]).map((asset) => [
      asset,
      {
        available: formatAtoms(freeSpot(venue.floor, account, asset)),
        freeze: formatAtoms(
          (account.spotHeld.get(asset) ?? 0n) + (shown ? held(venue.floor, account, asset).reserved : 0n),
        ),
      },
    ]),
  )
}

export const mainBalance: Handler<'mainBalance'> = ({ venue, account, parameters: { ticker } }) => {
  if (ticker !== undefined && !Object.hasOwn(venue.world.assets, ticker)) {
    return new Refused(invalid({ ticker: ['The selected ticker is invalid.'] }))
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
