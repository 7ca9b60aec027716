import { cutTo, Decimal, raiseTo } from '#src/core/money/decimal.ts'
import type { MarketRules } from '#src/market/ladder/plan.ts'
import type { BotEvent } from '#src/core/log-events/vocabulary.ts'
import type { Context } from '#src/strategy/expressions/compile-expression.ts'
import { stopRests } from '#src/strategy/schema/exit-schema.ts'
import type { ExitLabel } from '#src/strategy/schema/exit-labels.ts'
import type { LadderFile } from '#src/strategy/schema/ladder-schema.ts'
import type { LadderPrograms } from '#src/strategy/expressions/programs.ts'
import type { Strategy } from '#src/strategy/schema/strategy-schema.ts'
import type { OrderDraft } from '#src/engine/commands.ts'
import { orderIdOf } from '#src/engine/orders/order-ids.ts'
import { noteChange, openOrdersOfLadder } from '#src/engine/state/open-orders.ts'
import { priceOf } from '#src/engine/state/prices.ts'
import { edgeAt, everyPrice, reached } from '#src/engine/state/validity.ts'
import { leftOf } from '#src/engine/risk/exposure.ts'
import type { LadderState, Order, State } from '#src/engine/state/state.ts'

/** What exits need to know of a strategy besides the state. */
export type ExitContext = {
  name: string
  strategy: Strategy
  ladders: readonly ExitLadder[]
  canCancel: boolean
  views: { now: Context }
}

export type ExitLadder = {
  name: string
  file: LadderFile
  programs: LadderPrograms
  symbol: string
  positionSide: 'LONG' | 'SHORT'
  /** Null where the venue does not list the market. */
  market: MarketRules | null
  /** Whether the price of `exit.at` depends on the best prices of a market. */
  exitReadsBook: boolean
}

export type Exits = {
  /** Orders that rest follow the best price with ticks only: each answer of the venue would move them, too. */
  isTick: boolean
  drafts: OrderDraft[]
  withdraw: string[]
  notes: BotEvent[]
}

export function noExits(isTick: boolean): Exits {
  return { isTick, drafts: [], withdraw: [], notes: [] }
}

/** A ladder whose exits are evaluated. */
export type ExitPlace = { state: State; scene: ExitContext; ladder: ExitLadder; own: LadderState }

/** A ladder with its market and its holding: prices get better in the direction of `sign`. */
export type LadderExit = ExitPlace & {
  market: MarketRules
  size: Decimal
  entry: Decimal
  sign: 1 | -1
  side: 'buy' | 'sell'
  touch: Decimal | undefined
}

/** The open order of a label. */
export function aliveOf(state: State, own: LadderState, label: ExitLabel): Order | undefined {
  return openOrdersOfLadder(state, own).get(label)
}

/** All open orders of a ladder. */
export function allAlive(state: State, own: LadderState): Order[] {
  const alive: Order[] = []
  for (const id of Object.values(own.open)) {
    const order = state.orders[id]
    if (order && order.status !== 'ended') alive.push(order)
  }
  return alive
}

/** Whether the order waits for its activation price: it ends with the position, and offers nothing before. */
export function isWaiting({ activation, filled }: Order): boolean {
  return activation !== undefined && filled === '0'
}

/** What open exits on this side may still sell or buy back. */
export function offeredBy(orders: readonly Order[], side: 'buy' | 'sell'): Decimal {
  return orders
    .filter((order) => order.role === 'exit' && order.side === side && !isWaiting(order))
    .reduce((sum, order) => sum.plus(leftOf(order)), new Decimal(0))
}

/** Everything is sold: fills of resting entries until now need no mirror; only later fills count. */
export function settleEntries(state: State, own: LadderState): void {
  for (const order of allAlive(state, own)) {
    if (order.role !== 'entry' || order.filled === '0') continue
    order.armed = order.filled
    order.isFormer = true
    noteChange(state, order)
  }
}

/** Cancels an exit, once. If the venue cannot cancel, the exit stays and counts. */
export function cancelExit({ state, scene }: ExitPlace, order: Order, exits: Exits): void {
  const canBeAsked = order.status === 'resting' && !order.withdrawing && reached(state, order.withdrawAfter)
  if (scene.canCancel && canBeAsked && !exits.withdraw.includes(order.id)) exits.withdraw.push(order.id)
}

/** `waits`: the price activates the order. `reduceOnly`: by default, as the stop of the ladder requires. */
type Basics = Pick<OrderDraft, 'side'> &
  Partial<Pick<OrderDraft, 'postOnly' | 'ioc' | 'rpi'>> & {
    price: Decimal
    amount: Decimal
    because: string
    waits?: true
    reduceOnly?: boolean
  }

/**
 * An order without a flag rests, and may take. Beside a stop at the venue, which can fill before the bot knows, each exit only
 * reduces: no second one may open the other side.
 */
export function exitDraft(place: ExitPlace, label: ExitLabel, basics: Basics): OrderDraft {
  const { state, ladder, own } = place
  const { name } = place.scene
  const { side, amount, because, postOnly = false, ioc = false, rpi = false, waits } = basics
  const { reduceOnly = stopRests(ladder.file) } = basics
  const generation = (own.generations[label] ?? 0) + 1
  const price = (waits ? basics.price : withinBand(place, basics)).toFixed()
  return {
    id: orderIdOf(state, { strategy: name, ladder: ladder.name, label }, generation),
    strategy: name,
    ladder: ladder.name,
    level: label,
    generation,
    role: 'exit',
    market: ladder.symbol,
    positionSide: ladder.positionSide,
    side,
    price,
    amount: amount.toFixed(),
    postOnly,
    ioc,
    rpi,
    ...(waits && { activation: price }),
    ...(reduceOnly && { reduceOnly: true }),
    because,
  }
}

/**
 * If the market has moved far in our favour, the exit asks for more, so that its price is within the price band; and no exit asks
 * for less than the band allows.
 */
export function withinBand(
  { state, scene: { strategy }, ladder }: ExitPlace,
  { side, price }: { side: 'buy' | 'sell'; price: Decimal },
): Decimal {
  const { price_band: band } = strategy.risk
  const now = band && priceOf(state, strategy, ladder.symbol)?.price
  if (!band || !now || !ladder.market) return price
  const sign = side === 'sell' ? 1 : -1
  const bound = onTick(ladder.market, side, now.minus(now.times(band).times(sign)))
  // A price outside the band moves with the market.
  if (sign === 1 ? bound.gte(price) : bound.lte(price)) everyPrice(ladder.symbol, now.toNumber())
  else edgeAt(ladder.symbol, now.toNumber(), Number(price) / (1 - sign * band.toNumber()))
  return side === 'sell' ? Decimal.max(price, bound) : Decimal.min(price, bound)
}

/** Whether the market accepts an order of this size. */
export function isEnough(market: MarketRules, amount: Decimal, price: Decimal): boolean {
  return amount.gt(0) && amount.gte(market.minAmount) && amount.times(price).gte(market.minTotal)
}

/** Rounds to the tick against the other side: a sale up, a purchase down. */
export function onTick({ priceDigits }: MarketRules, side: 'buy' | 'sell', price: Decimal): Decimal {
  return side === 'sell' ? raiseTo(priceDigits, price) : cutTo(priceDigits, price)
}
