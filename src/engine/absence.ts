import { namesIn } from '#src/strategy/names.ts'
import { textsIn } from '#src/strategy/texts.ts'
import type { Compiled } from './compiled.ts'
import type { Began } from './events.ts'
import { quoteStaleMs } from './prices.ts'
import type { State, StrategyState } from './state.ts'

/**
 * A process begins, and nobody has looked since the last event. Of a rule that reads what is older by now than it may be,
 * nobody knows whether it was true all the time: what it must have been true for begins anew. After a shorter absence it
 * goes on, as if somebody had been there.
 */
export function missRules(
  state: State,
  known: ReadonlyMap<string, Compiled>,
  { at, strategies }: Began,
): void {
  for (const { name } of strategies) {
    const [compiled, own] = [known.get(name), state.strategies[name]]
    if (compiled && own) missFor(compiled, own, state.running.includes(name) ? at - state.at : Infinity)
  }
}

function missFor({ strategy, programs, feeds }: Compiled, own: StrategyState, awayMs: number): void {
  for (const { id } of strategy.rules) {
    const [condition, mine] = [programs.conditions.get(id), own.rules[id]]
    if (!condition || !mine) continue
    const names = namesIn(textsIn(condition), programs.lets)
    const stale = feeds.filter(({ name }) => names.has(name)).map(({ staleMs }) => staleMs)
    // What comes from no feed is as good as a price that we are told of.
    if (awayMs > Math.min(...(stale.length > 0 ? stale : [quoteStaleMs]))) mine.trueSince = null
  }
}
