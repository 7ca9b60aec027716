import type { Compiled } from '#src/engine/rules/compiled-strategy.ts'
import type { StrategyState } from '#src/engine/state/state.ts'

/** A position of the strategy has changed: ladders that follow fills are computed again with the next evaluation. */
export function followFill(compiled: Compiled | undefined, own: StrategyState): void {
  for (const { name, followsFills } of compiled?.ladders ?? []) {
    const ladder = followsFills ? own.ladders[name] : undefined
    if (ladder) ladder.isDue = true
  }
}
