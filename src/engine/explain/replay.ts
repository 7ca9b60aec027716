import { compileStrategy } from '#src/engine/rules/compiled-strategy.ts'
import { decide } from './explanations.ts'
import type { Decision } from './explanation.ts'
import { stateSeen, type Seen } from './snapshot.ts'
import { look } from '#src/engine/rules/expression-context.ts'
import type { State } from '#src/engine/state/state.ts'

/** Makes a recorded decision again, from what it says it has seen and the text of the strategy. */
export function judgeAgain(decision: Decision, text: string): Decision | undefined {
  const { seen, strategy, ladder } = decision
  if (!isSeen(seen)) return undefined
  const { state, own } = stateSeen(seen, strategy, text)
  const compiled = compileStrategy(text, state.venue)
  if (!compiled) return undefined
  look(state, compiled, own)
  return decide(state, compiled, own, ladder)
}

/** What would be decided about a ladder now; the state stays as it is. */
export function decisionNow(state: State, strategy: string, ladder: string): Decision | undefined {
  const now = structuredClone(state)
  const own = now.strategies[strategy]
  const compiled = own && compileStrategy(own.text, now.venue)
  if (!own || !compiled || !Object.hasOwn(own.ladders, ladder)) return undefined
  look(now, compiled, own)
  return decide(now, compiled, own, ladder)
}

function isSeen(seen: unknown): seen is Seen {
  return typeof seen === 'object' && seen !== null && 'own' in seen
}
