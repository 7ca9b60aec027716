import type { Compiled } from '#src/engine/rules/compiled-strategy.ts'
import { explanationsNow } from '#src/engine/explain/explanations.ts'
import type { RungExplanation } from '#src/engine/explain/explanation.ts'
import { limitUsageOf } from '#src/engine/risk/limit-usage.ts'
import type { State, StrategyState } from '#src/engine/state/state.ts'
import { withShortNumbers } from '#src/core/money/decimal.ts'
import type { LimitRow, RuleRow } from '#src/operate/dashboard/tables/tables.ts'

/** The parts of a strategy's tables that take long to compute. */
export type Reasons = {
  limits: readonly LimitRow[]
  rules: readonly RuleRow[]
  /** By ladder and level; for a ladder without rungs, the rungs that it would have. */
  rungs: ReadonlyMap<string, ReadonlyMap<string, RungExplanation>>
}

export function limitRowsOf(state: State, { name, strategy }: Compiled): LimitRow[] {
  return limitUsageOf(state, strategy).map(({ limit, used, most }) => ({ strategy: name, limit, used, most }))
}

export function reasonsOf(state: State, compiled: Compiled, own: StrategyState): Reasons {
  const { name: strategy } = compiled
  const decisions = explanationsNow(state, compiled, own)
  return {
    limits: limitRowsOf(state, compiled),
    rules: (decisions[0]?.rules ?? []).map(({ id, truth, leaves }) => ({
      strategy,
      rule: id,
      truth,
      trueSince: own.rules[id]?.trueSince ?? null,
      firedAt: own.rules[id]?.firedAt ?? null,
      leaves: leaves.map(({ text, value }) => `${text} = ${withShortNumbers(value)}`).join('\n'),
    })),
    rungs: new Map(
      decisions.map(({ ladder, rungs }) => [ladder, new Map(rungs.map((rung) => [rung.level, rung]))]),
    ),
  }
}
