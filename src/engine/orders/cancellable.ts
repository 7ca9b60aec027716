import type { Order, State } from '#src/engine/state/state.ts'
import { reached } from '#src/engine/state/validity.ts'

/**
 * Whether the venue can be asked now to cancel an order that is no longer wanted. While its submission has no answer, the
 * strategy is evaluated again with that answer.
 */
export function isCancellable(state: State, order: Order): boolean {
  const own = state.strategies[order.strategy]
  if (order.status !== 'resting' && own) own.awaitsAnswer = true
  return order.status === 'resting' && !order.withdrawing && reached(state, order.withdrawAfter)
}
