import { Decimal } from '#src/core/money/decimal.ts'
import type { Strategy } from '#src/strategy/schema/strategy-schema.ts'

type Capped = Pick<Strategy, 'ladder' | 'risk' | 'for_each'>

/** The markets that a ladder trades without any cap: neither their own nor one for all markets. */
export function uncapped(strategy: Capped): string[] {
  const { total, ...caps } = strategy.risk.max_notional
  return total ? [] : tradedIn(strategy).filter((market) => !caps[market])
}

/** The capital of a strategy, which is the base of its loss limits: its total cap, or the sum of its caps. */
export function capitalOf(strategy: Capped): Decimal {
  const { total = new Decimal(Infinity), ...caps } = strategy.risk.max_notional
  const each = tradedIn(strategy).map((market) => [market, caps[market] ?? new Decimal(Infinity)] as const)
  return Decimal.min(total, mostActive(strategy, each))
}

/** The largest sum of values by market: of the markets of a loop, only as many count as can be active. */
export function mostActive(
  { for_each: loops }: Pick<Strategy, 'for_each'>,
  values: readonly (readonly [market: string, value: Decimal])[],
): Decimal {
  const sums = new Map<string, Decimal>()
  for (const [market, value] of values) sums.set(market, value.plus(sums.get(market) ?? 0))
  for (const { markets, active = Infinity } of Object.values(loops)) {
    const own = Object.keys(markets).flatMap((market) => [...sums].filter(([name]) => name === market))
    for (const [market] of own.toSorted(([, a], [, b]) => b.comparedTo(a)).slice(active)) sums.delete(market)
  }
  return [...sums.values()].reduce((sum, value) => sum.plus(value), new Decimal(0))
}

function tradedIn({ ladder }: Capped): string[] {
  return [...new Set(Object.values(ladder).map(({ market }) => market))]
}
