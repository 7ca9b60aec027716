import type { Reason } from './standing.ts'
import type { State } from './state.ts'

/** The venue takes no orders for so long, by its own word. */
export function pauseOrders(state: State, ms: number): void {
  state.pausedUntil = Math.max(state.pausedUntil ?? 0, state.at + ms)
}

/** Whether the venue takes no orders at this moment. */
export function areOrdersPaused({ at, pausedUntil = 0 }: Pick<State, 'at' | 'pausedUntil'>): boolean {
  return at < pausedUntil
}

/** Why nothing is placed meanwhile, exits neither. */
export function pauseReason({ at, pausedUntil = 0 }: Pick<State, 'at' | 'pausedUntil'>): Reason {
  const change = `it goes on by itself ${Math.ceil((pausedUntil - at) / 1000)} s later`
  return { kind: 'waits', why: 'the venue has paused the path of orders: too many requests', change }
}
