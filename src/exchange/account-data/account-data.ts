import { dayMs } from '#src/exchange/time-units.ts'
import type { World } from '#src/exchange/world-file.ts'

/** The data of an account other than its balances and its trading: plain data, a part of the state. */
export type AccountData = {
  subAccounts: Map<string, SubAccount>
  pools: Map<string, Pool>
  deposits: Map<string, Deposit>
  withdrawals: Withdrawal[]
  /** The active investment of each plan. */
  flex: Map<string, FlexInvestment>
  flexClosed: FlexInvestment[]
  flexRecords: FlexRecord[]
  fixed: Map<string, FixedInvestment>
  interest: InterestPayment[]
  /** The codes that the account created. The amount of an applied code is no longer part of it. */
  codes: Map<string, TransferCode>
  /** Codes that the account created and codes that it applied, oldest first. */
  codeEvents: CodeEvent[]
  /** Each token with the time at which it expires, oldest first. */
  streamTokens: Map<string, number>
}

export type SubAccount = {
  alias: string
  spotEnabled: boolean
  collateralEnabled: boolean
  email: string | undefined
  shareKyc: boolean
}

export type Pool = {
  beginsAt: number
  workers: Map<string, number>
  payout: { destination: 'main_balance' } | { destination: 'external_address'; address: string }
}

export type Transaction = { ticker: string; network: string; amount: bigint; createdAt: number }

export type Deposit = Transaction & { status: 'pending' | 'successful' | 'canceled' | 'refunded' }

export type TransferCode = {
  ticker: string
  amount: bigint
  passphrase?: string
  description?: string
  externalId: string
  at: number
  applied: boolean
}

/** `maker` is the account that created the code. */
type CodeEvent = { at: number; kind: 'made' | 'applied'; maker: string; code: string }

/** Money withdrawn before the exchange began: the API of the exchange has no call that withdraws. */
type Withdrawal = Transaction & { id: string; fee: bigint; address: string }

export type FlexInvestment = {
  id: string
  planId: string
  invested: bigint
  reinvest: boolean
  openedAt: number
  updatedAt: number
  dueAt: number
  /** Amount times milliseconds from the last payment to `accruedAt`. Older states lack both. */
  accrued?: bigint
  accruedAt?: number
}

export type FlexRecord = InterestPayment & { transactionId: string; actionType: number }

export type FixedInvestment = {
  id: string
  planId: string
  amount: bigint
  startedAt: number
  updatedAt: number
  /** Number of days for which interest was paid, and the sum of it. */
  paid: number
  interest: bigint
  open: boolean
}

type InterestPayment = {
  at: number
  planId: string
  investmentId: string
  ticker: string
  amount: bigint
}

/** The account data as the world file states them. The caller posts the deposits to the ledger. */
export function beginAccountData(rules: World['accounts'][string], at: number): AccountData {
  return {
    subAccounts: new Map(
      rules.subAccounts.map(({ id, ...sub }) => [id, { ...sub, email: undefined, shareKyc: true }]),
    ),
    pools: new Map(
      rules.mining.map((pool) => [
        pool.name,
        {
          beginsAt: at - pool.days * dayMs,
          workers: new Map(pool.workers.map((worker) => [worker.name, worker.hashrate])),
          payout: { destination: 'main_balance' },
        },
      ]),
    ),
    deposits: new Map(),
    withdrawals: rules.withdrawals.map((withdrawal) => ({ ...withdrawal, createdAt: at - dayMs })),
    flex: new Map(),
    flexClosed: [],
    flexRecords: [],
    fixed: new Map(),
    interest: [],
    codes: new Map(),
    codeEvents: [],
    streamTokens: new Map(),
  }
}
