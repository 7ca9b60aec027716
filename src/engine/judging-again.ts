import { beginState } from './begin.ts'
import { compileStrategy } from './compiled.ts'
import { decide } from './deciding.ts'
import type { Decision } from './decisions.ts'
import type { Seen } from './seen.ts'
import { look } from './sight.ts'
import type { State, StrategyState } from './state.ts'

/** Makes a recorded decision again, from what it says it has seen and the text of the strategy. */
export function judgeAgain(decision: Decision, text: string): Decision | undefined {
  const { seen } = decision
  if (!isSeen(seen)) return undefined
  const own: StrategyState = { ...structuredClone(seen.own), text }
  const { at, venue, quotes, account, orders, chunks, stopped } = seen
  const strategies = { [decision.strategy]: own }
  const state: State = { ...beginState(), at, venue, quotes, account, orders, chunks, stopped, strategies }
  const compiled = compileStrategy(text, venue)
  if (!compiled) return undefined
  look(state, compiled, own)
  return decide(state, compiled, own, decision.ladder)
}

function isSeen(seen: unknown): seen is Seen {
  return typeof seen === 'object' && seen !== null && 'own' in seen
}
