import { isNamed } from '#src/strategy/signals/signal-values.ts'
import type { SignalFeed } from '#src/strategy/schema/strategy-schema.ts'
import type { SignalEvent } from '#src/engine/events.ts'
import type { BotEvent } from '#src/core/log-events/vocabulary.ts'
import type { State, StrategyState } from './state.ts'
import { reached } from './validity.ts'

/** The last value counts, and the same value again makes it young again. False if the strategy has no such signal. */
function takeSignal(
  { at }: Pick<State, 'at'>,
  { name: strategy, signals }: { name: string; signals: readonly { name: string }[] },
  own: StrategyState,
  { name, value, since = at }: SignalEvent,
): boolean {
  const signal = signals.find((each) => isNamed(name, strategy, each.name))
  if (signal) (own.signals ??= {})[signal.name] = { at: Math.min(since, at), value }
  return signal !== undefined
}

/** The strategies that have the signal. */
export function takeSignals(
  { state, notes }: { state: State; notes: { push(event: BotEvent): void } },
  known: ReadonlyMap<string, { name: string; signals: readonly { name: string }[] }>,
  event: SignalEvent,
): string[] {
  notes.push({ type: 'signal-received', at: state.at, signal: event.name, value: event.value })
  return state.running.filter((name) => {
    const [compiled, own] = [known.get(name), state.strategies[name]]
    return compiled !== undefined && own !== undefined && takeSignal(state, compiled, own, event)
  })
}

/** The last value of a signal; null if none has come, or it is stale. */
export function freshSignal(
  state: Pick<State, 'at'>,
  own: StrategyState,
  name: string,
  { stale_after: staleMs }: SignalFeed,
): string | null {
  const last = lastSignal(own, name)
  return last === undefined || reached(state, last.at + staleMs + 1) ? null : last.value
}

export function lastSignal(
  { signals = {} }: Pick<StrategyState, 'signals'>,
  name: string,
): { at: number; value: string } | undefined {
  return Object.hasOwn(signals, name) ? signals[name] : undefined
}
