import type { Atoms } from '#src/core/money/atoms.ts'
import { balanceOf, type Wallet } from './ledger.ts'
import { walletOf, type Account } from '#src/exchange/state.ts'
import type { Floor } from '#src/exchange/trading/trading-context.ts'
import { freeCollateral, freeSpot } from '#src/exchange/trading/positions/fill-settlement.ts'

/** What an account could give away out of one of its wallets: what no order and no position needs. */
export function freeBalance(floor: Floor, account: Account, wallet: Wallet, ticker: string): Atoms {
  if (wallet === 'spot') return freeSpot(floor, account, ticker)
  const held = balanceOf(floor.state.ledger, walletOf(account, wallet), ticker)
  if (wallet === 'main') return held
  // Profits of open positions back orders, but nothing that is not there can leave.
  const free = freeCollateral(floor, account, ticker)
  return free < 0n ? 0n : free < held ? free : held
}
