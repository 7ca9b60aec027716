import { newDrift } from '#src/engine/state/drift.ts'
import type { Explanation } from '#src/engine/explain/explanation.ts'
import { explanationsNow } from '#src/engine/explain/explanations.ts'
import { snapshotOf, usualOrder, usualRung, type StateSnapshot } from '#src/engine/explain/snapshot.ts'
import { compileStrategy } from '#src/engine/rules/compiled-strategy.ts'
import { beginLadder, beginRule, beginState, beginStrategy } from '#src/engine/state/initial-state.ts'
import type { State, StrategyState } from '#src/engine/state/state.ts'

/** Repeats a recorded decision from its inputs and the text of the strategy. */
export function replayExplanation(decision: Explanation, text: string): Explanation | undefined {
  const { seen, strategy, ladder } = decision
  if (!isSeen(seen)) return undefined
  const { state, own } = stateOfSnapshot(seen, strategy, text)
  const compiled = compileStrategy(text, state.venue)
  if (!compiled) return undefined
  const found = explanationsNow(state, compiled, own).find((each) => each.ladder === ladder)
  return found && { ...found, seen: snapshotOf(state, compiled, own) }
}

/** Explains a ladder as of now. */
export function explanationNow(state: State, strategy: string, ladder: string): Explanation | undefined {
  const own = state.strategies[strategy]
  const compiled = own && compileStrategy(own.text, state.venue)
  if (!own || !compiled) return undefined
  const found = explanationsNow(state, compiled, own).find((each) => each.ladder === ladder)
  return found && { ...found, seen: snapshotOf(state, compiled, own) }
}

function isSeen(seen: unknown): seen is StateSnapshot {
  return typeof seen === 'object' && seen !== null && 'own' in seen
}

/** The state as far as the decision read it. */
function stateOfSnapshot(
  seen: StateSnapshot,
  strategy: string,
  text: string,
): { state: State; own: StrategyState } {
  const { at, stopped, canCancel, markets, quotes, account, lacking, chunks, orders, own } =
    structuredClone(seen)
  const { limits, elsewhere } = seen
  const ladders = mapValues(own.ladders, ({ rungs, ...ladder }) => ({
    ...beginLadder(),
    ...ladder,
    rungs: rungs.map((rung) => ({ ...structuredClone(usualRung), ...rung })),
  }))
  const rules = mapValues(own.rules, (rule) => ({ ...beginRule(), ...rule }))
  const whole = { ...beginStrategy(text), ...own, rules, ladders }
  const begun = beginState()
  const state: State = {
    ...begun,
    at,
    stopped,
    ...(seen.pausedUntil !== undefined && { pausedUntil: seen.pausedUntil }),
    ...(seen.freedAt !== undefined && { freedAt: seen.freedAt }),
    quotes,
    ...(seen.futures && { futures: structuredClone(seen.futures) }),
    ...(seen.depth && { depth: structuredClone(seen.depth) }),
    ...(seen.trades && { trades: structuredClone(seen.trades) }),
    ...(seen.beganAt !== undefined && {
      session: { beganAt: seen.beganAt, awaySince: 0, isAccountRead: true },
    }),
    venue: { ...begun.venue, markets, limits, capabilities: canCancel ? ['cancel'] : [] },
    ...(elsewhere && { elsewhere }),
    account: account && { ...account, at, freeze: {} },
    drift: { ...newDrift(), lacking },
    chunks: Object.fromEntries(chunks.map((chunk) => [chunk, { strategy, sentAt: at, ids: [] }])),
    orders: Object.fromEntries(
      Object.entries(orders).map(([id, order]) => [id, { ...usualOrder, ...order, id, strategy }]),
    ),
    strategies: { [strategy]: whole },
  }
  return { state, own: whole }
}

function mapValues<Value, Result>(
  all: Record<string, Value>,
  map: (value: Value) => Result,
): Record<string, Result> {
  return Object.fromEntries(Object.entries(all).map(([key, value]) => [key, map(value)]))
}
