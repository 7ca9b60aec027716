export const sum = (values: bigint[]) => values.reduce((total, value) => total + value, 0n)
export const least = (a: bigint, b: bigint) => (a < b ? a : b)
export const positive = (value: bigint) => (value < 0n ? -value : value)
export const atLeastZero = (value: bigint) => (value < 0n ? 0n : value)
export const up = (value: bigint, by: bigint) => (value + by - 1n) / by
