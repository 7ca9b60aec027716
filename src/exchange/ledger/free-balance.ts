import type { Atoms } from '#src/core/money/atoms.ts'
import { balanceOf, type Wallet } from './ledger.ts'
import type { ExchangeAccount } from '#src/exchange/state.ts'
import type { Trading } from '#src/exchange/trading/trading-context.ts'
import { freeCollateral, freeSpot } from '#src/exchange/trading/positions/fill-settlement.ts'

/** The amount of a wallet that no order and no position needs. */
export function freeBalance(
  trading: Trading,
  account: ExchangeAccount,
  wallet: Wallet,
  ticker: string,
): Atoms {
  if (wallet === 'spot') return freeSpot(trading, account, ticker)
  const held = balanceOf(trading.state.ledger, account.wallets[wallet], ticker)
  if (wallet === 'main') return held
  // Unrealised profit backs orders, but it cannot be transferred.
  const free = freeCollateral(trading, account, ticker)
  return free < 0n ? 0n : free < held ? free : held
}
