/**
 * A decimal as it travels: at most 18 digits before the point and 18 behind it, no sign, no exponent, no
 * leading zero. Wire and files carry exactly this; a number that does not fit is refused at the door.
 */
export const decimalPattern = /^(?:0|[1-9]\d{0,17})(?:\.\d{1,18})?$/
export const signedPattern = /^-?(?:0|[1-9]\d{0,17})(?:\.\d{1,18})?$/

export function isDecimalText(text: string): boolean {
  return decimalPattern.test(text)
}

/** Whether two decimal texts mean the same number: `60000`, `60000.0` and `60000.00` do. */
export function sameNumber(a: string, b: string): boolean {
  return a === b || trimmed(a) === trimmed(b)
}

function trimmed(text: string): string {
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text
}
