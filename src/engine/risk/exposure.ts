import type { Arithmetic } from '#src/core/money/bounded.ts'
import { Decimal } from '#src/core/money/decimal.ts'
import type { Strategy } from '#src/strategy/schema/strategy-schema.ts'
import type { OrderDraft } from '#src/engine/commands.ts'
import type { Order } from '#src/engine/state/state.ts'

/**
 * The possible holding of a strategy in one market: its position, and every order that may fill. Each sum below only grows with
 * another order, so a limit that holds for all orders holds for every subset of them, in any order of fills.
 */
export type MarketExposure<N> = {
  position: N
  cost: N
  /** Neither a position nor an order. */
  isEmpty: boolean
  buy: SideExposure<N>
  sell: SideExposure<N>
  moves: Moves<N>
}

/** The value of a price: itself, or a range around it. */
export type Priced<N> = (price: N) => N
/** Computed when they are read, since few limits depend on prices. */
type Moves<N> = (priced: Priced<N>) => readonly MoveExposure<N>[]

/** `entries` are the orders that open; `least` is the lowest price of all orders. */
export type SideExposure<N> = { amount: N; money: N; entries: Amounts<N>; least: () => N | undefined }
type Amounts<N> = { amount: N; money: N }

/** The loss of orders that one move of the worst case fills on its way to `end`, which is undefined without a price. */
export type MoveExposure<N> = { end: N | undefined; isDown: boolean; entries: N; exits: N }

/** By market of the file. */
export type Exposures<N> = ReadonlyMap<string, MarketExposure<N>>

/** The open part of an order, and its money. */
export type OpenPart<N> = {
  side: 'buy' | 'sell'
  isEntry: boolean
  price: N
  amount: N
  money: N
}

export function openPart<N>(a: Arithmetic<N>, order: OrderDraft, filled: string): OpenPart<N> {
  const { side, role } = order
  const [price, whole] = [a.text(order.price), a.text(order.amount)]
  const amount = filled === '0' ? whole : a.max(a.zero, a.minus(whole, a.text(filled)))
  return { side, isEntry: role === 'entry', price, amount, money: a.times(price, amount) }
}

/** Parsing the numbers of an order takes longer than all of the sums. */
const leftByOrder = new WeakMap<Order, { filled: string; left: Decimal }>()

/** How much of an order may still fill. */
export function leftOf(order: Order): Decimal {
  const { filled, amount } = order
  let known = leftByOrder.get(order)
  if (known?.filled !== filled) {
    known = { filled, left: Decimal.max(0, new Decimal(amount).minus(filled)) }
    leftByOrder.set(order, known)
  }
  return known.left
}

/** The market by its name in the file. An order of a ladder that the file no longer has counts in its market. */
export function marketOf(
  strategy: Strategy,
  order: Pick<OrderDraft, 'ladder' | 'market' | 'positionSide'>,
): string {
  const own = strategy.ladder[order.ladder]?.market
  if (own !== undefined) return own
  const side = order.positionSide === 'LONG' ? 'long' : 'short'
  const found = Object.entries(strategy.markets).find(
    ([, { symbol, positionSide }]) => symbol === order.market && positionSide === side,
  )
  return found?.[0] ?? order.market
}

/** The sums of orders of one market and side that are all entries, or all exits. `far`: the price that a move reaches last. */
type OrderGroup<N> = Amounts<N> & {
  side: 'buy' | 'sell'
  isEntry: boolean
  far: N
  parts: Iterable<OpenPart<N>>
}

function groupsOf<N>(a: Arithmetic<N>, all: readonly OpenPart<N>[]): (OrderGroup<N> & { least: N })[] {
  const groups: (OrderGroup<N> & { least: N; parts: OpenPart<N>[] })[] = []
  for (const part of all) {
    const { side, isEntry, amount, money, price } = part
    const group = groups.find((other) => other.side === side && other.isEntry === isEntry)
    if (group) {
      group.amount = a.plus(group.amount, amount)
      group.money = a.plus(group.money, money)
      group.least = a.min(group.least, price)
      group.far = side === 'buy' ? group.least : a.max(group.far, price)
      group.parts.push(part)
    } else groups.push({ side, isEntry, amount, money, least: price, far: price, parts: [part] })
  }
  return groups
}

/** With other orders; the given exposure stays unchanged. */
export function withOrders<N>(
  a: Arithmetic<N>,
  exposure: MarketExposure<N>,
  parts: readonly OpenPart<N>[],
): MarketExposure<N> {
  let now = exposure
  for (const group of groupsOf(a, parts)) {
    const { moves } = now
    const { least: before } = now[group.side]
    now = changedBy(a.plus, now, group)
    now.moves = (priced) => moves(priced).map((move) => withLoss(a, move, group))
    now[group.side].least = () => {
      const least = before()
      return least === undefined ? group.least : a.min(least, group.least)
    }
  }
  return now
}

/** With orders added to the sums, or subtracted from them. */
export function changedBy<N>(
  sum: (all: N, part: N) => N,
  exposure: MarketExposure<N>,
  orders: Amounts<N> & Pick<OrderGroup<N>, 'side' | 'isEntry'>,
): MarketExposure<N> {
  const { side, isEntry, amount, money } = orders
  const { position, cost, buy, sell, moves } = exposure
  const { amount: all, money: paid, entries, least } = exposure[side]
  const changed = {
    amount: sum(all, amount),
    money: sum(paid, money),
    entries: isEntry ? { amount: sum(entries.amount, amount), money: sum(entries.money, money) } : entries,
    least,
  }
  return {
    position,
    cost,
    isEmpty: false,
    buy: side === 'buy' ? changed : buy,
    sell: side === 'sell' ? changed : sell,
    moves,
  }
}

/**
 * The move with the loss of these orders. Usually it reaches all of them, and their sums give the loss: with a loop over 250
 * orders, a backtest takes 7 % longer.
 */
export function withLoss<N>(a: Arithmetic<N>, move: MoveExposure<N>, orders: OrderGroup<N>): MoveExposure<N> {
  const { end, isDown, entries, exits } = move
  if (end === undefined || (orders.side === 'buy') !== isDown) return move
  const lossOf = ({ amount, money }: Amounts<N>) => {
    const atEnd = a.times(end, amount)
    return isDown ? a.minus(money, atEnd) : a.minus(atEnd, money)
  }
  const reachesAll = isDown ? a.isAtMost(end, orders.far) : a.isAtMost(orders.far, end)
  let loss = a.zero
  if (reachesAll === true) loss = lossOf(orders)
  else for (const part of orders.parts) loss = a.plus(loss, a.max(a.zero, lossOf(part)))
  return orders.isEntry
    ? { end, isDown, entries: a.plus(entries, loss), exits }
    : { end, isDown, entries, exits: a.plus(exits, loss) }
}

/**
 * The largest possible long position if any of the buys fill, or short for the sells, in money; negative while the position stays
 * on the other side in every case.
 */
export function mostMoney<N>(a: Arithmetic<N>, exposure: MarketExposure<N>, side: 'buy' | 'sell'): N {
  const { amount, money, least } = exposure[side]
  const [position, cost] = seenFrom(a, exposure, side)
  const isWith = a.isAtMost(a.zero, position)
  const whole = a.plus(cost, money)
  if (isWith === true) return whole
  // Closing a position first costs at least the lowest price.
  const against = a.minus(a.zero, position)
  const isLess = a.isAtMost(amount, against)
  const part = () => a.over(a.times(cost, a.minus(against, amount)), against)
  const beyond = () => a.minus(money, a.times(against, least() ?? a.zero))
  const other = isLess === true ? part() : isLess === false ? beyond() : a.either(part(), beyond())
  return isWith === false ? other : a.either(whole, other)
}

/** The largest amount of the base currency that orders of this side could reach; the other side does not change it. */
export function mostAmount<N>(a: Arithmetic<N>, exposure: MarketExposure<N>, side: 'buy' | 'sell'): N {
  const [position] = seenFrom(a, exposure, side)
  return a.plus(position, exposure[side].amount)
}

/** Position and cost, positive if they are of this side. */
function seenFrom<N>(
  a: Arithmetic<N>,
  { position, cost }: MarketExposure<N>,
  side: 'buy' | 'sell',
): readonly [N, N] {
  return side === 'buy' ? [position, cost] : [a.minus(a.zero, position), a.minus(a.zero, cost)]
}

/**
 * What entries of a side could open, in money or in the base currency; without a side, the larger of both. A position of the
 * other side does not reduce it: exits may close that first, and then the entries open their whole amounts.
 */
export function mostOpened<N>(
  a: Arithmetic<N>,
  exposure: MarketExposure<N>,
  side: 'buy' | 'sell' | null,
  of: keyof Amounts<N> = 'money',
): N {
  if (side === null) return a.max(mostOpened(a, exposure, 'buy', of), mostOpened(a, exposure, 'sell', of))
  const most = of === 'money' ? mostMoney : mostAmount
  return a.max(most(a, exposure, side), exposure[side].entries[of])
}

export const samePrice = <N>(price: N): N => price

/** The loss in the worse of the moves; undefined where the starting price is unknown. */
export function worstLoss<N>(
  a: Arithmetic<N>,
  exposures: Exposures<N>,
  priced: Priced<N> = samePrice,
): N | undefined {
  let worst = a.zero
  const all = [...exposures.values()].filter(({ isEmpty }) => !isEmpty)
  const moves = all.map((exposure) => exposure.moves(priced))
  for (const index of moves[0]?.keys() ?? []) {
    let loss = a.zero
    for (const [place, { position, cost }] of all.entries()) {
      const move = moves[place]?.[index]
      if (move?.end === undefined) return undefined
      // A gain in one market does not offset the loss in others.
      const held = a.plus(a.minus(cost, a.times(position, move.end)), move.exits)
      loss = a.plus(loss, a.plus(a.max(a.zero, held), move.entries))
    }
    worst = a.max(worst, loss)
  }
  return worst
}
