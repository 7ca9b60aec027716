import type { Atoms } from '#src/core/money/atoms.ts'

/**
 * Double-entry bookkeeping: every change is a transfer between two holders, so the sum over all holders of an asset is
 * always zero. Wallets of accounts never fall below zero; the exchange's own books can, except the insurance where a world
 * bounds losses.
 */
export type Ledger = Map<LedgerHolder, Map<string, Atoms>>

export type Wallet = 'main' | 'spot' | 'collateral'
export type LedgerHolder = `${Wallet}/${string}` | VenueBook

/**
 * outside: the source of deposits and the target of refunds · suspense: canceled deposits · fees · interest: pays the
 * earnings · invested: principals · codes: money in unused transfer codes · clearing: counterparty of all open
 * positions · insurance: pays losses that exceed a balance · house: the exchange's own accounts, which make the market
 * and take over positions that cannot be liquidated.
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

/** The sum of each asset over all holders that is not zero: an entry means that money appeared or vanished. */
export function imbalances(ledger: Ledger): Map<string, Atoms> {
  const sums = new Map<string, Atoms>()
  for (const assets of ledger.values()) {
    for (const [asset, amount] of assets) sums.set(asset, (sums.get(asset) ?? 0n) + amount)
  }
  return new Map([...sums].filter(([, sum]) => sum !== 0n))
}
