import type { Reason } from '#src/engine/ladder/reason.ts'
import type { State } from '#src/engine/state/state.ts'
import { reached } from '#src/engine/state/validity.ts'

/** Records that the venue accepts no orders for this time. */
export function pauseOrders(state: State, ms: number): void {
  state.pausedUntil = Math.max(state.pausedUntil ?? 0, state.at + ms)
}

/** Whether the venue accepts no orders now. */
export function areOrdersPaused(state: Pick<State, 'at' | 'pausedUntil'>): boolean {
  return !reached(state, state.pausedUntil ?? 0)
}

/** Why entries and exits wait. */
export function pauseReason({ at, pausedUntil = 0 }: Pick<State, 'at' | 'pausedUntil'>): Reason {
  const change = `the bot continues in ${Math.ceil((pausedUntil - at) / 1000)} s`
  return { kind: 'waits', why: 'the venue has paused order requests: too many requests', change }
}
