import type { Atoms } from '#src/core/money/atoms.ts'

/**
 * Atoms in a column, two words each. In a list each of them would be an object of its own, and what outlives one look of
 * the collector of garbage costs it more than settling the fill did. Two words hold a hundred times the most that a
 * wallet can.
 */
export type AtomsColumn = { low: BigInt64Array; high: BigInt64Array }

const wordBits = 64n

export function atomsColumn(rows: number): AtomsColumn {
  return { low: new BigInt64Array(rows), high: new BigInt64Array(rows) }
}

/** A typed array keeps the lowest word of what it is given. */
export function putAtoms({ low, high }: AtomsColumn, place: number, value: Atoms): void {
  low[place] = value
  high[place] = value >> wordBits
}

export function atomsAt({ low, high }: AtomsColumn, place: number): Atoms {
  return ((high[place] ?? 0n) << wordBits) + BigInt.asUintN(64, low[place] ?? 0n)
}

/** The same with room for so many rows. */
export function stretchAtoms(column: AtomsColumn, rows: number): AtomsColumn {
  const longer = atomsColumn(rows)
  longer.low.set(column.low)
  longer.high.set(column.high)
  return longer
}
