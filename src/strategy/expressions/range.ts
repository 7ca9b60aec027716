import type { Arithmetic } from '#src/core/money/bounded.ts'
import { Decimal } from '#src/core/money/decimal.ts'
import type { Strategy } from '#src/strategy/schema/strategy-schema.ts'

export type Range = { from: Decimal; to: Decimal }

const ranges = new WeakMap<Strategy, Map<string, Range | undefined>>()

/**
 * The price range of a strategy in a market, if all of its ladders there have `spacing: range`. Undefined if one of
 * them follows the market.
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
 * The end price of a worst-case move. The move starts at the worst price of the range, so that the result is the same
 * for all prices in the range; without a range, or if the price has left it, it starts at the current price.
 */
export function endOf<N>(a: Arithmetic<N>, move: Decimal, price: N, range: Range | undefined): N {
  const start = !range
    ? price
    : move.lt(0)
      ? a.min(a.decimal(range.from), price)
      : a.max(a.decimal(range.to), price)
  return a.plus(start, a.times(start, a.decimal(move)))
}
