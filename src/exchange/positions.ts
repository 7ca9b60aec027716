import type { Atoms } from '#src/money/atoms.ts'
import { balanceOf, move, type Ledger } from './ledger.ts'
import type { Market } from './market.ts'
import { walletOf, type Account, type Position } from './state.ts'

/**
 * The collateral account: one net position per market, settled in the money currency. A fill moves money only
 * where it closes: profit comes from the clearing book, loss goes to it, and there the two sides of all open
 * positions cancel out.
 */

/** What the account can still commit. */
export function freeCollateral(ledger: Ledger, account: Account, money: string): Atoms {
  const { reserved, margin } = heldOf(account, money)
  return balanceOf(ledger, walletOf(account, 'collateral'), money) - reserved - margin
}

export function heldOf(account: Account, money: string): { reserved: Atoms; margin: Atoms } {
  const { held } = account.collateral
  const found = held.get(money)
  if (found) return found
  const none = { reserved: 0n, margin: 0n }
  held.set(money, none)
  return none
}

/** Margin for a notional, rounded up. */
export function marginFor(notional: Atoms, leverage: number): Atoms {
  return leverage === 1 ? notional : (notional + BigInt(leverage) - 1n) / BigInt(leverage)
}

/** How many lots of this position an order on `side` could close. */
export function closable(position: Position | undefined, side: 'buy' | 'sell'): number {
  if (position === undefined) return 0
  return side === 'sell' ? Math.max(0, position.lots) : Math.max(0, -position.lots)
}

/** Books a fill of `lots` at `ticks`, and the fee, for one side of the trade. */
export function settle(
  ledger: Ledger,
  market: Market,
  account: Account,
  fill: { side: 'buy' | 'sell'; lots: number; ticks: number; fee: Atoms },
): void {
  const { positions } = account.collateral
  const position = positions.get(market.name) ?? { lots: 0, cost: 0n, margin: 0n }
  const closing = Math.min(fill.lots, closable(position, fill.side))
  if (closing > 0) {
    // Rounded down: what is cut stays with the lots that remain, and leaves with the last of them.
    const cost = (position.cost * BigInt(closing)) / BigInt(Math.abs(position.lots))
    const money = market.money(closing, fill.ticks)
    const profit = fill.side === 'sell' ? money - cost : cost - money
    position.cost -= cost
    position.lots += fill.side === 'sell' ? -closing : closing
    if (profit > 0n) move(ledger, 'clearing', walletOf(account, 'collateral'), market.rules.money, profit)
    else charge(ledger, account, 'clearing', market.rules.money, -profit)
  }
  const opening = fill.lots - closing
  position.lots += fill.side === 'buy' ? opening : -opening
  position.cost += market.money(opening, fill.ticks)
  const margin = marginFor(position.cost, account.collateral.leverage)
  heldOf(account, market.rules.money).margin += margin - position.margin
  position.margin = margin
  if (position.lots === 0) positions.delete(market.name)
  else positions.set(market.name, position)
  charge(ledger, account, 'fees', market.rules.money, fill.fee)
}

/** Takes what the account has; the insurance pays what it has not. */
function charge(
  ledger: Ledger,
  account: Account,
  to: 'clearing' | 'fees',
  asset: string,
  amount: Atoms,
): void {
  const wallet = walletOf(account, 'collateral')
  const held = balanceOf(ledger, wallet, asset)
  const paid = amount < held ? amount : held
  move(ledger, wallet, to, asset, paid)
  move(ledger, 'insurance', to, asset, amount - paid)
}
