import { compileStrategy } from './compiled.ts'
import { decide } from './deciding.ts'
import type { Decision } from './decisions.ts'
import { stateSeen, type Seen } from './seen.ts'
import { look } from './sight.ts'

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

function isSeen(seen: unknown): seen is Seen {
  return typeof seen === 'object' && seen !== null && 'own' in seen
}
