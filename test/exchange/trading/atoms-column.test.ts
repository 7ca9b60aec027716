import fc from 'fast-check'
import { expect, test } from 'vitest'
import { atomsAt, atomsColumn, putAtoms } from '#src/exchange/trading/book/atoms-column.ts'
import { growColumns } from '#src/exchange/trading/book/columns.ts'
import { runs } from '../../properties/runs.ts'

const word = 2n ** 64n
const amount = fc.oneof(
  fc.bigInt(-(10n ** 20n), 10n ** 20n),
  fc.bigInt(-(10n ** 38n), 10n ** 38n),
  fc.constantFrom(0n, 1n, -1n, word - 1n, word, -word, -word - 1n, word / 2n, -word / 2n),
)

test('a column returns the stored values, positive and negative, also after it has grown', () => {
  fc.assert(
    fc.property(fc.array(amount, { minLength: 1, maxLength: 8 }), (amounts) => {
      const column = atomsColumn(amounts.length)
      for (const [place, each] of amounts.entries()) putAtoms(column, place, each)
      for (const [place, each] of amounts.entries()) expect(atomsAt(column, place)).toBe(each)
      growColumns({ column }, 2 * amounts.length)
      for (const [place, each] of amounts.entries()) {
        expect(atomsAt(column, place)).toBe(each)
        expect(atomsAt(column, amounts.length + place)).toBe(0n)
      }
    }),
    runs(2000, 50_000),
  )
})
