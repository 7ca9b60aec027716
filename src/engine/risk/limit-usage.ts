import type { Strategy } from '#src/strategy/schema/strategy-schema.ts'
import type { State } from '#src/engine/state/state.ts'
import { mostNow } from './limits.ts'
import { labelOf, limitsOf, tallyOf } from './risk-gate.ts'

/** Usage of a limit. Null if it cannot be computed, such as a loss from an unknown price, or a share of an unknown equity. */
export type LimitUsage = {
  limit: string
  measures: 'money' | 'amount' | 'number'
  used: string | null
  most: string | null
}

/** Every limit of a strategy, and then of the account, with its current usage. */
export function limitUsageOf(state: State, strategy: Strategy): LimitUsage[] {
  const { exact } = tallyOf(state, strategy)
  return limitsOf(state, strategy)
    .toSorted((a, b) => a.limit.listed - b.limit.listed)
    .flatMap(({ name, limit, values }) =>
      Object.entries(values).map(([key, value]) => ({
        limit: labelOf(name, key),
        measures: limit.measures ?? 'money',
        used: limit.used(exact, key, undefined)?.toDecimalPlaces(8).toFixed() ?? null,
        most: (value && mostNow(limit, value, exact)?.toFixed()) ?? null,
      })),
    )
}
