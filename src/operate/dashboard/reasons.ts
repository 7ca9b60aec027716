import type { Compiled } from '#src/engine/rules/compiled-strategy.ts'
import { explanationsNow } from '#src/engine/explain/explanations.ts'
import type { RungExplanation } from '#src/engine/explain/explanation.ts'
import { limitUsageOf } from '#src/engine/risk/limit-usage.ts'
import type { State, StrategyState } from '#src/engine/state/state.ts'
import { withShortNumbers } from '#src/core/money/decimal.ts'
import { exitStatuses } from '#src/engine/exits/exit-reasons.ts'
import { readExitLabel } from '#src/strategy/schema/exit-labels.ts'
import type { ExitRow, LimitRow, RuleRow, ValueRow } from '#src/operate/dashboard/tables/tables.ts'

/** The parts of a strategy's tables that take long to compute. */
export type Reasons = {
  limits: readonly LimitRow[]
  rules: readonly RuleRow[]
  values: readonly ValueRow[]
  exits: readonly ExitRow[]
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
    values: (decisions[0]?.lets ?? []).map(({ name, text }) => ({
      strategy,
      name,
      value: withShortNumbers(text),
    })),
    exits: compiled.ladders.flatMap((ladder) => exitRowsOf(state, compiled, ladder, own)),
    rungs: new Map(
      decisions.map(({ ladder, rungs }) => [ladder, new Map(rungs.map((rung) => [rung.level, rung]))]),
    ),
  }
}

/** Those that can still execute and have a price. The context of the expressions is that of the reasons. */
function exitRowsOf(
  state: State,
  scene: Compiled,
  ladder: Compiled['ladders'][number],
  own: StrategyState,
): ExitRow[] {
  const mine = own.ladders[ladder.name]
  if (mine === undefined) return []
  const about = { strategy: scene.name, ladder: ladder.name, market: ladder.symbol }
  return exitStatuses({ state, scene, ladder, own: mine }).flatMap((exit) => {
    const { label, side, amount, price, why } = exit
    const name = readExitLabel(label)?.name
    const isOver = exit.state === 'filled' || exit.state === 'ended'
    if (price === null || name === undefined || isOver) return []
    return [{ ...about, label, kind: name, side, amount, price, why }]
  })
}
