import type { accountRows } from '#src/venues/whitebit/contract/account/account-table.ts'
import type { Handler } from '#src/exchange/venue-context.ts'
import { fixedInvestments, fixedPlans } from './fixed-investments.ts'
import { flexAutoInvest, flexClose, flexPayments, flexWithdraw } from './flex-changes.ts'
import { miningAccounts } from './mining.ts'
import { marketFees, streamToken } from './fees-and-token.ts'
import { createSubAccount, subAccountBalances, subAccounts, subAccountTransfer } from './sub-accounts.ts'
import { applyCode, codeHistory, myCodes } from './transfer-codes.ts'
import { transactionHistory, transfer } from './transfers.ts'

export const accountHandlers: { [Name in keyof typeof accountRows]: Handler<Name> } = {
  transfer,
  transactionHistory,
  applyCode,
  myCodes,
  codeHistory,
  flexWithdraw,
  flexClose,
  flexAutoInvest,
  flexPayments,
  fixedPlans,
  fixedInvestments,
  subAccounts,
  createSubAccount,
  subAccountTransfer,
  subAccountBalances,
  miningAccounts,
  marketFees,
  streamToken,
}
