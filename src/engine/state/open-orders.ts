import { mirrorKey, readExitLabel } from '#src/strategy/schema/exit-labels.ts'
import type { LadderState, Order, State } from './state.ts'
import type { ExitState } from './exit-state.ts'

/**
 * Indexes of the open orders, without recently ended ones: nearly all code about orders uses them. They follow from the state,
 * and are updated where an order begins, fills, changes its status or ends.
 */
type OpenOrders = {
  /** Of all strategies, in the order of sending. */
  byId: Map<string, Order>
  byStrategy: Map<string, Set<Order>>
  doubtful: Set<Order>
  /** The latest orders of `noteChange`, and the number of such changes before them. */
  changed: Order[]
  changesBefore: number
}

/**
 * The open orders of one ladder: by label; those of entries; parts of the take profit, and what `openParts` adds; stops that wait
 * at the venue; those whose label another order has.
 */
type OpenOfLadder = {
  byLabel: Map<string, Order>
  entries: number
  parts: Set<Order>
  stops: Set<Order>
  seconds: Set<Order>
}

const changesMost = 1000
const none: ReadonlySet<Order> = new Set()
const noOrders: readonly Order[] = []
const all = new WeakMap<State['orders'], OpenOrders>()
const ofLadders = new WeakMap<LadderState['open'], OpenOfLadder>()

type WithOrders = Pick<State, 'orders'>

/** Of all strategies, by id, in the order of sending. */
export function openOrdersOf({ orders }: WithOrders): ReadonlyMap<string, Order> {
  return indexOf(orders).byId
}

export function openOrdersOfStrategy({ orders }: WithOrders, name: string): ReadonlySet<Order> {
  return indexOf(orders).byStrategy.get(name) ?? none
}

/** Orders with unknown outcome, in the order of sending. */
export function doubtfulOrders({ orders }: WithOrders): readonly Order[] {
  const { byId, doubtful } = indexOf(orders)
  if (doubtful.size < 2) return doubtful.size === 0 ? noOrders : [...doubtful]
  return [...byId.values()].filter((order) => doubtful.has(order))
}

/** Of one ladder, by label. */
export function openOrdersOfLadder(state: WithOrders, own: LadderState): ReadonlyMap<string, Order> {
  return indexOfLadder(state, own).byLabel
}

export function openEntriesCount(state: WithOrders, own: LadderState): number {
  return indexOfLadder(state, own).entries
}

/** Open orders of the take profit, and orders of the action `close` that rest. */
export function openParts(state: WithOrders, own: LadderState): ReadonlySet<Order> {
  return indexOfLadder(state, own).parts
}

/** Stops of one ladder that wait at the venue, or may. */
export function stopsAtVenue(state: WithOrders, own: LadderState): ReadonlySet<Order> {
  return indexOfLadder(state, own).stops
}

/** Orders of one ladder whose label another order has. */
export function secondsOf(state: WithOrders, own: LadderState): Iterable<Order> {
  return indexOfLadder(state, own).seconds
}

/**
 * The orders of `noteChange` after this many changes, and the number of changes until now. Undefined if too many
 * have changed since: then all open orders must be read.
 */
export function changesAfter(
  { orders }: WithOrders,
  count: number,
): { changed: readonly Order[] | undefined; count: number } {
  const { changed, changesBefore } = indexOf(orders)
  const isKnown = count >= changesBefore
  return {
    changed: isKnown ? changed.slice(count - changesBefore) : undefined,
    count: changesBefore + changed.length,
  }
}

function indexOf(orders: State['orders']): OpenOrders {
  let known = all.get(orders)
  if (!known) {
    const changes = { changed: [], changesBefore: 1 }
    known = { byId: new Map(), byStrategy: new Map(), doubtful: new Set(), ...changes }
    all.set(orders, known)
    for (const order of Object.values(orders)) if (order.status !== 'ended') add(known, order)
  }
  return known
}

function add({ byId, byStrategy, doubtful }: OpenOrders, order: Order): void {
  byId.set(order.id, order)
  const own = byStrategy.get(order.strategy)
  if (own) own.add(order)
  else byStrategy.set(order.strategy, new Set([order]))
  if (order.status === 'doubtful') doubtful.add(order)
}

function indexOfLadder({ orders }: WithOrders, { open }: LadderState): OpenOfLadder {
  let known = ofLadders.get(open)
  if (!known) {
    known = { byLabel: new Map(), entries: 0, parts: new Set(), stops: new Set(), seconds: new Set() }
    ofLadders.set(open, known)
    for (const [label, id] of Object.entries(open)) {
      const order = orders[id]
      if (order) addToLadder(known, label, order)
    }
  }
  return known
}

function addToLadder(known: OpenOfLadder, label: string, order: Order): void {
  known.byLabel.set(label, order)
  if (order.role === 'entry') known.entries += 1
  else if (order.activation !== undefined) known.stops.add(order)
  else if (isPart(order)) known.parts.add(order)
  if (label !== order.level) known.seconds.add(order)
}

function isPart({ level, ioc }: Order): boolean {
  const name = readExitLabel(level)?.name
  return name === 'take_profit' || (name === 'close' && !ioc)
}

function removeFromLadder(known: OpenOfLadder, label: string, order: Order): void {
  known.byLabel.delete(label)
  if (order.role === 'entry') known.entries -= 1
  known.parts.delete(order)
  known.stops.delete(order)
  known.seconds.delete(order)
}

/** Mirrors that may have no open order, by level: an entry is removed when an order is found. */
const unsure = new WeakMap<ExitState['mirrors'], Set<string>>()

export function unknownOrdersIn(mirrors: ExitState['mirrors']): Set<string> {
  let known = unsure.get(mirrors)
  if (!known) unsure.set(mirrors, (known = new Set(Object.keys(mirrors))))
  return known
}

export function beginOrder(state: State, own: LadderState | undefined, order: Order): void {
  const { orders } = state
  // Known orders first, or the index would find this one there already.
  add(indexOf(orders), order)
  orders[order.id] = order
  noteChange(state, order)
  if (!own) return
  addToLadder(indexOfLadder(state, own), order.level, order)
  own.open[order.level] = order.id
}

/** The order began, filled or ended, or its rung no longer wants it as it is. */
export function noteChange({ orders }: WithOrders, order: Order): void {
  const known = indexOf(orders)
  if (known.changed.length === changesMost) {
    known.changesBefore += changesMost
    known.changed = []
  }
  known.changed.push(order)
}

/** The status of an order that stays open. */
export function setStatus(
  { orders }: WithOrders,
  order: Order,
  status: Exclude<Order['status'], 'ended'>,
): void {
  const { doubtful } = indexOf(orders)
  order.status = status
  if (status === 'doubtful') doubtful.add(order)
  else doubtful.delete(order)
}

/** Its label is free for the next generation. */
export function endOrder(state: State, own: LadderState | undefined, order: Order): void {
  const known = indexOf(state.orders)
  order.status = 'ended'
  known.byId.delete(order.id)
  known.byStrategy.get(order.strategy)?.delete(order)
  known.doubtful.delete(order)
  noteChange(state, order)
  const mirror = mirrorKey(order.level)
  if (own && mirror !== undefined) unknownOrdersIn(own.exits.mirrors).add(mirror)
  for (const label of [order.level, order.id]) {
    if (own?.open[label] !== order.id) continue
    removeFromLadder(indexOfLadder(state, own), label, order)
    delete own.open[label]
  }
}

/** The order makes room for the one that replaces it: from now on its id is its label. */
export function moveAside(state: WithOrders, own: LadderState, order: Order): void {
  if (own.open[order.level] === order.id) relabel(state, own, order, [order.level, order.id])
}

/** The order that would have replaced it has not come to be: it has its label again. */
export function moveBack(state: WithOrders, own: LadderState, order: Order): void {
  const isAside = own.open[order.id] === order.id && own.open[order.level] === undefined
  if (isAside) relabel(state, own, order, [order.id, order.level])
}

function relabel(
  state: WithOrders,
  own: LadderState,
  order: Order,
  [before, after]: readonly [string, string],
): void {
  const known = indexOfLadder(state, own)
  removeFromLadder(known, before, order)
  delete own.open[before]
  addToLadder(known, after, order)
  own.open[after] = order.id
}

/** An order that counted as ended is open. If its label has another order, its id is its label. */
export function reopenOrder(state: State, own: LadderState | undefined, order: Order): void {
  order.status = 'resting'
  order.endedAt = null
  // In the order of the state again, as after a restart. All kept sums are read anew.
  const { changesBefore, changed } = indexOf(state.orders)
  all.delete(state.orders)
  indexOf(state.orders).changesBefore = changesBefore + changed.length + 1
  if (!own) return
  const label = own.open[order.level] === undefined ? order.level : order.id
  addToLadder(indexOfLadder(state, own), label, order)
  own.open[label] = order.id
}

/** Whether orders or positions may be open: then a start keeps trying to reach the venue. */
export function hasOpen(state: State): boolean {
  if (openOrdersOf(state).size > 0) return true
  return Object.values(state.strategies).some(({ holdings }) =>
    Object.values(holdings).some(({ position }) => Number(position) !== 0),
  )
}
