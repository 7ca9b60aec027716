import { atomDigits } from './atoms.ts'

/**
 * Prices in ticks and amounts in lots: safe integers, for books that compare them millions of times. A unit is the last
 * of `digits` decimals. Written digit by digit, because every order of every bulk is converted here twice.
 */

/** Character codes of a decimal text. */
const point = 46
const zero = 48
const nine = 57

/**
 * `text` must have passed `isDecimalText`. Undefined if it has more decimals than `digits`, or more units than a safe
 * integer holds.
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
  // A sum beyond the safe integers only grows, so this check also finds a rounding on the way.
  return Number.isSafeInteger(units) ? units : undefined
}

/** Every double holds this many digits exactly, and also the power of ten with this exponent. */
const digitsOfDoubles = 15
const powers = Array.from({ length: digitsOfDoubles + 1 }, (_, digits) => Number(`1e${digits}`))

/**
 * The double nearest to a decimal text, equal to `Number(text)`: the quotient of two exact doubles. NaN if the text is
 * not a decimal, has more decimals than `most`, or more digits than a double surely holds.
 */
export function nearestNumber(text: string, most: number): number {
  let units = 0
  let decimals = -1
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code === point && decimals < 0 && index > 0) decimals = 0
    else if (code >= zero && code <= nine) {
      // A number may not begin with 0 and another digit.
      if (index > 0 && units === 0 && decimals < 0) return NaN
      if (decimals >= 0) decimals += 1
      units = units * 10 + (code - zero)
    } else return NaN
  }
  if (decimals === 0 || decimals > most || text.length === 0 || text.length > digitsOfDoubles) return NaN
  return decimals > 0 ? units / (powers[decimals] ?? NaN) : units
}

const zeros = '0'.repeat(atomDigits)

/** Plain digits without trailing zeros; `units` is not negative. Slices the digits instead of dividing. */
export function formatUnits(units: number, digits: number): string {
  if (units === 0) return '0'
  const text = String(units)
  const places = text.length - digits
  const wholeEnd = Math.max(places, 0)
  let end = text.length
  while (end > wholeEnd && text.charCodeAt(end - 1) === zero) end -= 1
  if (places <= 0) return `0.${zeros.slice(0, -places)}${text.slice(0, end)}`
  return end === places ? text.slice(0, end) : `${text.slice(0, places)}.${text.slice(places, end)}`
}
