import type { Strategy } from '#src/strategy/schema/strategy-schema.ts'
import type { State } from '#src/engine/state/state.ts'
import { labelOf, limitsOf, tallyOf } from './risk-gate.ts'

/** How much of a limit is used. Null is what cannot be known, such as a loss from a price that is unknown. */
export type LimitUsage = { limit: string; used: string | null; most: string }

/** Every limit of a strategy, and then of the account, with what is used of it now. */
export function limitUsageOf(state: State, strategy: Strategy): LimitUsage[] {
  const { exact } = tallyOf(state, strategy)
  return limitsOf(state, strategy)
    .toSorted((a, b) => a.limit.listed - b.limit.listed)
    .flatMap(({ name, limit, values }) =>
      Object.entries(values).map(([key, most]) => ({
        limit: labelOf(name, key),
        used: limit.used(exact, key, undefined)?.toDecimalPlaces(8).toFixed() ?? null,
        most: most?.toFixed() ?? '',
      })),
    )
}
