import type { Atoms } from '#src/core/money/atoms.ts'

/**
 * Double entry: every change is a move between two holders, so that the sum over all holders of an asset is
 * zero for ever. Wallets of accounts can never fall below zero; the venue's own books can.
 */
export type Ledger = Map<LedgerHolder, Map<string, Atoms>>

export type Wallet = 'main' | 'spot' | 'collateral'
export type LedgerHolder = `${Wallet}/${string}` | VenueBook

/**
 * outside: the world beyond, where deposits come from and refunds go to · suspense: canceled deposits ·
 * fees · interest: who pays earnings · invested: principals · codes: money in unused transfer codes ·
 * clearing: the other side of open positions · insurance: who pays a loss that exceeds a balance · house: the
 * venue's own accounts, which make the market and take over what cannot be liquidated.
 */
type VenueBook =
  | 'outside'
  | 'suspense'
  | 'fees'
  | 'interest'
  | 'invested'
  | 'codes'
  | 'clearing'
  | 'insurance'
  | 'house'

export function balanceOf(ledger: Ledger, holder: LedgerHolder, asset: string): Atoms {
  return ledger.get(holder)?.get(asset) ?? 0n
}

export function move(
  ledger: Ledger,
  from: LedgerHolder,
  to: LedgerHolder,
  asset: string,
  amount: Atoms,
): void {
  if (amount < 0n) throw new RangeError(`a move is never negative: ${amount} ${asset} from ${from} to ${to}`)
  if (amount === 0n) return
  const given = assetsOf(ledger, from)
  const left = (given.get(asset) ?? 0n) - amount
  if (left < 0n && from.includes('/'))
    throw new RangeError(`${from} would fall below zero by ${-left} ${asset}`)
  given.set(asset, left)
  const taken = assetsOf(ledger, to)
  taken.set(asset, (taken.get(asset) ?? 0n) + amount)
}

function assetsOf(ledger: Ledger, holder: LedgerHolder): Map<string, Atoms> {
  let assets = ledger.get(holder)
  if (assets === undefined) ledger.set(holder, (assets = new Map<string, Atoms>()))
  return assets
}

/** The sum of each asset over all holders: all zero, or money appeared or vanished. */
export function imbalances(ledger: Ledger): Map<string, Atoms> {
  const sums = new Map<string, Atoms>()
  for (const assets of ledger.values()) {
    for (const [asset, amount] of assets) sums.set(asset, (sums.get(asset) ?? 0n) + amount)
  }
  return new Map([...sums].filter(([, sum]) => sum !== 0n))
}
