import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Decimal } from '#src/core/money/decimal.ts'
import { isDecimalText } from '#src/core/money/decimal-text.ts'
import { formatUnits, nearestNumber, parseUnits } from '#src/core/money/units.ts'
import { runs } from '#test/properties/runs.ts'
import { decimalText, neverAnExponent } from './oracle.ts'

const digits = fc.integer({ min: 0, max: 9 })

test('a text converts to units exactly, or not at all if it has too many decimals or units', () => {
  fc.assert(
    fc.property(decimalText, digits, (text, places) => {
      const exact = new Decimal(text).times(new Decimal(10).pow(places))
      const fits = exact.isInteger() && exact.lte(Number.MAX_SAFE_INTEGER)
      expect(parseUnits(text, places)).toBe(fits ? exact.toNumber() : undefined)
    }),
    runs(5000, 250_000),
  )
})

test('the number nearest to a text is that of `Number`, or none', () => {
  const nearly = fc.stringMatching(/^[-+]?\d{0,9}[.e]?\d{0,9}$/)
  fc.assert(
    fc.property(fc.oneof(decimalText, nearly), digits, (text, most) => {
      const isPlain = isDecimalText(text) && text.length <= 15
      const decimals = text.split('.')[1]?.length ?? 0
      expect(nearestNumber(text, most)).toBe(isPlain && decimals <= most ? Number(text) : NaN)
    }),
    runs(5000, 250_000),
  )
})

test.each(['1.2.3', '.5', '1.', '-1', '01', '', '1234567890123456'])('%j has no nearest number', (text) => {
  expect(nearestNumber(text, 9)).toBe(NaN)
})

test('units convert to text and back, never with an exponent', () => {
  fc.assert(
    fc.property(fc.maxSafeNat(), digits, (units, places) => {
      const text = formatUnits(units, places)
      expect(text).toMatch(neverAnExponent)
      expect(new Decimal(text).eq(new Decimal(units).div(new Decimal(10).pow(places)))).toBe(true)
      expect(parseUnits(text, places)).toBe(units)
    }),
    runs(5000, 250_000),
  )
})

test('zeros after the last decimal do not count as decimals', () => {
  expect(parseUnits('1.500', 1)).toBe(15)
  expect(parseUnits('1.501', 1)).toBe(undefined)
})

test('the largest safe integer fits, and the next one does not', () => {
  expect(parseUnits('9007199254740991', 0)).toBe(9007199254740991)
  expect(parseUnits('9007199254740992', 0)).toBe(undefined)
})
