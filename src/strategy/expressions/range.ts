import { Decimal } from '#src/core/money/decimal.ts'
import type { Strategy } from '#src/strategy/schema/strategy-schema.ts'

export type Range = { from: Decimal; to: Decimal }

const ranges = new WeakMap<Strategy, Map<string, Range | undefined>>()

/**
 * The prices between which a strategy trades in a market, where all of its ladders there have `spacing: range`. Undefined
 * where one of them follows the market.
 */
export function rangeIn(strategy: Strategy, market: string): Range | undefined {
  let known = ranges.get(strategy)
  if (!known) ranges.set(strategy, (known = new Map()))
  if (!known.has(market)) known.set(market, foundIn(strategy, market))
  return known.get(market)
}

function foundIn({ ladder }: Strategy, market: string): Range | undefined {
  let range: Range | undefined
  for (const { market: own, spacing } of Object.values(ladder)) {
    if (own !== market) continue
    if (spacing.kind !== 'range') return undefined
    const { from, to } = spacing
    range = range ? { from: Decimal.min(range.from, from), to: Decimal.max(range.to, to) } : { from, to }
  }
  return range
}

/**
 * Where a move of the worst case ends. It begins at the worst price of the range, so that it says the same wherever the
 * price is within it; from the price of now where there is no range, or where the price has left it.
 */
export function endOf(move: Decimal, price: Decimal, range: Range | undefined): Decimal {
  const start = !range ? price : move.lt(0) ? Decimal.min(range.from, price) : Decimal.max(range.to, price)
  return start.times(move.plus(1))
}
