import { invalid } from '#src/venues/whitebit/contract/wire/refusals.ts'
import { invalidField, refusedField } from '#src/exchange/handlers/refused-field.ts'
import type { Problems } from '#src/venues/whitebit/contract/wire/problems.ts'
import type { WireOf } from '#src/venues/whitebit/contract/endpoint.ts'
import { contract, type Contract } from '#src/venues/whitebit/contract/endpoint-table.ts'
import { fitsDigits, formatAtoms, parseAtoms, type Atoms } from '#src/core/money/atoms.ts'
import { mayTrade } from '#src/exchange/account-data/sub-account-permissions.ts'
import { freeBalance } from '#src/exchange/ledger/free-balance.ts'
import { move, type Wallet } from '#src/exchange/ledger/ledger.ts'
import { pageOf } from '#src/exchange/handlers/paging.ts'
import { transactionsOf } from '#src/exchange/account-data/transactions.ts'
import { RefusedCall, type Handler } from '#src/exchange/venue-context.ts'

type Way = { from: Wallet; to: Wallet }

const methods = {
  deposit: { from: 'main', to: 'spot' },
  withdraw: { from: 'spot', to: 'main' },
  'collateral-deposit': { from: 'main', to: 'collateral' },
  'collateral-withdraw': { from: 'collateral', to: 'main' },
} as const satisfies Record<string, Way>

export const transfer: Handler<'transfer'> = ({ venue, account, parameters }) => {
  const { ticker } = parameters
  const { state } = venue
  if (!Object.hasOwn(venue.world.assets, ticker)) {
    return invalidField('ticker', 'The selected ticker is invalid.')
  }
  const way = wayOf(parameters)
  if ('problems' in way) return new RefusedCall(invalid(way.problems))
  for (const end of ['from', 'to'] as const) {
    const wallet = way[end]
    if (wallet !== 'main' && !mayTrade(venue, account.name, wallet))
      return refusedField(0, end, `The sub-account is not permitted to use ${wallet}.`)
  }
  const amount = parseAtoms(parameters.amount)
  const refused = refusedAmount(amount, freeBalance(venue.trading, account, way.from, ticker))
  if (refused) return refused
  move(state.ledger, account.wallets[way.from], account.wallets[way.to], ticker, amount)
  return []
}

function wayOf({ from, to, method }: WireOf<Contract['transfer']>): Way | { problems: Problems } {
  if (method !== undefined) {
    if (from === undefined && to === undefined) return methods[method]
    return { problems: { method: ['Use either method, or from and to.'] } }
  }
  if (from !== undefined && to !== undefined) {
    return from === to ? { problems: { to: ['The to and from must be different.'] } } : { from, to }
  }
  return {
    problems: {
      ...(from === undefined ? { from: ['The from field is required.'] } : {}),
      ...(to === undefined ? { to: ['The to field is required.'] } : {}),
    },
  }
}

/** Refuses an amount that has no valid form or that is not free. */
export function refusedAmount(amount: Atoms, free: Atoms): RefusedCall | undefined {
  if (amount === 0n) return invalidField('amount', 'The amount must be at least 0.00000001.')
  if (!fitsDigits(amount, 8)) return invalidField('amount', 'The amount may have at most 8 decimals.')
  if (amount <= free) return undefined
  const [available, wanted] = [free, amount].map(formatAtoms)
  const text = `You don't have such amount for transfer (available ${available}, in amount: ${wanted})`
  return refusedField(3, 'amount', text)
}

const reach = 10_000

export const transactionHistory: Handler<'transactionHistory'> = ({ venue, account, parameters }) => {
  const { transactionMethod, ticker, address, addresses, unique_id, status } = parameters
  const { limit, offset } = pageOf(contract.transactionHistory, parameters)
  if (ticker !== undefined && !Object.hasOwn(venue.world.assets, ticker)) {
    return invalidField('ticker', 'The selected ticker is invalid.')
  }
  if (limit + offset > reach) {
    return invalidField('offset', `The limit and the offset may not exceed ${reach} together.`)
  }
  const records = transactionsOf(account).filter(
    (record) =>
      (transactionMethod === undefined || record.method === transactionMethod) &&
      (ticker === undefined || record.ticker === ticker) &&
      (address === undefined || record.address === address) &&
      (addresses === undefined || addresses.includes(record.address)) &&
      (unique_id === undefined || record.uniqueId === unique_id) &&
      (status === undefined || status.includes(record.status)),
  )
  return { limit, offset, records: records.slice(offset, offset + limit), total: records.length }
}
