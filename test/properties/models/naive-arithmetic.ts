export const one = 10n ** 18n
export const sum = (values: bigint[]) => values.reduce((total, value) => total + value, 0n)
export const least = (a: bigint, b: bigint) => (a < b ? a : b)
export const most = (a: bigint, b: bigint) => (a > b ? a : b)
export const positive = (value: bigint) => (value < 0n ? -value : value)
export const atLeastZero = (value: bigint) => (value < 0n ? 0n : value)
export const up = (value: bigint, by: bigint) => (value + by - 1n) / by
/** Amount times price. Exact: both have fewer digits together than one has. */
export const times = (amount: bigint, price: bigint) => (amount * price) / one

/** Adds (or, if negative, subtracts) an amount of an asset. */
export function add(purse: Record<string, bigint>, asset: string, amount: bigint): void {
  purse[asset] = (purse[asset] ?? 0n) + amount
}

/** Exactly the digits of the text, or undefined if it is not a decimal or has more than `digits` decimals. */
export function exact(text: string, digits = 18): bigint | undefined {
  const [, whole, fraction = ''] = /^(0|[1-9][0-9]{0,17})(?:\.([0-9]{1,18}))?$/.exec(text) ?? []
  if (whole === undefined || /[1-9]/.test(fraction.slice(digits))) return undefined
  return BigInt(whole) * one + BigInt(fraction.padEnd(18, '0'))
}
