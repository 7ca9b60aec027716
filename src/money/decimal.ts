import { Decimal as Base } from 'decimal.js'
import { BotError } from '#src/errors/bot-error.ts'
import { isDecimalText } from './text.ts'

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

/** From text of the wire or of a file; NaN, exponents, signs and separators are mistakes, not numbers. */
export function decimal(text: string): Decimal {
  if (!isDecimalText(text)) throw new BotError('NUMBER_INVALID', { seen: JSON.stringify(text).slice(0, 60) })
  return new Decimal(text)
}

/** To the one spelling that may leave: plain digits, no trailing zeros, no exponent. */
export function decimalText(value: Decimal): string {
  const text = value.toFixed()
  if (!isDecimalText(text)) throw new BotError('NUMBER_INVALID', { seen: text.slice(0, 60) })
  return text
}
