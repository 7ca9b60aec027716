import { bounded, exact, widened, type Arithmetic } from '#src/core/money/bounded.ts'
import { endOf, rangeIn } from '#src/strategy/expressions/range.ts'
import type { Strategy } from '#src/strategy/schema/strategy-schema.ts'
import { changesAfter, openOrdersOfStrategy } from '#src/engine/state/open-orders.ts'
import { priceIn } from '#src/engine/state/prices.ts'
import type { Order, State } from '#src/engine/state/state.ts'
import {
  changedBy,
  lossChangedBy,
  marketOf,
  openPart,
  type Exposures,
  type MarketExposure,
  type MoveExposure,
  type OpenPart,
  type SideExposure,
} from './exposure.ts'

/**
 * The exposure of a strategy in one arithmetic. The sums are kept, and only orders that began, filled or ended since the last
 * read change them; in doubles the error grows with each change and is reset when no order is open.
 */
class KeptExposure<N> {
  readonly #a: Arithmetic<N>
  readonly #strategy: Strategy
  readonly #parts = new Map<Order, OpenPart<N> & { market: string; filled: string }>()
  /** How many changes of orders the sums include. */
  #changes = 0
  readonly #markets = new Map<string, { parts: Set<OpenPart<N>>; sums: MarketExposure<N> }>()

  readonly #priced: (price: N) => N

  constructor(a: Arithmetic<N>, strategy: Strategy, priced: (price: N) => N) {
    this.#a = a
    this.#strategy = strategy
    this.#priced = priced
  }

  /** With all orders that may fill, current positions and prices. */
  read(state: State): Exposures<N> {
    this.#readOrders(state)
    const found = new Map<string, MarketExposure<N>>()
    const holdings = state.strategies[this.#strategy.name]?.holdings ?? {}
    for (const market of new Set([...Object.keys(holdings), ...this.#markets.keys()]))
      found.set(market, this.in(state, market))
    return found
  }

  /** In one market, which may have neither a position nor an order. */
  in(state: State, market: string): MarketExposure<N> {
    const a = this.#a
    const kept = this.#markets.get(market)
    const { position = '0', cost = '0' } = state.strategies[this.#strategy.name]?.holdings[market] ?? {}
    const sums = kept?.sums ?? this.#empty(market)
    const now = {
      ...sums,
      position: a.text(position),
      cost: a.text(cost),
      isEmpty: Number(position) === 0 && kept === undefined,
      moves: this.#movesIn(state, market, sums.moves),
    }
    if (kept) kept.sums = now
    return now
  }

  #readOrders(state: State): void {
    const { changed, count } = changesAfter(state, this.#changes)
    this.#changes = count
    const { name } = this.#strategy
    for (const order of changed ?? openOrdersOfStrategy(state, name))
      if (order.strategy === name) this.#readOrder(order)
    if (changed) return
    for (const order of this.#parts.keys()) this.#readOrder(order)
  }

  #readOrder(order: Order): void {
    const known = this.#parts.get(order)
    const isOpen = order.status !== 'ended'
    if (isOpen && known?.filled === order.filled) return
    if (known) this.#remove(order, known)
    if (isOpen) this.#add(order)
  }

  #add(order: Order): void {
    const market = marketOf(this.#strategy, order)
    const part = { ...openPart(this.#a, order, order.filled), market, filled: order.filled }
    this.#parts.set(order, part)
    const { parts, sums } = this.#markets.get(market) ?? { parts: new Set(), sums: this.#empty(market) }
    this.#markets.set(market, {
      parts: parts.add(part),
      sums: changedBy(this.#a.plus, this.#a, sums, part),
    })
  }

  #remove(order: Order, part: OpenPart<N> & { market: string }): void {
    this.#parts.delete(order)
    const kept = this.#markets.get(part.market)
    if (!kept) return
    kept.parts.delete(part)
    kept.sums = changedBy(this.#a.minus, this.#a, kept.sums, part)
    if (kept.parts.size === 0) this.#markets.delete(part.market)
  }

  #empty(market: string): MarketExposure<N> {
    const { zero } = this.#a
    const sideOf = (side: 'buy' | 'sell'): SideExposure<N> => ({
      amount: zero,
      money: zero,
      entries: { amount: zero, money: zero },
      least: () => this.#least(market, side),
    })
    return { position: zero, cost: zero, isEmpty: true, buy: sideOf('buy'), sell: sideOf('sell'), moves: [] }
  }

  #least(market: string, side: 'buy' | 'sell'): N | undefined {
    let least: N | undefined
    for (const part of this.#markets.get(market)?.parts ?? [])
      if (part.side === side) least = least === undefined ? part.price : this.#a.min(least, part.price)
    return least
  }

  /** The sum of a move with another end is computed again. */
  #movesIn(state: State, market: string, before: readonly MoveExposure<N>[]): readonly MoveExposure<N>[] {
    const a = this.#a
    const price = priceIn(a, state, this.#strategy, this.#strategy.markets[market]?.symbol ?? market)
    const range = rangeIn(this.#strategy, market)
    return this.#strategy.risk.worst_case.move.map((move, index) => {
      const end = price === undefined ? undefined : endOf(a, move, this.#priced(price), range)
      const kept = before[index]
      if (kept && isSame(a, kept.end, end)) return kept
      let now: MoveExposure<N> = { end, isDown: move.lt(0), entries: a.zero, exits: a.zero }
      for (const part of this.#markets.get(market)?.parts ?? []) now = lossChangedBy(a.plus, a, now, part)
      return now
    })
  }
}

function isSame<N>(a: Arithmetic<N>, one: N | undefined, other: N | undefined): boolean {
  return one === undefined || other === undefined ? one === other : a.isSame(one, other)
}

/** The kept exposures of all strategies in one arithmetic: a cache beside the state, from which all of them follow. */
export class KeptExposures<N> {
  readonly a: Arithmetic<N>
  readonly #byOrders = new WeakMap<State['orders'], WeakMap<Strategy, KeptExposure<N>>>()

  /** The value of a price: itself, or a range around it. */
  readonly #priced: (price: N) => N

  constructor(a: Arithmetic<N>, priced: (price: N) => N = (price) => price) {
    this.a = a
    this.#priced = priced
  }

  of({ orders }: State, strategy: Strategy): KeptExposure<N> {
    let byStrategy = this.#byOrders.get(orders)
    if (!byStrategy) this.#byOrders.set(orders, (byStrategy = new WeakMap()))
    let kept = byStrategy.get(strategy)
    if (!kept) byStrategy.set(strategy, (kept = new KeptExposure(this.a, strategy, this.#priced)))
    return kept
  }
}

export const keptNear = new KeptExposures(bounded)
export const keptExact = new KeptExposures(exact)
/** With all prices up to these shares away, the widest first: a certain answer there does not depend on the price. */
export const priceShares = [0.004, 0.0005]
export const keptAround = priceShares.map(
  (share) => new KeptExposures(bounded, (price) => widened(price, share)),
)
