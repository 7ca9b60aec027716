import { exitFormOf } from '#src/engine/exits/exit-forms.ts'
import { orderIdOf } from '#src/engine/orders/order-ids.ts'
import type { Order, State } from './state.ts'

/** How long ended orders are kept for late reports from a history that lags. */
const keptMs = 600_000
const keptMsLeast = 60_000
/** The most ended orders of one strategy; beyond that the oldest are removed earlier. */
const keptMost = 300
const everyMs = 60_000

/** Removes ended orders that nothing refers to any more, so that the state does not grow with time. */
export function prune(state: State): void {
  const { at, orders } = state
  if (at - state.prunedAt < everyMs) return
  state.prunedAt = at
  const needed = referredTo(state)
  const ended = new Map<string, Order[]>()
  for (const order of Object.values(orders)) {
    if (order.status !== 'ended' || needed.has(order.id)) continue
    const some = ended.get(order.strategy)
    if (some) some.push(order)
    else ended.set(order.strategy, [order])
  }
  for (const some of ended.values()) {
    some.sort((a, b) => (b.endedAt ?? 0) - (a.endedAt ?? 0))
    for (const [index, { id, endedAt }] of some.entries()) {
      const age = at - (endedAt ?? 0)
      if (age > keptMs || (index >= keptMost && age > keptMsLeast)) delete orders[id]
    }
  }
}

/** The current or last order of a rung or an exit. */
function referredTo({ strategies }: State): Set<string> {
  const needed = new Set<string>()
  for (const [strategy, { ladders }] of Object.entries(strategies)) {
    for (const [ladder, { rungs, open, exits, generations }] of Object.entries(ladders)) {
      for (const { order } of rungs) if (order !== null) needed.add(order)
      for (const id of Object.values(open)) needed.add(id)
      for (const { order } of Object.values(exits.mirrors)) if (order !== null) needed.add(order)
      for (const [label, generation] of Object.entries(generations))
        if (exitFormOf(label)?.keepsLast) needed.add(orderIdOf(strategy, ladder, label, generation))
    }
  }
  return needed
}
