/**
 * A number with twice the digits of a double: the nearest double and the remainder. Whole numbers below 2^100 are
 * exact; other numbers have a relative error below 2^-100.
 */
export type Long = { high: number; low: number }

const splitter = 2 ** 27 + 1

/** The rounding error of a product: a * b equals `product` plus this, exactly. */
function productError(a: number, b: number, product: number): number {
  const wideA = splitter * a
  const wideB = splitter * b
  const topA = wideA - (wideA - a)
  const topB = wideB - (wideB - b)
  const endA = a - topA
  const endB = b - topB
  return topA * topB - product + topA * endB + endA * topB + endA * endB
}

function sumError(a: number, b: number, sum: number): number {
  const other = sum - a
  return a - (sum - other) + (b - other)
}

export function plus(a: Long, b: Long): Long {
  const sum = a.high + b.high
  return normalized(sum, sumError(a.high, b.high, sum) + (a.low + b.low))
}

export function times(a: Long, b: Long): Long {
  const product = a.high * b.high
  return normalized(product, productError(a.high, b.high, product) + (a.high * b.low + a.low * b.high))
}

export function over(a: Long, b: Long): Long {
  const first = a.high / b.high
  const product = first * b.high
  const rest = a.high - product - productError(first, b.high, product) + (a.low - first * b.low)
  return normalized(first, rest / b.high)
}

/** The number minus `times * by`: exact, if the result is a small part of both. */
export function remainderOf({ high, low }: Long, times: number, by: number): number {
  const product = times * by
  return high - product + (low - productError(times, by, product))
}

function normalized(high: number, low: number): Long {
  const sum = high + low
  return { high: sum, low: low - (sum - high) }
}
