import type { Atoms } from '#src/core/money/atoms.ts'

/**
 * A column of atoms, two words each. An array of bigints would be one heap object each, and objects that survive a
 * garbage collection cost more than the settlement of the fill. Two words hold a hundred times the largest wallet.
 */
export type AtomsColumn = { low: BigInt64Array; high: BigInt64Array }

const wordBits = 64n

export function atomsColumn(rows: number): AtomsColumn {
  return { low: new BigInt64Array(rows), high: new BigInt64Array(rows) }
}

/** A typed array keeps the lowest word of a value. */
export function putAtoms({ low, high }: AtomsColumn, place: number, value: Atoms): void {
  low[place] = value
  high[place] = value >> wordBits
}

export function atomsAt({ low, high }: AtomsColumn, place: number): Atoms {
  return ((high[place] ?? 0n) << wordBits) + BigInt.asUintN(64, low[place] ?? 0n)
}
