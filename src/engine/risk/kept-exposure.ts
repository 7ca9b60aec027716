import { bounded, exact, type Arithmetic } from '#src/core/money/bounded.ts'
import { endOf, rangeIn } from '#src/strategy/expressions/range.ts'
import type { Strategy } from '#src/strategy/schema/strategy-schema.ts'
import { changesAfter, openOrdersOfStrategy } from '#src/engine/state/open-orders.ts'
import { priceIn } from '#src/engine/state/prices.ts'
import type { Order, State } from '#src/engine/state/state.ts'
import {
  changedBy,
  marketOf,
  openPart,
  withLoss,
  type Exposures,
  type MarketExposure,
  type MoveExposure,
  type OpenPart,
  type Priced,
  type SideExposure,
} from './exposure.ts'

type Side = 'buy' | 'sell'
/** The open orders of a market, their sums, and the lowest and highest price of each side, once it was needed. */
type KeptMarket<N> = {
  parts: Set<OpenPart<N>>
  sums: MarketExposure<N>
  extremes: Record<Side, { min?: N; max?: N }>
}

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
  readonly #markets = new Map<string, KeptMarket<N>>()

  constructor(a: Arithmetic<N>, strategy: Strategy) {
    this.#a = a
    this.#strategy = strategy
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
    const { buy, sell } = sums
    return {
      position: a.text(position),
      cost: a.text(cost),
      isEmpty: Number(position) === 0 && kept === undefined,
      buy,
      sell,
      moves: (priced) => this.#movesIn(state, market, sums, priced),
    }
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
    // A conditional order only reduces, and is no way to another loss.
    if (order.activation !== undefined) return
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
    const extremes = { buy: {}, sell: {} }
    const kept = this.#markets.get(market) ?? { parts: new Set(), sums: this.#empty(market), extremes }
    this.#markets.set(market, kept)
    kept.parts.add(part)
    kept.sums = changedBy(this.#a.plus, kept.sums, part)
    this.#dropExtremes(kept, part)
  }

  #remove(order: Order, part: OpenPart<N> & { market: string }): void {
    this.#parts.delete(order)
    const kept = this.#markets.get(part.market)
    if (!kept) return
    kept.parts.delete(part)
    kept.sums = changedBy(this.#a.minus, kept.sums, part)
    this.#dropExtremes(kept, part)
    if (kept.parts.size === 0) this.#markets.delete(part.market)
  }

  /** Only an order at an extreme price, or beyond it, may change it. */
  #dropExtremes({ extremes }: KeptMarket<N>, { side, price }: OpenPart<N>): void {
    const { min, max } = extremes[side]
    if (min !== undefined && this.#a.isAtMost(price, min) !== false) delete extremes[side].min
    if (max !== undefined && this.#a.isAtMost(max, price) !== false) delete extremes[side].max
  }

  #empty(market: string): MarketExposure<N> {
    const { zero } = this.#a
    const sideOf = (side: Side): SideExposure<N> => ({
      amount: zero,
      money: zero,
      entries: { amount: zero, money: zero },
      least: () => this.#extreme(market, side, 'min'),
    })
    return {
      position: zero,
      cost: zero,
      isEmpty: true,
      buy: sideOf('buy'),
      sell: sideOf('sell'),
      moves: noMoves,
    }
  }

  /** The lowest or the highest price of the orders of a side. */
  #extreme(market: string, side: Side, of: 'min' | 'max'): N | undefined {
    const kept = this.#markets.get(market)
    if (!kept) return undefined
    let found = kept.extremes[side][of]
    if (found !== undefined) return found
    for (const part of kept.parts)
      if (part.side === side) found = found === undefined ? part.price : this.#a[of](found, part.price)
    if (found !== undefined) kept.extremes[side][of] = found
    return found
  }

  #movesIn(
    state: State,
    market: string,
    sums: MarketExposure<N>,
    priced: Priced<N>,
  ): readonly MoveExposure<N>[] {
    const a = this.#a
    const price = priceIn(a, state, this.#strategy, this.#strategy.markets[market]?.symbol ?? market)
    const range = rangeIn(this.#strategy, market)
    return this.#strategy.risk.worst_case.move.map((move) => {
      const end = price === undefined ? undefined : endOf(a, move, priced(price), range)
      const isDown = move.lt(0)
      const before: MoveExposure<N> = { end, isDown, entries: a.zero, exits: a.zero }
      const side = isDown ? 'buy' : 'sell'
      const far = this.#extreme(market, side, isDown ? 'min' : 'max')
      if (far === undefined) return before
      const { entries, amount, money } = sums[side]
      const exits = { amount: a.minus(amount, entries.amount), money: a.minus(money, entries.money) }
      const groupOf = (isEntry: boolean) => {
        const parts = this.#partsOf(market, side, isEntry)
        return { ...(isEntry ? entries : exits), side, isEntry, far, parts } as const
      }
      return withLoss(a, withLoss(a, before, groupOf(true)), groupOf(false))
    })
  }

  *#partsOf(market: string, side: Side, isEntry: boolean): Generator<OpenPart<N>> {
    for (const part of this.#markets.get(market)?.parts ?? [])
      if (part.side === side && part.isEntry === isEntry) yield part
  }
}

const noMoves = (): readonly never[] => []

type Kept<N> = WeakMap<State['orders'], WeakMap<Strategy, KeptExposure<N>>>

/** The kept exposures of all strategies in one arithmetic: a cache beside the state, from which all of them follow. */
export class KeptExposures<N> {
  readonly a: Arithmetic<N>
  readonly #byOrders: Kept<N> = new WeakMap()

  constructor(a: Arithmetic<N>) {
    this.a = a
  }

  read(state: State, strategy: Strategy): Exposures<N> {
    return this.#of(state, strategy).read(state)
  }

  in(state: State, strategy: Strategy, market: string): MarketExposure<N> {
    return this.#of(state, strategy).in(state, market)
  }

  #of({ orders }: State, strategy: Strategy): KeptExposure<N> {
    let byStrategy = this.#byOrders.get(orders)
    if (!byStrategy) this.#byOrders.set(orders, (byStrategy = new WeakMap()))
    let kept = byStrategy.get(strategy)
    if (!kept) byStrategy.set(strategy, (kept = new KeptExposure(this.a, strategy)))
    return kept
  }
}

export const keptNear = new KeptExposures(bounded)
export const keptExact = new KeptExposures(exact)
