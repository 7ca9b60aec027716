import { applyCode, codeHistory, myCodes } from './transfer-codes.ts'
import { transactionHistory, transfer } from './transfers.ts'

/** Beyond spec.md: what an account does with its money and its settings, trading apart. */
export const accountRows = {
  transfer,
  transactionHistory,
  applyCode,
  myCodes,
  codeHistory,
}
