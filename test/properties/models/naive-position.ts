/** A position in whole lots and money in atoms, summed plainly: average cost, shares of money cut towards zero. */
export type ModelPosition = { lots: bigint; cost: bigint; realized: bigint }

export function trade(before: ModelPosition, lots: bigint, money: bigint): ModelPosition {
  const { lots: held, cost, realized } = before
  const opens = held === 0n || held > 0n === lots > 0n
  if (opens) return { lots: held + lots, cost: cost + money, realized }
  const closing = size(lots) < size(held) ? size(lots) : size(held)
  const moneyOfIt = (money * closing) / size(lots)
  const costOfIt = (cost * closing) / size(held)
  return {
    lots: held + lots,
    cost: cost - costOfIt + (money - moneyOfIt),
    realized: realized - moneyOfIt - costOfIt,
  }
}

export function size(value: bigint): bigint {
  return value < 0n ? -value : value
}

/** `units` of 10^-digits as text. */
export function textOf(units: bigint, digits: number): string {
  const text = size(units)
    .toString()
    .padStart(digits + 1, '0')
  const sign = units < 0n ? '-' : ''
  return digits === 0 ? sign + text : `${sign}${text.slice(0, -digits)}.${text.slice(-digits)}`
}

/** The reverse: exact, or an error of the test. */
export function unitsOf(text: string, digits: number): bigint {
  const [, sign, whole = '0', fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text) ?? []
  if (sign === undefined || /[1-9]/.test(fraction.slice(digits))) throw new Error(`${text} has no such units`)
  const units = BigInt(whole + fraction.slice(0, digits).padEnd(digits, '0'))
  return sign === '-' ? -units : units
}
