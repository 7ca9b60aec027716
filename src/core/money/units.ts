import { atomDigits } from './atoms.ts'

/**
 * Prices in ticks and amounts in lots: safe integers, for books that compare them millions of times. A unit is
 * the last of `digits` decimals. Written digit by digit because every order of every bulk passes here twice.
 */

/** Characters of a decimal text, by their codes. */
const point = 46
const zero = 48
const nine = 57

/**
 * `text` must have passed `isDecimalText`. Undefined when it has more decimals than that, or more units than a
 * safe integer holds.
 */
export function parseUnits(text: string, digits: number): number | undefined {
  let units = 0
  let decimals = -1
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code === point) decimals = 0
    else if (decimals === digits) {
      if (code !== zero) return undefined
    } else {
      if (decimals >= 0) decimals += 1
      units = units * 10 + (code - zero)
    }
  }
  for (let missing = digits - Math.max(decimals, 0); missing > 0; missing--) units *= 10
  // Past the safe integers it only ever grows, so what was rounded on the way is caught here.
  return Number.isSafeInteger(units) ? units : undefined
}

/** So many digits are exact in every double, and so is ten to the power of their number. */
const digitsOfDoubles = 15
const powers = Array.from({ length: digitsOfDoubles + 1 }, (_, digits) => Number(`1e${digits}`))

/**
 * The double nearest to a decimal text, as `Number` has it: the quotient of two that are exact. Not a number for what is
 * no decimal text, has more decimals than `most`, or more digits than are certain.
 */
export function nearestNumber(text: string, most: number): number {
  let units = 0
  let decimals = -1
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code === point && decimals < 0 && index > 0) decimals = 0
    else if (code >= zero && code <= nine) {
      // No digit stands behind a zero that begins a number.
      if (index > 0 && units === 0 && decimals < 0) return NaN
      if (decimals >= 0) decimals += 1
      units = units * 10 + (code - zero)
    } else return NaN
  }
  if (decimals === 0 || decimals > most || text.length === 0 || text.length > digitsOfDoubles) return NaN
  return decimals > 0 ? units / (powers[decimals] ?? NaN) : units
}

const zeros = '0'.repeat(atomDigits)

/** Plain digits without trailing zeros; `units` is not negative. Cut out of its digits: no number is divided. */
export function formatUnits(units: number, digits: number): string {
  const text = String(units)
  const places = text.length - digits
  const wholeEnd = Math.max(places, 0)
  let end = text.length
  while (end > wholeEnd && text.charCodeAt(end - 1) === zero) end -= 1
  if (end === 0) return '0'
  if (places <= 0) return `0.${zeros.slice(0, -places)}${text.slice(0, end)}`
  return end === places ? text.slice(0, end) : `${text.slice(0, places)}.${text.slice(places, end)}`
}
