import { oneUnit, type Atoms } from '#src/core/money/atoms.ts'
import type { Market } from '#src/exchange/trading/book/market.ts'

/**
 * Margin rates by position size. A market can have brackets: each applies to the slice of the notional above the bracket
 * before it, and the last one has no end. The sum over the slices is what venues publish as notional × rate − maintenance
 * amount.
 */

type Rules = Pick<Market, 'rules'>

/** The initial margin of a position or an order of this notional, rounded up. */
export function initialMargin({ rules: { brackets } }: Rules, notional: Atoms, leverage: number): Atoms {
  if (brackets === undefined) return shareUp(notional, leverage)
  let margin = 0n
  for (const [slice, { maxLeverage }] of slicesOf(brackets, notional))
    margin += shareUp(slice, Math.min(leverage, maxLeverage))
  return margin
}

/** The maintenance margin of a position with this value, rounded up. */
export function maintenanceMargin({ rules: { brackets } }: Rules, worth: Atoms, leverage: number): Atoms {
  if (brackets === undefined) return (worth * maintenanceRate(leverage) + 999n) / 1000n
  let sum = 0n
  for (const [slice, { maintenance }] of slicesOf(brackets, worth)) sum += slice * maintenance
  return (sum + oneUnit - 1n) / oneUnit
}

/** The lowest and the highest share of a change of the value by which the maintenance margin can change. */
export function maintenanceShares({ rules: { brackets } }: Rules, leverage: number): [number, number] {
  const rates = brackets?.map(({ maintenance }) => Number(maintenance) / Number(oneUnit))
  const all = rates ?? [Number(maintenanceRate(leverage)) / 1000]
  return [Math.min(...all), Math.max(...all)]
}

/**
 * The maintenance rate of markets without brackets, in thousandths of a position's value at the mark price; never more
 * than half of the initial margin.
 */
export function maintenanceRate(leverage: number): bigint {
  return leverage <= 10 ? 30n : leverage <= 20 ? 25n : leverage <= 50 ? 10n : 5n
}

/** The largest notional of a position; undefined if there is no limit. */
export function notionalMost({ rules: { brackets } }: Rules): Atoms | undefined {
  return brackets?.at(-1)?.notional
}

type Brackets = NonNullable<Market['rules']['brackets']>

function* slicesOf(brackets: Brackets, notional: Atoms): Generator<[Atoms, Brackets[number]]> {
  let before = 0n
  for (const [index, bracket] of brackets.entries()) {
    const end = index === brackets.length - 1 || notional < bracket.notional ? notional : bracket.notional
    yield [end - before, bracket]
    if (end === notional) return
    before = end
  }
}

function shareUp(notional: Atoms, leverage: number): Atoms {
  return leverage === 1 ? notional : (notional + BigInt(leverage) - 1n) / BigInt(leverage)
}
