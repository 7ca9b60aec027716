import { cutTo, Decimal } from '#src/core/money/decimal.ts'
import { isShare, type MoneyLimit } from '#src/strategy/schema/quantities.ts'
import type { Strategy } from '#src/strategy/schema/strategy-schema.ts'

type Risk = Strategy['risk']
const moneyDigits = 8
type Capped<Cap> = Pick<Strategy, 'ladder' | 'for_each'> & {
  risk: { max_notional: Readonly<Record<string, Cap>> }
}

/** A strategy whose limits on its size and its worst case are money. */
export type InMoney = Omit<Strategy, 'risk'> & {
  risk: Omit<Risk, 'max_notional' | 'groups' | 'worst_case'> & {
    max_notional: Record<string, Decimal>
    groups: Record<
      string,
      { markets: string[]; max_notional?: Decimal | undefined; net?: Decimal | undefined }
    >
    worst_case: Omit<Risk['worst_case'], 'max_loss'> & { max_loss: Decimal }
  }
}

/** The markets that a ladder trades without any cap: neither their own nor one for all markets. */
export function uncapped(strategy: Capped<unknown>): string[] {
  const { total, ...caps } = strategy.risk.max_notional
  return total ? [] : tradedIn(strategy).filter((market) => !caps[market])
}

/** The capital of a strategy, which is the base of its loss limits: its total cap, or the sum of its caps. */
export function capitalOf(strategy: Capped<Decimal>): Decimal {
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

function tradedIn({ ladder }: Pick<Strategy, 'ladder'>): string[] {
  return [...new Set(Object.values(ladder).map(({ market }) => market))]
}

/** A limit in money; a share is rounded down, and an equity below zero allows nothing. Undefined while that equity is unknown. */
export function moneyOfLimit(limit: MoneyLimit, equity: Decimal): Decimal
export function moneyOfLimit(limit: MoneyLimit, equity: Decimal | undefined): Decimal | undefined
export function moneyOfLimit(limit: MoneyLimit, equity: Decimal | undefined): Decimal | undefined {
  return isShare(limit) ? equity && cutTo(moneyDigits, limit.ofEquity.times(Decimal.max(0, equity))) : limit
}

/** The same strategy with its shares of this equity as money. */
export function inMoney(strategy: Strategy, equity: Decimal): InMoney {
  const { risk } = strategy
  const caps = Object.entries(risk.max_notional).map(
    ([name, cap]) => [name, moneyOfLimit(cap, equity)] as const,
  )
  const groups = Object.entries(risk.groups ?? {}).map(([name, { markets, max_notional: most, net }]) => {
    const limits = { max_notional: most && moneyOfLimit(most, equity), net: net && moneyOfLimit(net, equity) }
    return [name, { markets, ...limits }] as const
  })
  const worst = { ...risk.worst_case, max_loss: moneyOfLimit(risk.worst_case.max_loss, equity) }
  const inQuote = {
    max_notional: Object.fromEntries(caps),
    groups: Object.fromEntries(groups),
    worst_case: worst,
  }
  return { ...strategy, risk: { ...risk, ...inQuote } }
}

/** Whether the capital is a share of the equity. */
export function isCapitalShare({ risk }: Strategy): boolean {
  return Object.values(risk.max_notional).some(isShare)
}

/** Whether a limit of the file is a share of the equity. */
export function hasShares(strategy: Strategy): boolean {
  const { worst_case: worst, daily_loss: daily, per_week: weekly, max_flex_per_day: flex } = strategy.risk
  const groups = Object.values(strategy.risk.groups ?? {}).flatMap((group) => [group.max_notional, group.net])
  const others = [worst.max_loss, daily, weekly, flex, ...groups]
  return isCapitalShare(strategy) || others.some((limit) => limit !== undefined && isShare(limit))
}
