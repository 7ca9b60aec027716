/**
 * A decimal as API and files contain it: at most 18 digits before the point and 18 after it, no sign, no exponent, no
 * leading zero. Any other number is refused when it is read.
 */
export const decimalPattern = /^(?:0|[1-9]\d{0,17})(?:\.\d{1,18})?$/
/** The same above zero, without a look ahead, which not every language has. */
export const positivePattern = /^(?:[1-9]\d{0,17}(?:\.\d{1,18})?|0\.\d{0,17}[1-9]\d{0,17})$/
export const signedPattern = /^-?(?:0|[1-9]\d{0,17})(?:\.\d{1,18})?$/

export function isDecimalText(text: string): boolean {
  return decimalPattern.test(text)
}

/** Whether two decimal texts are the same number: `60000`, `60000.0` and `60000.00` are. */
export function sameNumber(a: string, b: string): boolean {
  return a === b || trimmed(a) === trimmed(b)
}

function trimmed(text: string): string {
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text
}
