import { Decimal as Base } from 'decimal.js'
import { BotError } from '#src/core/errors/bot-error.ts'
import { isDecimalText } from './decimal-text.ts'

/**
 * The Decimal of this project, and the only door to decimal.js. Eighty digits hold the exact product of any two
 * numbers the wire can carry (36 digits each, so 72), and no value is ever printed with an exponent.
 */
export const Decimal = Base.clone({
  precision: 80,
  rounding: Base.ROUND_DOWN,
  toExpNeg: -9e15,
  toExpPos: 9e15,
})
export type Decimal = Base

/**
 * Forty digits, which still hold the exact product of any price and amount that lie on ticks and lots. For long
 * chains of products whose end is cut to a tick or a lot anyway: they take less than half of the time.
 */
export const ShortDecimal = Decimal.clone({ precision: 40 })

/** From text of the wire or of a file; NaN, exponents, signs and separators are mistakes, not numbers. */
export function decimal(text: string): Decimal {
  if (!isDecimalText(text)) throw new BotError('NUMBER_INVALID', { seen: JSON.stringify(text).slice(0, 60) })
  return new Decimal(text)
}

/** The same for what may be below zero, such as a fee. */
export function signedDecimal(text: string): Decimal {
  return text.startsWith('-') ? decimal(text.slice(1)).neg() : decimal(text)
}

/** Beside Decimals that stay, such as limits and the price of now, since a Decimal is written out to be read as a double. */
const doubles = new WeakMap<Decimal, number>()

export function numberOf(value: Decimal): number {
  let double = doubles.get(value)
  if (double === undefined) doubles.set(value, (double = value.toNumber()))
  return double
}

/** Of two texts of numbers. Doubles never turn an order round: only between equal ones the digits decide. */
export function isLess(one: string, other: string): boolean {
  if (one === other) return false
  const [a, b] = [Number(one), Number(other)]
  return a === b ? new Decimal(one).lt(other) : a < b
}

/** To the one spelling that may leave: plain digits, no trailing zeros, no exponent. */
export function decimalText(value: Decimal): string {
  const text = value.toFixed()
  if (!isDecimalText(text)) throw new BotError('NUMBER_INVALID', { seen: text.slice(0, 60) })
  return text
}

export function signedText(value: Decimal): string {
  return value.isNegative() && !value.isZero() ? `-${decimalText(value.neg())}` : decimalText(value.abs())
}

/** What is paid for or taken from is cut here: never more digits, and never up. */
export function cutTo(digits: number, value: Decimal): Decimal {
  return value.toDecimalPlaces(digits, Base.ROUND_FLOOR)
}

/** The other direction, for what is asked of others. */
export function raiseTo(digits: number, value: Decimal): Decimal {
  return value.toDecimalPlaces(digits, Base.ROUND_CEIL)
}

/** Money for people: two decimals, rounded to the nearest. Programs get all digits. */
export function moneyText(exact: Decimal | string): string {
  const text = new Decimal(exact).toFixed(2, Base.ROUND_HALF_EVEN)
  return text === '-0.00' ? '0.00' : text
}

/** More digits than these say nothing to somebody who reads. */
const digitsToRead = 8
// No part of a name, of a version, or of an address.
const fractions = /(?<![\w.])\d+\.\d+(?:e[-+]?\d+)?(?![\w.])/g

/** Text with its numbers as a person reads them: what a fraction has beyond eight digits is cut; whole numbers stay whole. */
export function withShortNumbers(text: string): string {
  return text.replaceAll(fractions, (number) => {
    const whole = number.search(/[.]/)
    return new Decimal(number).toSignificantDigits(Math.max(digitsToRead, whole)).toFixed()
  })
}

/** Doubles carry 15 digits and then what binary fractions leave over: 60000.2 is 60000.2, not 60000.199999999997. */
const digitsOfDoubles = 12

/**
 * The one way from the world of indicators, which are doubles, into that of prices and amounts. The shortest text of a
 * double is what its first twelve digits say, if it has no more than these.
 */
export function fromDouble(value: number): Decimal {
  const text = String(value)
  const isShort = text.length <= digitsOfDoubles && !text.includes('e')
  return new Decimal(isShort ? value : value.toPrecision(digitsOfDoubles))
}
