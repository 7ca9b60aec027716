import type { Atoms } from '#src/money/atoms.ts'
import { balanceOf, type Wallet } from './ledger.ts'
import { freeCollateral } from './positions.ts'
import { walletOf, type Account, type State } from './state.ts'

/** What an account could give away out of one of its wallets: what no order and no position needs. */
export function freeBalance({ ledger }: State, account: Account, wallet: Wallet, ticker: string): Atoms {
  if (wallet !== 'collateral') return balanceOf(ledger, walletOf(account, wallet), ticker)
  const free = freeCollateral(ledger, account, ticker)
  return free > 0n ? free : 0n
}
