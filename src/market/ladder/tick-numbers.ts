import type { Decimal } from '#src/core/money/decimal.ts'
import { parseUnits } from '#src/core/money/units.ts'
import { over, remainderOf, type Long } from './long-double.ts'

/** Relative error bound of one step with twice the digits; also far above the error of forty decimal digits. */
export const errorOfLong = 2 ** -97

/** The powers of ten that doubles hold exactly; NaN for others. */
const powers = Array.from({ length: 16 }, (_, digits) => Number(`1e${digits}`))
export const power = (digits: number) => powers[digits] ?? NaN

/** In units of the last of `digits` decimals; NaN if that is not a whole number, too large, or negative. */
export function whole(value: Decimal, digits: number): number {
  if (value.isNegative() || !value.isFinite()) return NaN
  return parseUnits(value.toFixed(), digits) ?? NaN
}

/** The same with twice the digits; `digits` are all decimals of the number. */
export function longWhole(value: Decimal, digits: number): Long {
  return nearest(BigInt(value.toFixed(digits).replace('.', '')))
}

/** The number times a power of ten, with twice the digits. */
export function longOf(value: Decimal, shift = 0): Long {
  const digits = Math.max(value.decimalPlaces(), shift)
  return over(longWhole(value, digits), nearest(10n ** BigInt(digits - shift)))
}

function nearest(units: bigint): Long {
  const high = Number(units)
  return { high, low: Number(units - BigInt(high)) }
}

export const long = (high: number): Long => ({ high, low: 0 })

/** The whole number below or above; exact for whole numbers. */
export function rounded(number: Long, up: boolean): number {
  const near = Math.round(number.high)
  const rest = remainderOf(number, near, 1)
  return up ? (rest > 0 ? near + 1 : near) : rest < 0 ? near - 1 : near
}

export function digitsOf(values: readonly Decimal[]): number {
  return Math.max(0, ...values.map((value) => value.decimalPlaces()))
}
