import { newOrderRow } from './order-intake.ts'
import { removeFromQueue, addToQueue } from '#src/exchange/trading/book/book.ts'
import { exposureOfOrder } from '#src/exchange/trading/positions/exposure.ts'
import { bookOf, marketOf, ownerOf, type Trading } from '#src/exchange/trading/trading-context.ts'
import { endEntry, forgetEnded } from './attached-exits.ts'
import { recordFinished } from './order-history.ts'
import {
  flag,
  freeRow,
  has,
  statuses,
  type ExchangeOrderStatus,
} from '#src/exchange/trading/book/order-columns.ts'
import { holdSpot, spotHold } from '#src/exchange/trading/positions/fill-settlement.ts'
import type { Trigger } from '#src/exchange/trading/records.ts'
import { free } from './used-client-ids.ts'

/**
 * The life of an order between its intake and its end: its place among the orders of its account, and what it reserves.
 */

/** Adds the remainder of the order to the book. */
export function restInBook(trading: Trading, row: number): void {
  const { orders } = trading.state
  const account = ownerOf(trading, row)
  addToQueue(bookOf(trading, marketOf(trading, row)), orders, row)
  orders.older[row] = account.newest
  orders.newer[row] = 0
  if (account.newest === 0) account.oldest = row
  else orders.newer[account.newest] = row
  account.newest = row
  account.resting += 1
  count(trading, row, 1)
  reserve(trading, row, orders.left[row] ?? 0)
}

/** Cancels a resting order: removes it from the book, releases its reserve and ends it. */
export function cancelResting(trading: Trading, row: number, status: ExchangeOrderStatus, now: number): void {
  removeFromQueue(bookOf(trading, marketOf(trading, row)), trading.state.orders, row)
  endRemoved(trading, row, status, now)
}

/** The same for an order that has already left the book. */
export function endRemoved(trading: Trading, row: number, status: ExchangeOrderStatus, now: number): void {
  reserve(trading, row, -(trading.state.orders.left[row] ?? 0))
  unlink(trading, row)
  endOrder(trading, row, status, now)
}

/**
 * Reserves for more lots of this resting order (negative: releases). A reduce-only order only frees margin, so it
 * reserves nothing.
 */
export function reserve(trading: Trading, row: number, lots: number): void {
  const { orders } = trading.state
  const account = ownerOf(trading, row)
  const ticks = orders.ticks[row] ?? 0
  const sells = orders.sells[row] === 1
  if (account.house) return
  if (has(orders, row, flag.spot)) {
    const market = marketOf(trading, row)
    const held = spotHold(market, sells, Math.abs(lots), ticks)
    holdSpot(account, sells ? market.rules.base : market.rules.money, lots < 0 ? -held : held)
    return
  }
  if (has(orders, row, flag.reduceOnly)) return
  const exposure = exposureOfOrder(trading, row)
  const side = sells ? exposure.sells : exposure.buys
  side.lots += lots
  side.quanta += lots * ticks
}

/** Removes the order from its account's list of resting orders. */
export function unlink(trading: Trading, row: number): void {
  const { orders } = trading.state
  const account = ownerOf(trading, row)
  account.resting -= 1
  count(trading, row, -1)
  const older = orders.older[row] ?? 0
  const newer = orders.newer[row] ?? 0
  if (older === 0) account.oldest = newer
  else orders.newer[older] = newer
  if (newer === 0) account.newest = older
  else orders.older[newer] = older
}

function count(trading: Trading, row: number, by: 1 | -1): void {
  if (has(trading.state.orders, row, flag.reduceOnly)) exposureOfOrder(trading, row).reducing += by
}

/** Cancels the waiting order linked to an order that has traded or ended. */
export function cancelLinked(trading: Trading, id: number, now: number): void {
  for (const trigger of trading.state.triggers.filter(({ other }) => other === id))
    cancelWaiting(trading, trigger, now)
}

/** Cancels a waiting order; the history shows it as canceled. */
export function cancelWaiting(trading: Trading, trigger: Trigger, now: number): void {
  const { market, trader } = takeWaiting(trading, trigger)
  endOrder(trading, newOrderRow(trading, market, trader, trigger.draft, trigger.at), 'CANCELED', now)
}

/** Removes an order from those that wait. */
export function takeWaiting({ state, markets, accounts }: Trading, trigger: Trigger) {
  state.triggers = state.triggers.filter((other) => other !== trigger)
  if (trigger.oto !== undefined) forgetEnded(state, trigger.oto)
  const [market, trader] = [markets[trigger.market], accounts[trigger.account - 1]]
  if (market && trader) return { market, trader }
  throw new RangeError(`waiting order ${trigger.id} is in no market or belongs to no account`)
}

/** Ends the order. Its row is freed after its end was reported. */
export function endOrder(trading: Trading, row: number, status: ExchangeOrderStatus, now: number): void {
  const { orders } = trading.state
  const account = ownerOf(trading, row)
  orders.status[row] = statuses.indexOf(status)
  orders.changedAt[row] = now
  if (!account.house) recordFinished(account.finished, orders, row)
  if (trading.switches.clientIds === 'live') free(account.usedIds, orders.clientId[row] ?? '')
  if (has(orders, row, flag.linked)) cancelLinked(trading, orders.id[row] ?? 0, now)
  if (has(orders, row, flag.attached)) endEntry(trading.state, orders.id[row] ?? 0)
  trading.listener?.order(account, row, 'ended')
  freeRow(orders, row)
}
