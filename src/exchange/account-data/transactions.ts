import { createHash } from 'node:crypto'
import type { AnswerOf } from '#src/venues/whitebit/contract/endpoint.ts'
import type { Contract } from '#src/venues/whitebit/contract/endpoint-table.ts'
import { transactionStatus } from '#src/venues/whitebit/contract/account/transfers.ts'
import { formatAtoms } from '#src/core/money/atoms.ts'
import { addressOf, isNetwork } from './deposit-addresses.ts'
import { seconds } from '#src/exchange/time-units.ts'
import type { Deposit, Transaction } from './account-data.ts'
import type { ExchangeAccount } from '#src/exchange/state.ts'

/** Deposits and withdrawals as the API returns them, in the history and in the webhooks. */
type TransactionRecord = AnswerOf<Contract['transactionHistory']>['records'][number]

/** A refunded deposit still has the status canceled. */
const depositStatus = {
  pending: transactionStatus.pending,
  successful: transactionStatus.successful,
  canceled: transactionStatus.canceled,
  refunded: transactionStatus.canceled,
} as const satisfies Record<Deposit['status'], number>

/** `uniqueId` of a deposit equals `transaction_id` of its refund. */
export function depositRecord(account: string, id: string, deposit: Deposit) {
  return {
    ...sharedRecord(id, deposit),
    address: isNetwork(deposit.network) ? addressOf(account, deposit.network) : '',
    fee: '0',
    method: 1 as const,
    status: depositStatus[deposit.status],
    uniqueId: id,
    confirmations: { actual: deposit.status === 'successful' ? 1 : 0, required: 1 },
  }
}

function sharedRecord(id: string, { amount, createdAt, ticker, network }: Transaction) {
  return {
    amount: formatAtoms(amount),
    createdAt: seconds(createdAt),
    currency: ticker,
    description: '',
    memo: '',
    network,
    ticker,
    transactionHash: createHash('sha256').update(id).digest('hex'),
  }
}

/** All transactions of an account, newest first. */
export function transactionsOf(account: ExchangeAccount): TransactionRecord[] {
  const deposits = [...account.deposits].map(([id, deposit]) =>
    Object.assign(depositRecord(account.name, id, deposit), { transactionId: id }),
  )
  const withdrawals = account.withdrawals.map(({ id, address, fee, ...rest }) => ({
    ...sharedRecord(id, rest),
    address,
    fee: formatAtoms(fee),
    method: 2 as const,
    status: transactionStatus.successful,
    uniqueId: null,
    transactionId: id,
    confirmations: { actual: 1, required: 1 },
  }))
  return [...deposits, ...withdrawals].sort((a, b) => b.createdAt - a.createdAt)
}
