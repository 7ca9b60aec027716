import { dayMs } from '#src/exchange/time-units.ts'
import type { World } from '#src/exchange/world-file.ts'

/** What an account has beside its balances and its trading: plain data, a part of the state. */
export type AccountData = {
  subAccounts: Map<string, SubAccount>
  pools: Map<string, Pool>
  deposits: Map<string, Deposit>
  withdrawals: Withdrawal[]
  /** The active one of each plan. */
  flex: Map<string, FlexInvestment>
  flexClosed: FlexInvestment[]
  flexRecords: FlexRecord[]
  fixed: Map<string, FixedInvestment>
  interest: InterestPayment[]
  /** The codes that the account made; the money of an applied one is gone from them. */
  codes: Map<string, TransferCode>
  /** Oldest first: what it made, and what it applied. */
  codeEvents: CodeEvent[]
  /** Each with the moment when it ends, the oldest first. */
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

export type Deposit = {
  ticker: string
  network: string
  amount: bigint
  createdAt: number
  status: 'pending' | 'successful' | 'canceled' | 'refunded'
}

export type TransferCode = {
  ticker: string
  amount: bigint
  passphrase?: string
  description?: string
  externalId: string
  at: number
  applied: boolean
}

/** `maker` is the account in whose codes the code is. */
type CodeEvent = { at: number; kind: 'made' | 'applied'; maker: string; code: string }

/** Money that left before the world began: no call of the venue withdraws. */
type Withdrawal = {
  id: string
  ticker: string
  network: string
  amount: bigint
  fee: bigint
  address: string
  createdAt: number
}

export type FlexInvestment = {
  id: string
  planId: string
  invested: bigint
  reinvest: boolean
  openedAt: number
  updatedAt: number
  dueAt: number
}

export type FlexRecord = {
  at: number
  planId: string
  investmentId: string
  ticker: string
  amount: bigint
  transactionId: string
  actionType: number
}

export type FixedInvestment = {
  id: string
  planId: string
  amount: bigint
  startedAt: number
  updatedAt: number
  /** Days that were paid for, and what they brought. */
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

/** As the world file has them. The caller books what the deposits hold. */
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
