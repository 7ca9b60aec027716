import { Decimal } from '#src/core/money/decimal.ts'
import type { Strategy } from '#src/strategy/schema/strategy-schema.ts'

type Capped = Pick<Strategy, 'ladder' | 'risk'>

/** The markets that a ladder trades without any cap: neither their own nor one for all markets. */
export function uncapped(strategy: Capped): string[] {
  const { total, ...caps } = strategy.risk.max_notional
  return total ? [] : tradedIn(strategy).filter((market) => !caps[market])
}

/** The capital of a strategy, which is the base of its loss limits: its total cap, or the sum of its caps. */
export function capitalOf(strategy: Capped): Decimal {
  const { total = new Decimal(Infinity), ...caps } = strategy.risk.max_notional
  const sum = tradedIn(strategy).reduce((sum, market) => sum.plus(caps[market] ?? Infinity), new Decimal(0))
  return Decimal.min(total, sum)
}

function tradedIn({ ladder }: Capped): string[] {
  return [...new Set(Object.values(ladder).map(({ market }) => market))]
}
