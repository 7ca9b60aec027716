import { Decimal as Base } from 'decimal.js'
import { BotError } from '#src/core/errors/bot-error.ts'
import { isDecimalText } from './decimal-text.ts'

/**
 * The Decimal of this project, and the only import of decimal.js. Eighty digits hold the exact product of any two
 * numbers of the API (36 digits each, so 72), and no value is ever printed with an exponent.
 */
export const Decimal = Base.clone({
  precision: 80,
  rounding: Base.ROUND_DOWN,
  toExpNeg: -9e15,
  toExpPos: 9e15,
})
export type Decimal = Base

/**
 * Forty digits still hold the exact product of any price and amount on ticks and lots. For long chains of products
 * whose result is cut to a tick or a lot anyway: less than half of the time.
 */
export const ShortDecimal = Decimal.clone({ precision: 40 })

/** From text of the API or of a file; NaN, exponents, signs and separators are errors. */
export function decimal(text: string): Decimal {
  if (!isDecimalText(text)) throw new BotError('NUMBER_INVALID', { seen: JSON.stringify(text).slice(0, 60) })
  return new Decimal(text)
}

/** The same for a number that may be negative, such as a fee. */
export function signedDecimal(text: string): Decimal {
  return text.startsWith('-') ? decimal(text.slice(1)).neg() : decimal(text)
}

/**
 * Caches the doubles of long-lived Decimals, such as limits and the current price: the conversion of a Decimal goes
 * through its text.
 */
const doubles = new WeakMap<Decimal, number>()

export function numberOf(value: Decimal): number {
  let double = doubles.get(value)
  if (double === undefined) doubles.set(value, (double = value.toNumber()))
  return double
}

/** Compares two decimal texts. Doubles never reverse an order; the digits decide only between equal doubles. */
export function isLess(one: string, other: string): boolean {
  if (one === other) return false
  const [a, b] = [Number(one), Number(other)]
  return a === b ? new Decimal(one).lt(other) : a < b
}

/** The only spelling of a number that is sent or stored: plain digits, no trailing zeros, no exponent. */
export function decimalText(value: Decimal): string {
  const text = value.toFixed()
  if (!isDecimalText(text)) throw new BotError('NUMBER_INVALID', { seen: text.slice(0, 60) })
  return text
}

export function signedText(value: Decimal): string {
  return value.isNegative() && !value.isZero() ? `-${decimalText(value.neg())}` : decimalText(value.abs())
}

/** Cuts a number that is paid or counted against: never more digits, and never rounded up. */
export function cutTo(digits: number, value: Decimal): Decimal {
  return value.toDecimalPlaces(digits, Base.ROUND_FLOOR)
}

/** Rounds up a number that the bot asks of others. */
export function raiseTo(digits: number, value: Decimal): Decimal {
  return value.toDecimalPlaces(digits, Base.ROUND_CEIL)
}

/** Money for people: two decimals, rounded to the nearest. Machine-readable output has all digits. */
export function moneyText(exact: Decimal | string): string {
  const text = new Decimal(exact).toFixed(2, Base.ROUND_HALF_EVEN)
  return text === '-0.00' ? '0.00' : text
}

/** An average price for people: all digits that a price of a market has. */
export function averageText(price: string): string {
  return new Decimal(price).toSignificantDigits(digitsOfDoubles).toFixed()
}

/** Digits of a fraction in texts for people. */
const digitsToRead = 8
// Matches fractions that are not part of a name, a version or an address.
const fractions = /(?<![\w.])\d+\.\d+(?:e[-+]?\d+)?(?![\w.])/g

/** The text with readable numbers: fractions are cut to eight digits; whole numbers stay. */
export function withShortNumbers(text: string): string {
  return text.replaceAll(fractions, (number) => {
    const whole = number.search(/[.]/)
    return new Decimal(number).toSignificantDigits(Math.max(digitsToRead, whole)).toFixed()
  })
}

/** Doubles have 15 exact digits and then a binary remainder: this reads 60000.2, not 60000.199999999997. */
const digitsOfDoubles = 12

/**
 * The only conversion from doubles (indicators) to prices and amounts. If the shortest text of a double has at most
 * twelve digits, that text is the number; else its first twelve digits are.
 */
export function fromDouble(value: number): Decimal {
  const text = String(value)
  const isShort = text.length <= digitsOfDoubles && !text.includes('e')
  return new Decimal(isShort ? value : value.toPrecision(digitsOfDoubles))
}
