import type { Atoms } from '#src/money/atoms.ts'
import { best, crosses, emptyBook, matchable, removeBest, rest } from './book.ts'
import type { Market } from './market.ts'
import { closable, freeCollateral, heldOf, marginFor, settle } from './positions.ts'
import type { Account, Book, Order, Resting, State } from './state.ts'
import { free, use } from './used-ids.ts'
import type { World } from './world.ts'

/** An order whose form is right: in ticks and lots, not yet looked at by the book or the balance. */
export type Draft = Pick<
  Order,
  'clientId' | 'side' | 'positionSide' | 'ticks' | 'lots' | 'postOnly' | 'ioc' | 'rpi'
> & { total: Atoms }

export type Placed = { order: Order; status: 'OPEN' | 'PARTIALLY_FILLED' | 'FILLED' | 'CANCELED' }
export type NotPlaced = 'would-take' | 'no-balance'
export type Floor = { state: State; switches: World['switches'] }

/** Each account numbers its orders by itself, so that ids tell nothing about what others do. */
const ordersPerAccount = 1_000_000_000_000

/** One order through the book: matched by price, then time; what is left rests, or ends if it may not. */
export function place(
  floor: Floor,
  market: Market,
  account: Account,
  draft: Draft,
  now: number,
): Placed | NotPlaced {
  const { state, switches } = floor
  const book = bookOf(state, market)
  const makerOnly = draft.postOnly || draft.rpi
  const taking = crosses(book, draft.side, draft.ticks)
  if (makerOnly && taking && switches.postOnlyCross === 'refused') return 'would-take'
  const own = restingOf(account, market)[draft.side]
  const unclaimed = closable(account.collateral.positions.get(market.name), draft.side) - own.lots
  const order: Order = {
    clientId: draft.clientId,
    side: draft.side,
    positionSide: draft.positionSide,
    ticks: draft.ticks,
    lots: draft.lots,
    postOnly: draft.postOnly,
    ioc: draft.ioc,
    rpi: draft.rpi,
    id: account.number * ordersPerAccount + account.nextOrder,
    account,
    market: market.name,
    left: draft.lots,
    money: 0n,
    fee: 0n,
    at: now,
    closing: Math.min(draft.lots, Math.max(0, unclaimed)),
    reserved: 0n,
    end: undefined,
  }
  const money = taking && !makerOnly ? worstMoney(book, market, order, draft.total) : draft.total
  const { opening, closing } = needOf(market, order, money)
  const fee = market.highestFee(money)
  // What closing frees pays its fee, and an order that needs nothing is never refused: one can always get out.
  const need = opening + above(closing + fee)
  if (need > 0n && need > freeCollateral(state.ledger, account, market.rules.money)) return 'no-balance'

  account.nextOrder += 1
  if (order.clientId !== '') use(account.usedIds, order.clientId)
  if (makerOnly && taking) return finish(floor, order, 'CANCELED', now)
  if (taking) match(floor, market, book, order, now)
  if (order.left === 0) return finish(floor, order, 'FILLED', now)
  if (order.ioc) return finish(floor, order, 'CANCELED', now)
  rest(book, order)
  own.orders.push(order)
  own.lots += order.left
  own.closing += order.closing
  if (!taking) {
    hold(market, order, opening + above(closing))
    return { order, status: 'OPEN' }
  }
  share(account, market)
  reserve(market, order)
  return { order, status: 'PARTIALLY_FILLED' }
}

function match(floor: Floor, market: Market, book: Book, taker: Order, now: number): void {
  const touched = new Set([taker.account])
  while (taker.left > 0 && crosses(book, taker.side, taker.ticks)) {
    const maker = best(book, taker.side === 'buy' ? 'sell' : 'buy')
    if (maker === undefined) break
    trade(floor, market, book, maker, taker, now)
    touched.add(maker.account)
  }
  taker.closing = Math.min(taker.closing, taker.left)
  for (const account of touched) share(account, market)
}

/** The best resting order and the one that came meet at the price of the former. */
function trade(floor: Floor, market: Market, book: Book, maker: Order, taker: Order, now: number): void {
  const lots = Math.min(maker.left, taker.left)
  const money = market.money(lots, maker.ticks)
  const own = restingOf(maker.account, market)[maker.side]
  own.lots -= lots
  fill(floor.state, market, maker, { lots, money, ticks: maker.ticks, fee: market.fee(money, 'maker') })
  fill(floor.state, market, taker, { lots, money, ticks: maker.ticks, fee: market.fee(money, 'taker') })
  if (maker.left === 0) {
    removeBest(book, maker.side)
    finish(floor, maker, 'FILLED', now)
    forget(own)
  }
  maker.closing = Math.min(maker.closing, maker.left)
  reserve(market, maker)
}

function fill(
  state: State,
  market: Market,
  order: Order,
  part: { lots: number; money: Atoms; ticks: number; fee: Atoms },
): void {
  settle(state.ledger, market, order.account, { side: order.side, ...part })
  order.left -= part.lots
  order.money += part.money
  order.fee += part.fee
}

/** Deals the account's position out to the resting orders that would close it, the oldest first. */
function share(account: Account, market: Market): void {
  const position = account.collateral.positions.get(market.name)
  const resting = restingOf(account, market)
  for (const side of ['buy', 'sell'] as const) {
    const own = resting[side]
    let unclaimed = closable(position, side)
    if (unclaimed === 0 && own.closing === 0) continue
    own.closing = 0
    for (const order of own.orders) {
      if (order.end) continue
      const closing = Math.min(order.left, unclaimed)
      unclaimed -= closing
      own.closing += closing
      if (closing === 0 && order.closing === 0) continue
      order.closing = closing
      reserve(market, order)
    }
  }
}

/** Sets what a resting order holds to the margin that its remainder needs. */
function reserve(market: Market, order: Order): void {
  const { opening, closing } = needOf(market, order, market.money(order.left, order.ticks))
  hold(market, order, order.left === 0 ? 0n : opening + above(closing))
}

function hold(market: Market, order: Order, reserved: Atoms): void {
  heldOf(order.account, market.rules.money).reserved += reserved - order.reserved
  order.reserved = reserved
}

/** A sell may meet better prices than its own, which ask for more margin and fee than the limit does. */
function worstMoney(book: Book, market: Market, order: Order, total: Atoms): Atoms {
  if (order.side === 'buy') return total
  let left = order.left
  let money = 0n
  for (const maker of matchable(book, order.side, order.ticks)) {
    const lots = Math.min(left, maker.left)
    money += market.money(lots, maker.ticks)
    left -= lots
    if (left === 0) break
  }
  return money + market.money(left, order.ticks)
}

/** Margin for what the order opens; for what it closes, the loss less the margin that it frees: often below zero. */
function needOf(market: Market, order: Order, money: Atoms): { opening: Atoms; closing: Atoms } {
  const { leverage, positions } = order.account.collateral
  const position = order.closing === 0 ? undefined : positions.get(market.name)
  if (position === undefined) return { opening: marginFor(money, leverage), closing: 0n }
  const closingMoney = market.money(order.closing, order.ticks)
  const cost = (position.cost * BigInt(order.closing)) / BigInt(Math.abs(position.lots))
  const loss = order.side === 'sell' ? cost - closingMoney : closingMoney - cost
  return { opening: marginFor(money - closingMoney, leverage), closing: loss - cost / BigInt(leverage) }
}

function above(amount: Atoms): Atoms {
  return amount > 0n ? amount : 0n
}

function finish(floor: Floor, order: Order, status: 'FILLED' | 'CANCELED', now: number): Placed {
  order.end = { at: now, status }
  order.account.finished.push(order)
  if (floor.switches.clientIds === 'live') free(order.account.usedIds, order.clientId)
  return { order, status }
}

function bookOf(state: State, market: Market): Book {
  const found = state.books.get(market.name)
  if (found) return found
  const book = emptyBook()
  state.books.set(market.name, book)
  return book
}

function restingOf(account: Account, market: Market): { buy: Resting; sell: Resting } {
  const found = account.collateral.resting.get(market.name)
  if (found) return found
  const none = { buy: noneResting(), sell: noneResting() }
  account.collateral.resting.set(market.name, none)
  return none
}

function noneResting(): Resting {
  return { orders: [], ended: 0, lots: 0, closing: 0 }
}

/** One more of them has ended. Cutting them out one by one would cost a walk each. */
function forget(own: Resting): void {
  own.ended += 1
  if (own.ended * 2 <= own.orders.length) return
  own.orders = own.orders.filter((order) => order.end === undefined)
  own.ended = 0
}
