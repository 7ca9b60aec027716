import type { accountRows } from '#src/contract/account-table.ts'
import type { Handler } from '../venue.ts'
import { applyCode, codeHistory, myCodes } from './transfer-codes.ts'
import { transactionHistory, transfer } from './transfers.ts'

export const accountHandlers: { [Name in keyof typeof accountRows]: Handler<Name> } = {
  transfer,
  transactionHistory,
  applyCode,
  myCodes,
  codeHistory,
}
