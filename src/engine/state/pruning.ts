import type { Order, State } from './state.ts'

/** How long ended orders are kept for late reports from a history that lags. */
const keptMs = 600_000
const keptMsLeast = 60_000
/** The most ended orders of one strategy; beyond that the oldest are removed earlier. */
const keptMost = 300
const everyMs = 60_000

/** Removes ended orders but the last one of each rung and exit, so that the state does not grow with time. */
export function prune(state: State): void {
  const { at, orders } = state
  if (at - state.prunedAt < everyMs) return
  state.prunedAt = at
  const ended = new Map<string, Order[]>()
  for (const order of Object.values(orders)) {
    if (order.status !== 'ended' || isLast(state, order)) continue
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

/** The last order of a rung or an exit: `why` explains what has become of it. */
function isLast({ strategies }: State, { strategy, ladder, level, generation }: Order): boolean {
  return strategies[strategy]?.ladders[ladder]?.generations[level] === generation
}
