import type { SignalFeed } from '#src/strategy/schema/strategy-schema.ts'
import type { SignalEvent } from '#src/engine/events.ts'
import type { State } from './state.ts'
import { reached } from './validity.ts'

/** The last value counts. The same value again makes it young again. */
export function takeSignal(state: State, { name, value, since = state.at }: SignalEvent): void {
  ;(state.signals ??= {})[name] = { at: Math.min(since, state.at), value }
}

/** The last value of a signal; null if none has come, or it is stale. */
export function freshSignal(state: State, name: string, { stale_after: staleMs }: SignalFeed): string | null {
  const last = lastSignal(state, name)
  return last === undefined || reached(state, last.at + staleMs + 1) ? null : last.value
}

export function lastSignal(
  { signals = {} }: Pick<State, 'signals'>,
  name: string,
): { at: number; value: string } | undefined {
  return Object.hasOwn(signals, name) ? signals[name] : undefined
}
