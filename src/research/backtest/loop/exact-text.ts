import { formatAtoms } from '#src/core/money/atoms.ts'

const atomsPerUnit = 10n ** 9n

/** Prices and amounts of files are whole numbers of 10^-9. */
export function exactText(units: bigint): string {
  return formatAtoms(units * atomsPerUnit)
}
