/**
 * Prices in ticks and amounts in lots: safe integers, for books that compare them millions of times. A unit is
 * the last of `digits` decimals.
 */

/** Undefined when the text has more decimals than that, or more units than a safe integer holds. */
export function parseUnits(text: string, digits: number): number | undefined {
  const point = text.indexOf('.')
  const whole = point === -1 ? text : text.slice(0, point)
  let fraction = point === -1 ? '' : text.slice(point + 1)
  if (fraction.length > digits) {
    if (/[^0]/.test(fraction.slice(digits))) return undefined
    fraction = fraction.slice(0, digits)
  }
  const units = Number(whole + fraction.padEnd(digits, '0'))
  return Number.isSafeInteger(units) ? units : undefined
}

export function formatUnits(units: number, digits: number): string {
  if (digits === 0 || units === 0) return String(units)
  const text = String(units).padStart(digits + 1, '0')
  const point = text.length - digits
  let end = text.length
  while (end > point && text.charCodeAt(end - 1) === 48) end--
  return end === point ? text.slice(0, point) : `${text.slice(0, point)}.${text.slice(point, end)}`
}
