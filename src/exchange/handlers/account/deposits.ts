import { invalid } from '#src/venues/whitebit/contract/wire/refusals.ts'
import { invalidField } from '#src/exchange/handlers/refused-field.ts'
import { formatAtoms } from '#src/core/money/atoms.ts'
import { addressOf, isAddress, isNetwork } from '#src/exchange/account-data/deposit-addresses.ts'
import { move } from '#src/exchange/ledger/ledger.ts'
import { RefusedCall, type Handler, type VenueContext } from '#src/exchange/venue-context.ts'

export const depositAddress: Handler<'depositAddress'> = ({
  venue,
  account,
  parameters: { ticker, network },
}) => {
  const asset = Object.hasOwn(venue.world.assets, ticker) ? venue.world.assets[ticker] : undefined
  if (asset === undefined) return invalidField('ticker', 'The selected ticker is invalid.')
  if (asset.fiat) return invalidField('ticker', 'The ticker may not be a fiat currency.')
  if (!asset.deposits) {
    return new RefusedCall({ ...invalid({ ticker: ['Currency is not depositable'] }), finerCode: 1 })
  }
  if (network === undefined && asset.networks.length > 1) {
    return invalidField('network', `The network field is required: ${asset.networks.join(', ')}.`)
  }
  const chosen = asset.networks.find((name) => name === (network ?? asset.networks[0]))
  if (chosen === undefined) return invalidField('network', 'The selected network is invalid.')
  return {
    account: { address: addressOf(account.name, chosen), memo: '' },
    required: {
      fixedFee: '0',
      flexFee: { maxFee: '0', minFee: '0', percent: '0' },
      maxAmount: '0',
      minAmount: formatAtoms(asset.minDeposit),
    },
  }
}

export const refundDeposit: Handler<'refundDeposit'> = ({ venue, account, parameters }) => {
  const { transaction_id: id, address } = parameters
  const deposit = account.deposits.get(id)
  if (deposit === undefined) return invalidField('transaction_id', 'The selected transaction id is invalid.')
  if (deposit.status !== 'canceled') {
    const text = 'Transaction not refundable'
    return new RefusedCall(
      venue.profile === 'full'
        ? { status: 400, code: 0, message: text }
        : invalid({ transaction_id: [text] }),
    )
  }
  if (!isNetwork(deposit.network) || !isAddress(address, deposit.network)) {
    return invalidField('address', `This is not an address of the network ${deposit.network}.`)
  }
  if (isOurs(venue, address)) return invalidField('address', 'The address may not be one of this service.')
  move(venue.state.ledger, 'suspense', 'outside', deposit.ticker, deposit.amount)
  deposit.status = 'refunded'
  return { id }
}

/** Addresses are a function of account and network, so the exchange can recognise every address that it has issued. */
function isOurs({ state, world }: VenueContext, address: string): boolean {
  const networks = new Set(Object.values(world.assets).flatMap((asset) => asset.networks))
  for (const account of state.accounts.keys()) {
    for (const network of networks) {
      if (addressOf(account, network).toLowerCase() === address.toLowerCase()) return true
    }
  }
  return false
}
