import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  cutDown,
  fitsDigits,
  formatAtoms,
  oneUnit,
  parseAtoms,
  parseSignedAtoms,
  timesDown,
} from '#src/core/money/atoms.ts'
import { Decimal, decimalText as plainText } from '#src/core/money/decimal.ts'
import { runs } from '#test/properties/runs.ts'
import { atoms, decimalText, exactly, neverAnExponent } from './oracle.ts'

const digits = fc.integer({ min: 0, max: 18 })

test('a text converts to atoms without losing a digit, as Decimal reads it', () => {
  fc.assert(
    fc.property(decimalText, (text) => {
      expect(exactly(parseAtoms(text)).eq(new Decimal(text))).toBe(true)
    }),
    runs(5000, 250_000),
  )
})

test('atoms convert to the text that Decimal writes, and that text to the same atoms', () => {
  fc.assert(
    fc.property(atoms, (value) => {
      const text = formatAtoms(value)
      expect(text).toMatch(neverAnExponent)
      expect(text).toBe(plainText(exactly(value)))
      expect(parseAtoms(text)).toBe(value)
      expect(parseSignedAtoms(text)).toBe(value)
      expect(parseSignedAtoms(formatAtoms(-value))).toBe(-value)
    }),
    runs(5000, 250_000),
  )
})

test('a text with more decimals than atoms have is refused', () => {
  expect(() => parseAtoms(`1.${'1'.repeat(19)}`)).toThrow('more than 18 decimals')
})

test('a negative balance is written with its sign', () => {
  expect(formatAtoms(-1n)).toBe('-0.000000000000000001')
  expect(formatAtoms(-15n * 10n ** 17n)).toBe('-1.5')
  expect(formatAtoms(0n)).toBe('0')
})

test('a product that is paid out is the exact one, or less than one atom below it', () => {
  fc.assert(
    fc.property(atoms, atoms, (a, b) => {
      const exact = exactly(a).times(exactly(b)).times('1e18')
      const down = new Decimal(timesDown(a, b).toString())
      expect(down.lte(exact) && exact.minus(down).lt(1)).toBe(true)
    }),
    runs(5000, 250_000),
  )
})

test('a product with one is the value itself', () => {
  fc.assert(
    fc.property(atoms, (value) => {
      expect(timesDown(value, oneUnit)).toBe(value)
    }),
    runs(1000, 50_000),
  )
})

test('a cut goes towards zero, fits its digits and loses less than one unit of the last digit', () => {
  fc.assert(
    fc.property(atoms, digits, (value, places) => {
      const cut = cutDown(value, places)
      expect(fitsDigits(cut, places)).toBe(true)
      expect(value - cut).toBeGreaterThanOrEqual(0n)
      expect(value - cut).toBeLessThan(10n ** BigInt(18 - places))
      expect(cutDown(-value, places)).toBe(-cut)
      expect(fitsDigits(value, places)).toBe(cut === value)
    }),
    runs(3000, 100_000),
  )
})
