import { invalid, refusedInside } from '#src/venues/whitebit/contract/wire/refusals.ts'
import type { Problems } from '#src/venues/whitebit/contract/wire/problems.ts'
import { contract } from '#src/venues/whitebit/contract/endpoint-table.ts'
import { fitsDigits, formatAtoms, parseAtoms, type Atoms } from '#src/core/money/atoms.ts'
import { mayTrade } from '#src/exchange/account-data/sub-account-permissions.ts'
import { freeBalance } from '#src/exchange/ledger/free-balance.ts'
import { move, type Wallet } from '#src/exchange/ledger/ledger.ts'
import { pageOf } from '#src/exchange/handlers/paging.ts'
import { walletOf } from '#src/exchange/state.ts'
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
    return new RefusedCall(invalid({ ticker: ['The selected ticker is invalid.'] }))
  }
  const way = wayOf(parameters)
  if ('problems' in way) return new RefusedCall(invalid(way.problems))
  for (const end of ['from', 'to'] as const) {
    const wallet = way[end]
    if (wallet !== 'main' && !mayTrade(venue, account.name, wallet))
      return new RefusedCall(
        refusedInside(0, { [end]: [`The sub-account is not permitted to use ${wallet}.`] }),
      )
  }
  const amount = parseAtoms(parameters.amount)
  const unfit = amountProblem(amount)
  if (unfit !== undefined) return new RefusedCall(invalid({ amount: [unfit] }))
  const free = freeBalance(venue.trading, account, way.from, ticker)
  if (amount > free) return new RefusedCall(refusedInside(3, { amount: [tooMuch(free, amount)] }))
  move(state.ledger, walletOf(account, way.from), walletOf(account, way.to), ticker, amount)
  return []
}

function wayOf({
  from,
  to,
  method,
}: {
  from?: Wallet | undefined
  to?: Wallet | undefined
  method?: keyof typeof methods | undefined
}): Way | { problems: Problems } {
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

/** What is wrong with an amount, checked before any balance. */
export function amountProblem(amount: Atoms): string | undefined {
  if (amount === 0n) return 'The amount must be at least 0.00000001.'
  return fitsDigits(amount, 8) ? undefined : 'The amount may have at most 8 decimals.'
}

export function tooMuch(free: Atoms, amount: Atoms): string {
  const [available, wanted] = [free, amount].map(formatAtoms)
  return `You don't have such amount for transfer (available ${available}, in amount: ${wanted})`
}

const reach = 10_000

export const transactionHistory: Handler<'transactionHistory'> = ({ venue, account, parameters }) => {
  const { transactionMethod, ticker, address, addresses, unique_id, status } = parameters
  const { limit, offset } = pageOf(contract.transactionHistory, parameters)
  if (ticker !== undefined && !Object.hasOwn(venue.world.assets, ticker)) {
    return new RefusedCall(invalid({ ticker: ['The selected ticker is invalid.'] }))
  }
  if (limit + offset > reach) {
    return new RefusedCall(
      invalid({ offset: [`The limit and the offset may not exceed ${reach} together.`] }),
    )
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
