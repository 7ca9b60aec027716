import { Decimal } from '#src/core/money/decimal.ts'
import { endOf, rangeIn } from '#src/strategy/expressions/range.ts'
import type { Strategy } from '#src/strategy/schema/strategy-schema.ts'
import type { OrderDraft } from '#src/engine/commands.ts'
import { priceOf } from '#src/engine/state/prices.ts'
import type { Order, State } from '#src/engine/state/state.ts'

/**
 * What a strategy may come to hold in one market: what it holds, and every order that may fill. Each sum below only grows
 * with another order, so that what holds for all of them holds for every part of them: whichever are accepted, and
 * whichever of those fill, in whatever order.
 */
export type MarketExposure = { position: Decimal; cost: Decimal; buys: Side; sells: Side; moves: Move[] }

/** `entries` is the part of it that opens rather than leaves. */
type Side = { amount: Decimal; money: Decimal; least: Decimal; entries: { amount: Decimal; money: Decimal } }

/** One move of the worst case. What is held and what leaves it may gain, and is not let gain for the others. */
type Move = { end: Decimal | undefined; isDown: boolean; held: Decimal; entries: Decimal }

export type Exposures = Map<string, MarketExposure>

const zero = new Decimal(0)

/** All that the strategy has at stake by now: at rest, on its way, or in doubt, each with all that may still fill. */
export function exposuresOf(state: State, strategy: Strategy, orders: readonly Order[]): Exposures {
  const stakes: Exposures = new Map()
  for (const [market, holding] of Object.entries(state.strategies[strategy.name]?.holdings ?? {})) {
    const stake = emptyExposure(state, strategy, market)
    stake.position = new Decimal(holding.position)
    stake.cost = new Decimal(holding.cost)
    for (const move of stake.moves) if (move.end) move.held = stake.cost.minus(stake.position.times(move.end))
    stakes.set(market, stake)
  }
  for (const order of orders) {
    const market = marketOf(strategy, order)
    const stake = stakes.get(market) ?? emptyExposure(state, strategy, market)
    stakes.set(market, withOrder(stake, order, openOf(order)))
  }
  return stakes
}

/** What of it may still fill, and what that costs or brings. */
export type Open = { filled: string; price: Decimal; amount: Decimal; money: Decimal }

/** Beside the orders, because reading their texts for each chunk anew takes longer than all of the sums. */
const openByOrder = new WeakMap<Order, Open>()

export function openOf(order: Order): Open {
  const known = openByOrder.get(order)
  if (known?.filled === order.filled) return known
  const open = openedBy(order, order.filled)
  openByOrder.set(order, open)
  return open
}

/** How much of it may still fill. */
export function leftOf(order: Order): Decimal {
  return openOf(order).amount
}

export function openedBy({ price: text, amount: whole }: OrderDraft, filled: string): Open {
  const price = new Decimal(text)
  const amount = Decimal.max(0, new Decimal(whole).minus(filled))
  return { filled, price, amount, money: price.times(amount) }
}

/** The market by its name in the file. An order of a ladder that has left the file counts where its kind is traded. */
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

export function emptyExposure(state: State, strategy: Strategy, market: string): MarketExposure {
  const side = { amount: zero, money: zero, least: zero, entries: { amount: zero, money: zero } }
  const price = priceOf(state, strategy, strategy.markets[market]?.symbol ?? market)?.price
  const range = rangeIn(strategy, market)
  const moves = strategy.risk.worst_case.move.map((move) => ({
    end: price && endOf(move, price, range),
    isDown: move.lt(0),
    held: zero,
    entries: zero,
  }))
  return { position: zero, cost: zero, buys: side, sells: side, moves }
}

/** With another order; the stake that was is left as it was. */
export function withOrder(
  stake: MarketExposure,
  order: OrderDraft,
  { price, amount, money }: Open,
): MarketExposure {
  const moves = stake.moves.map((move) => {
    const { end, isDown } = move
    const isReached = end && (isDown ? price.gte(end) : price.lte(end))
    if (!isReached || (order.side === 'buy') !== isDown) return move
    const loss = price.minus(end).abs().times(amount)
    return order.role === 'entry'
      ? { ...move, entries: move.entries.plus(loss) }
      : { ...move, held: move.held.plus(loss) }
  })
  const key = order.side === 'buy' ? 'buys' : 'sells'
  const side = stake[key]
  const more = {
    amount: side.amount.plus(amount),
    money: side.money.plus(money),
    least: side.amount.isZero() ? price : Decimal.min(side.least, price),
    entries:
      order.role === 'exit'
        ? side.entries
        : { amount: side.entries.amount.plus(amount), money: side.entries.money.plus(money) },
  }
  return { ...stake, moves, [key]: more }
}

/**
 * The most that could be long if any of its buys fill, or short for its sells, in money; below zero while the position
 * stays on the other side whatever fills.
 */
export function mostMoney({ position, cost, buys, sells }: MarketExposure, side: 'buy' | 'sell'): Decimal {
  return side === 'buy' ? most(position, cost, buys) : most(position.neg(), cost.neg(), sells)
}

/** Either way. */
export function mostEither(stake: MarketExposure): Decimal {
  return Decimal.max(mostMoney(stake, 'buy'), mostMoney(stake, 'sell'))
}

/** As seen from the side that the orders are on. What closes a position first costs at least the lowest price. */
function most(position: Decimal, cost: Decimal, orders: Side): Decimal {
  if (position.gte(0)) return cost.plus(orders.money)
  const against = position.neg()
  return orders.amount.lte(against)
    ? cost.times(against.minus(orders.amount)).div(against)
    : orders.money.minus(against.times(orders.least))
}

/** The most of the base currency that orders of this side could come to; the other side changes nothing about it. */
export function mostAmount({ position, buys, sells }: MarketExposure, side: 'buy' | 'sell'): Decimal {
  return side === 'buy' ? position.plus(buys.amount) : sells.amount.minus(position)
}

/**
 * What entries of a side could open, in money and in the base currency. What is held on the other side is no room for them:
 * exits that stand or will stand for it take it first, and then the entries open all that they are for.
 */
export function mostOpened(stake: MarketExposure, side: 'buy' | 'sell'): Decimal {
  const { entries } = side === 'buy' ? stake.buys : stake.sells
  return Decimal.max(mostMoney(stake, side), entries.money)
}

export function mostOpenedAmount(stake: MarketExposure, side: 'buy' | 'sell'): Decimal {
  const { entries } = side === 'buy' ? stake.buys : stake.sells
  return Decimal.max(mostAmount(stake, side), entries.amount)
}

/** What is lost in the worse of the moves; undefined where a price that it begins from is unknown. */
export function worstLoss(stakes: Exposures): Decimal | undefined {
  let worst = zero
  const all = [...stakes.values()].filter(
    ({ position, buys, sells }) => !position.isZero() || buys.amount.gt(0) || sells.amount.gt(0),
  )
  for (const index of all[0]?.moves.keys() ?? []) {
    let loss = zero
    for (const { moves } of all) {
      const move = moves[index]
      if (!move?.end) return undefined
      loss = loss.plus(Decimal.max(0, move.held)).plus(move.entries)
    }
    worst = Decimal.max(worst, loss)
  }
  return worst
}
