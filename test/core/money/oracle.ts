import fc from 'fast-check'
import { Decimal } from '#src/core/money/decimal.ts'

/** Decimal texts of the API; short, long and extreme ones are all likely. */
export const decimalText: fc.Arbitrary<string> = fc
  .tuple(
    fc.oneof(fc.bigInt(0n, 20n), fc.bigInt(0n, 10n ** 18n - 1n)),
    fc.oneof(fc.constant(''), fc.stringMatching(/^\d{1,18}$/)),
  )
  .map(([whole, fraction]) => (fraction === '' ? String(whole) : `${whole}.${fraction}`))

export const atoms: fc.Arbitrary<bigint> = fc.oneof(fc.bigInt(0n, 10n ** 20n), fc.bigInt(0n, 10n ** 36n - 1n))

/** More digits than any product of two API numbers has. */
export function exactly(value: bigint): Decimal {
  return new Decimal(value.toString()).div('1e18')
}

export const neverAnExponent = /^-?(?:0|[1-9]\d*)(?:\.\d*[1-9])?$/
