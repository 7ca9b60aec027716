import { compileStrategy } from '#src/engine/rules/compiled-strategy.ts'
import { explainLadder } from './explanations.ts'
import type { Explanation } from './explanation.ts'
import { stateOfSnapshot, type StateSnapshot } from './snapshot.ts'
import { refreshContext } from '#src/engine/rules/expression-context.ts'
import type { State } from '#src/engine/state/state.ts'

/** Repeats a recorded decision from its inputs and the text of the strategy. */
export function replayExplanation(decision: Explanation, text: string): Explanation | undefined {
  const { seen, strategy, ladder } = decision
  if (!isSeen(seen)) return undefined
  const { state, own } = stateOfSnapshot(seen, strategy, text)
  const compiled = compileStrategy(text, state.venue)
  if (!compiled) return undefined
  refreshContext(state, compiled, own)
  return explainLadder(state, compiled, own, ladder)
}

/** Explains a ladder as of now; the state stays unchanged. */
export function explanationNow(state: State, strategy: string, ladder: string): Explanation | undefined {
  const now = structuredClone(state)
  const own = now.strategies[strategy]
  const compiled = own && compileStrategy(own.text, now.venue)
  if (!own || !compiled || !Object.hasOwn(own.ladders, ladder)) return undefined
  refreshContext(now, compiled, own)
  return explainLadder(now, compiled, own, ladder)
}

function isSeen(seen: unknown): seen is StateSnapshot {
  return typeof seen === 'object' && seen !== null && 'own' in seen
}
