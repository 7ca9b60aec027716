import { mirrorKey } from '#src/strategy/schema/exit-labels.ts'
import type { ExitState, LadderState, Order, State } from './state.ts'

/**
 * Index of the open orders, without recently ended ones: nearly all code about orders uses it. It follows from the state and is
 * updated where an order begins and ends.
 */
const all = new WeakMap<State['orders'], Map<string, Order>>()
const byLabel = new WeakMap<LadderState['open'], Map<string, Order>>()

/** Of all strategies, by id, in the order of sending. */
export function openOrdersOf({ orders }: State): ReadonlyMap<string, Order> {
  return livingIn(orders)
}

function livingIn(orders: State['orders']): Map<string, Order> {
  let known = all.get(orders)
  if (!known) {
    all.set(orders, (known = new Map()))
    for (const order of Object.values(orders)) if (order.status !== 'ended') known.set(order.id, order)
  }
  return known
}

/** Of one ladder, by label. */
export function openOrdersOfStrategy(
  { orders }: Pick<State, 'orders'>,
  { open }: LadderState,
): ReadonlyMap<string, Order> {
  return openIn(orders, open)
}

function openIn(orders: State['orders'], open: LadderState['open']): Map<string, Order> {
  let known = byLabel.get(open)
  if (!known) {
    byLabel.set(open, (known = new Map()))
    for (const [label, id] of Object.entries(open)) {
      const order = orders[id]
      if (order) known.set(label, order)
    }
  }
  return known
}

/** Mirrors that may have no open order, by level: an entry is removed when an order is found. */
const unsure = new WeakMap<ExitState['mirrors'], Set<string>>()

export function unknownOrdersIn(mirrors: ExitState['mirrors']): Set<string> {
  let known = unsure.get(mirrors)
  if (!known) unsure.set(mirrors, (known = new Set(Object.keys(mirrors))))
  return known
}

export function beginOrder({ orders }: State, own: LadderState | undefined, order: Order): void {
  // Known orders first, or the index would find this one there already.
  livingIn(orders).set(order.id, order)
  orders[order.id] = order
  if (!own) return
  openIn(orders, own.open).set(order.level, order)
  own.open[order.level] = order.id
}

/** Its label is free for the next generation. */
export function endOrder({ orders }: State, own: LadderState | undefined, order: Order): void {
  order.status = 'ended'
  livingIn(orders).delete(order.id)
  const mirror = mirrorKey(order.level)
  if (own && mirror !== undefined) unknownOrdersIn(own.exits.mirrors).add(mirror)
  for (const label of [order.level, order.id]) {
    if (own?.open[label] !== order.id) continue
    openIn(orders, own.open).delete(label)
    delete own.open[label]
  }
}

/** An order that counted as ended is open. If its label has another order, its id is its label. */
export function reopenOrder({ orders }: State, own: LadderState | undefined, order: Order): void {
  order.status = 'resting'
  order.endedAt = null
  // In the order of the state again, as after a restart.
  all.delete(orders)
  if (!own) return
  const label = own.open[order.level] === undefined ? order.level : order.id
  openIn(orders, own.open).set(label, order)
  own.open[label] = order.id
}

/** Orders of one ladder whose label another order has. */
export function secondsOf(state: Pick<State, 'orders'>, own: LadderState): Order[] {
  const found: Order[] = []
  for (const [label, order] of openOrdersOfStrategy(state, own)) if (label !== order.level) found.push(order)
  return found
}

/** Whether orders or positions may be open: then a start keeps trying to reach the venue. */
export function hasOpen(state: State): boolean {
  if (openOrdersOf(state).size > 0) return true
  return Object.values(state.strategies).some(({ holdings }) =>
    Object.values(holdings).some(({ position }) => Number(position) !== 0),
  )
}
