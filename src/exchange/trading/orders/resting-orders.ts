import { newOrderRow } from './order-intake.ts'
import { removeFromQueue, addToQueue } from '#src/exchange/trading/book/book.ts'
import { bucketOf, exposureOf } from '#src/exchange/trading/positions/exposure.ts'
import { bookOf, ownerOf, type Trading } from '#src/exchange/trading/trading-context.ts'
import { recordFinished } from './order-history.ts'
import type { Market } from '#src/exchange/trading/book/market.ts'
import {
  flag,
  freeRow,
  has,
  statuses,
  type OrderColumns,
  type ExchangeOrderStatus,
} from '#src/exchange/trading/book/order-columns.ts'
import { holdSpot, spotHold } from '#src/exchange/trading/positions/fill-settlement.ts'
import type { Trigger } from '#src/exchange/trading/records.ts'
import type { Trader } from '#src/exchange/trading/trader.ts'
import { free } from './used-client-ids.ts'

/**
 * The life of an order between its intake and its end: its place among the orders of its account, and what it reserves.
 */

/** Adds the remainder of the order to the book. */
export function restInBook(trading: Trading, market: Market, account: Trader, row: number): void {
  const { orders } = trading.state
  addToQueue(bookOf(trading, market), orders, row)
  orders.older[row] = account.newest
  orders.newer[row] = 0
  if (account.newest === 0) account.oldest = row
  else orders.newer[account.newest] = row
  account.newest = row
  account.resting += 1
  count(market, account, orders, row, 1)
  reserve(trading, market, account, row, orders.left[row] ?? 0)
}

/** Cancels a resting order: removes it from the book, releases its reserve and ends it. */
export function cancelResting(
  trading: Trading,
  market: Market,
  row: number,
  status: ExchangeOrderStatus,
  now: number,
): void {
  removeFromQueue(bookOf(trading, market), trading.state.orders, row)
  endRemoved(trading, market, row, status, now)
}

/** The same for an order that has already left the book. */
export function endRemoved(
  trading: Trading,
  market: Market,
  row: number,
  status: ExchangeOrderStatus,
  now: number,
): void {
  const { orders } = trading.state
  const account = ownerOf(trading, row)
  reserve(trading, market, account, row, -(orders.left[row] ?? 0))
  unlink(market, account, orders, row)
  endOrder(trading, account, row, status, now)
}

/**
 * Reserves for more lots of this resting order (negative: releases). A reduce-only order only frees margin, so it
 * reserves nothing.
 */
export function reserve(trading: Trading, market: Market, account: Trader, row: number, lots: number): void {
  const { orders } = trading.state
  const ticks = orders.ticks[row] ?? 0
  const sells = orders.sells[row] === 1
  if (account.house) return
  if (has(orders, row, flag.spot)) {
    const held = spotHold(market, sells, Math.abs(lots), ticks)
    holdSpot(account, sells ? market.rules.base : market.rules.money, lots < 0 ? -held : held)
    return
  }
  if (has(orders, row, flag.reduceOnly)) return
  const exposure = exposureOf(account, market, bucketOf(account, orders.positionSide[row] ?? 0))
  const side = sells ? exposure.sells : exposure.buys
  side.lots += lots
  side.quanta += lots * ticks
}

/** Removes the order from its account's list of resting orders. */
export function unlink(market: Market, account: Trader, orders: OrderColumns, row: number): void {
  account.resting -= 1
  count(market, account, orders, row, -1)
  const older = orders.older[row] ?? 0
  const newer = orders.newer[row] ?? 0
  if (older === 0) account.oldest = newer
  else orders.newer[older] = newer
  if (newer === 0) account.newest = older
  else orders.older[newer] = older
}

function count(market: Market, account: Trader, orders: OrderColumns, row: number, by: 1 | -1): void {
  if (!has(orders, row, flag.reduceOnly)) return
  exposureOf(account, market, bucketOf(account, orders.positionSide[row] ?? 0)).reducing += by
}

/** Cancels the waiting order linked to an order that has traded or ended. */
export function cancelLinked(trading: Trading, id: number, now: number): void {
  for (const trigger of trading.state.triggers.filter(({ other }) => other === id))
    cancelWaiting(trading, trigger, now)
}

/** Cancels a waiting order; the history shows it as canceled. */
export function cancelWaiting(trading: Trading, trigger: Trigger, now: number): void {
  const { state } = trading
  state.triggers = state.triggers.filter((other) => other !== trigger)
  const market = trading.markets[trigger.market]
  const trader = trading.accounts[trigger.account - 1]
  if (market === undefined || trader === undefined) return
  endOrder(trading, trader, newOrderRow(trading, market, trader, trigger.draft, trigger.at), 'CANCELED', now)
}

/** Ends the order. Its row is freed after its end was reported. */
export function endOrder(
  trading: Trading,
  account: Trader,
  row: number,
  status: ExchangeOrderStatus,
  now: number,
): void {
  const { orders } = trading.state
  orders.status[row] = statuses.indexOf(status)
  orders.changedAt[row] = now
  if (!account.house) recordFinished(account.finished, orders, row)
  if (trading.switches.clientIds === 'live') free(account.usedIds, orders.clientId[row] ?? '')
  if (has(orders, row, flag.linked)) cancelLinked(trading, orders.id[row] ?? 0, now)
  trading.listener?.order(account, row, 'ended')
  freeRow(orders, row)
}
