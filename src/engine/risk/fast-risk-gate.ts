import { atomDigits } from '#src/core/money/atoms.ts'
import type { Decimal } from '#src/core/money/decimal.ts'
import { nearestNumber } from '#src/core/money/units.ts'
import { rangeIn, type Range } from '#src/strategy/expressions/range.ts'
import type { Strategy } from '#src/strategy/schema/strategy-schema.ts'
import type { OrderDraft } from '#src/engine/commands.ts'
import { nearPriceOf } from '#src/engine/state/prices.ts'
import { below, ladderBlock, relativeTolerance, surelyTaken } from './order-checks.ts'
import { marketOf } from './exposure.ts'
import type { Order, State } from '#src/engine/state/state.ts'

const weekMs = 604_800_000

/** What a market could come to, never less than the gate would count. */
type Bound = {
  price: { value: number; isFresh: boolean } | undefined
  long: number
  short: number
  bought: number
  sold: number
  /** Where each move of the worst case ends, and what is lost there. */
  ends: number[]
  losses: number[]
  isAtStake: boolean
}

/**
 * Whether all of these entries together are so far from every limit that doubles prove it. Every sum only grows with
 * another order, so then each of them passes, alone or behind the others. False says nothing: then the gate counts.
 */
export function allSurelyPass(
  state: State,
  strategy: Strategy,
  alive: readonly Order[],
  drafts: readonly OrderDraft[],
): boolean {
  if (drafts.some(({ role }) => role !== 'entry')) return false
  if (alive.some(({ status }) => status === 'doubtful')) return false
  const ladders = new Map<string, OrderDraft>()
  const weighed: Weighed[] = []
  for (const draft of drafts) {
    const first = ladders.get(draft.ladder)
    if (!first) {
      if (ladderBlock(state, strategy, draft)) return false
      ladders.set(draft.ladder, draft)
    } else if (first.market !== draft.market || first.positionSide !== draft.positionSide) return false
    const numbers = state.orders[draft.id] ? undefined : surelyTaken(state.venue.markets[draft.market], draft)
    if (!numbers) return false
    weighed.push({ draft, ...numbers })
  }
  return countsFit(state, strategy, alive, drafts.length) && moneyFits(state, strategy, alive, weighed)
}

type Weighed = { draft: OrderDraft; price: number; amount: number }

function countsFit(state: State, { name, risk }: Strategy, alive: readonly Order[], more: number): boolean {
  const { max_open_orders: most, order_rate: rate } = risk
  if (alive.length + more > most) return false
  if (!rate) return true
  let sent = more
  for (const { at, orders } of state.strategies[name]?.sends ?? [])
    if (at > state.at - rate.per) sent += orders
  return sent <= rate.orders
}

function moneyFits(
  state: State,
  strategy: Strategy,
  alive: readonly Order[],
  weighed: readonly Weighed[],
): boolean {
  const own = state.strategies[strategy.name]
  const { moves, band, perWeek } = limitsOf(strategy)
  const bounds = new Map<string, Bound>()
  for (const [market, { position, cost }] of Object.entries(own?.holdings ?? {}))
    hold(boundIn(bounds, state, strategy, market, moves), Number(position), Number(cost), moves)
  let entered = 0
  for (const { at, money } of own?.spent ?? []) if (at > state.at - weekMs) entered += Number(money)
  let [before, bound]: [Order?, Bound?] = []
  for (const order of alive) {
    const [price, amount] = [doubleOf(order.price), doubleOf(order.amount)]
    const left =
      Math.max(0, amount - (order.filled === '0' ? 0 : Number(order.filled))) + amount * relativeTolerance
    // Mostly it is of the same ladder as the one before it.
    if (!bound || !before || !isAlike(order, before))
      bound = boundIn(bounds, state, strategy, marketOf(strategy, order), moves)
    before = order
    const money = add(bound, order.side, price, left, moves)
    if (order.role === 'entry') entered += money
  }
  for (const { draft, price, amount } of weighed) {
    const bound = boundIn(bounds, state, strategy, marketOf(strategy, draft), moves)
    if (!bound.price?.isFresh) return false
    if (band < Infinity && !below(Math.abs(price - bound.price.value), band * bound.price.value)) return false
    entered += add(bound, draft.side, price, amount, moves)
  }
  return below(entered, perWeek) && lossFits(strategy, own?.worth, bounds) && limitsFit(strategy, bounds)
}

function isAlike(one: Order, other: Order): boolean {
  return one.ladder === other.ladder && one.market === other.market && one.positionSide === other.positionSide
}

/** A number that is read digit by digit costs less than finding it beside its order; few have more digits than that takes. */
function doubleOf(text: string): number {
  const near = nearestNumber(text, atomDigits)
  return Number.isNaN(near) ? Number(text) : near
}

function boundIn(
  bounds: Map<string, Bound>,
  state: State,
  strategy: Strategy,
  market: string,
  moves: readonly number[],
): Bound {
  const known = bounds.get(market)
  if (known) return known
  const price = nearPriceOf(state, strategy, strategy.markets[market]?.symbol ?? market)
  const losses = moves.map(() => 0)
  const range = rangeIn(strategy, market)
  const ends = moves.map((move) => roughEnd(move, price?.value ?? 0, range))
  const bound = { price, long: 0, short: 0, bought: 0, sold: 0, ends, losses, isAtStake: false }
  bounds.set(market, bound)
  return bound
}

/** As `endOf` of the strategy's range, in doubles. */
function roughEnd(move: number, price: number, range: Range | undefined): number {
  const start = !range
    ? price
    : move < 0
      ? Math.min(range.from.toNumber(), price)
      : Math.max(range.to.toNumber(), price)
  return start * (1 + move)
}

type Limits = {
  moves: readonly number[]
  notional: ReadonlyMap<string, number>
  position: ReadonlyMap<string, number>
  band: number
  perWeek: number
  maxLoss: number
  dailyLoss: number
}
const limited = new WeakMap<Strategy, Limits>()

/** Of a file, which does not change while it is one; what it does not limit is infinite. */
function limitsOf(strategy: Strategy): Limits {
  let limits = limited.get(strategy)
  if (!limits) {
    const { risk } = strategy
    limits = {
      moves: risk.worst_case.move.map((move) => move.toNumber()),
      notional: numbersIn(risk.max_notional),
      position: numbersIn(risk.max_position ?? {}),
      band: risk.price_band?.toNumber() ?? Infinity,
      perWeek: risk.per_week?.toNumber() ?? Infinity,
      maxLoss: risk.worst_case.max_loss.toNumber(),
      dailyLoss: risk.daily_loss?.toNumber() ?? Infinity,
    }
    limited.set(strategy, limits)
  }
  return limits
}

function numbersIn(limits: Readonly<Record<string, Decimal>>): Map<string, number> {
  return new Map(Object.entries(limits).map(([name, limit]) => [name, limit.toNumber()]))
}

/** What is held may only make things worse here; the gate itself lets it set off more. */
function hold(bound: Bound, position: number, cost: number, moves: readonly number[]): void {
  bound.long += Math.max(0, cost)
  bound.short += Math.max(0, -cost)
  bound.bought += Math.max(0, position)
  bound.sold += Math.max(0, -position)
  if (position === 0 && cost === 0) return
  bound.isAtStake = true
  for (let index = 0; index < moves.length; index++) {
    const worth = position * bound.ends[index]!
    bound.losses[index]! += Math.max(0, cost - worth) + relativeTolerance * (Math.abs(cost) + Math.abs(worth))
  }
}

/** Gives the money that the order may come to. */
function add(
  bound: Bound,
  side: 'buy' | 'sell',
  price: number,
  amount: number,
  moves: readonly number[],
): number {
  const money = price * amount
  bound.isAtStake = true
  if (side === 'buy') {
    bound.long += money
    bound.bought += amount
  } else {
    bound.short += money
    bound.sold += amount
  }
  for (let index = 0; index < moves.length; index++) {
    const move = moves[index]!
    const run = price - bound.ends[index]!
    const lost = side === 'buy' ? (move < 0 ? run : 0) : move < 0 ? 0 : -run
    bound.losses[index]! += Math.max(0, lost) * amount + relativeTolerance * money
  }
  return money
}

function limitsFit(strategy: Strategy, bounds: ReadonlyMap<string, Bound>): boolean {
  const { notional, position } = limitsOf(strategy)
  let [long, short, total] = [0, 0, 0]
  for (const [market, bound] of bounds) {
    const most = Math.max(bound.long, bound.short)
    long += bound.long
    short += bound.short
    total += most
    if (!below(most, notional.get(market) ?? Infinity)) return false
    if (!below(Math.max(bound.bought, bound.sold), position.get(market) ?? Infinity)) return false
  }
  return (
    below(total, notional.get('total') ?? Infinity) &&
    below(Math.max(long, short), notional.get('net') ?? Infinity)
  )
}

function lossFits(
  strategy: Strategy,
  worth: { dayBegan: string; result: string } | undefined,
  bounds: ReadonlyMap<string, Bound>,
): boolean {
  const { moves, maxLoss, dailyLoss } = limitsOf(strategy)
  for (let index = 0; index < moves.length; index++) {
    let loss = 0
    for (const { isAtStake, price, losses } of bounds.values()) {
      if (isAtStake && !price) return false
      loss += losses[index] ?? 0
    }
    if (!below(loss, maxLoss)) return false
  }
  if (!worth) return true
  const [began, result] = [Number(worth.dayBegan), Number(worth.result)]
  return below(began - result + relativeTolerance * (Math.abs(began) + Math.abs(result)), dailyLoss)
}
