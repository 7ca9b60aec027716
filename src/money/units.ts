/**
 * Prices in ticks and amounts in lots: safe integers, for books that compare them millions of times. A unit is
 * the last of `digits` decimals. Written digit by digit because every order of every bulk passes here twice.
 */
const point = 46
const zero = 48

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

/** Plain digits without trailing zeros; `units` is not negative. */
export function formatUnits(units: number, digits: number): string {
  if (units === 0) return '0'
  const scale = 10 ** digits
  let fraction = units % scale
  const whole = String((units - fraction) / scale)
  if (fraction === 0) return whole
  let length = digits
  for (; fraction % 10 === 0; fraction /= 10) length -= 1
  return `${whole}.${String(fraction).padStart(length, '0')}`
}
