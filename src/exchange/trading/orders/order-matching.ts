import { caps } from '#src/exchange/caps.ts'
import { newOrderRow } from './order-intake.ts'
import { bestPrice, crosses, type OrderBook } from '#src/exchange/trading/book/book.ts'
import {
  above,
  bucketOf,
  closable,
  exposureOf,
  exposureOfOrder,
  requirement,
  withoutOrders,
} from '#src/exchange/trading/positions/exposure.ts'
import type { NewOrder } from './order-draft.ts'
import { bookOf, ownerOf, type Trading } from '#src/exchange/trading/trading-context.ts'
import { cancelReduceOnly, trade } from './order-fills.ts'
import { orderLoss, unbacked } from './order-loss.ts'
import type { Market } from '#src/exchange/trading/book/market.ts'
import {
  match,
  mostQuanta,
  type Counter,
  type MatchEnd,
} from '#src/exchange/trading/book/price-time-matching.ts'
import { flag, has } from '#src/exchange/trading/book/order-columns.ts'
import { endOrder, endRemoved, reserve, restInBook, unlink } from './resting-orders.ts'
import {
  freeCollateral,
  freeSpot,
  freeLowerBound,
  spotHold,
} from '#src/exchange/trading/positions/fill-settlement.ts'
import { notionalMost } from '#src/exchange/trading/positions/risk-brackets.ts'
import type { Exposure } from '#src/exchange/trading/records.ts'
import type { Trader } from '#src/exchange/trading/trader.ts'

export type NotPlaced =
  | 'would-take'
  | 'no-balance'
  | 'too-big'
  | 'position-too-big'
  | 'nothing-to-reduce'
  | 'no-opposite-order'
  | 'too-many'

/**
 * Matches an order by price, then time. The remainder rests, or ends if the order must not rest. Returns the order's
 * row, which stays readable until the next order.
 */
export function place(
  trading: Trading,
  market: Market,
  account: Trader,
  draft: NewOrder,
  now: number,
): number | NotPlaced {
  const mayRest = (draft.flags & (flag.ioc | flag.market)) === 0
  if (mayRest && account.resting >= caps.openOrders && !account.house) return 'too-many'
  const lots = checkOrder(trading, market, account, draft)
  if (typeof lots === 'string') return lots
  return placeChecked(trading, market, account, lots === draft.lots ? draft : { ...draft, lots }, now)
}

/** The lots that the book and the balance permit, or why they permit none. */
export function checkOrder(
  trading: Trading,
  market: Market,
  account: Trader,
  draft: NewOrder,
): number | NotPlaced {
  const { sells, flags, ticks } = draft
  const book = bookOf(trading, market)
  const makerOnly = (flags & (flag.postOnly | flag.rpi)) !== 0
  const taking = crosses(book, sells, ticks)
  if (makerOnly && taking && trading.switches.postOnlyCross === 'refused') return 'would-take'
  if ((flags & flag.market) !== 0 && bestPrice(book, !sells) === 0) return 'no-opposite-order'
  const exposure =
    (flags & flag.spot) === 0 ? exposureOf(account, market, bucketOf(account, draft.positionSide)) : undefined
  const lots =
    (flags & flag.reduceOnly) !== 0 && exposure ? Math.min(draft.lots, closable(exposure, sells)) : draft.lots
  if (lots === 0) return 'nothing-to-reduce'
  if (account.house) return lots
  const quanta =
    sells && taking && !makerOnly ? mostQuanta(book, trading.state.orders, lots, ticks) : lots * ticks
  const wish = { sells, lots, quanta, loss: 0 }
  if (exposure === undefined) return spotProblem(trading, account, market, wish, ticks) ?? lots
  if (trading.deleverages) wish.loss = orderLoss(trading, market, draft, lots)
  // An order that can only reduce is checked without the resting orders: it never opens.
  const beside = (flags & flag.reduceOnly) === 0 ? exposure : withoutOrders(exposure)
  return marginProblem(trading, account, market, beside, wish) ?? lots
}

/** Places an order with the lots that passed the check, or one that needs no check of its balance. */
export function placeChecked(
  trading: Trading,
  market: Market,
  account: Trader,
  draft: NewOrder,
  now: number,
): number {
  const { orders } = trading.state
  const { sells, flags, ticks } = draft
  const book = bookOf(trading, market)
  const makerOnly = (flags & (flag.postOnly | flag.rpi)) !== 0
  const taking = crosses(book, sells, ticks)
  const row = newOrderRow(trading, market, account, draft, now)

  const matched = taking && !makerOnly ? matchWithBook(trading, market, book, row, now) : 'none'
  if (orders.left[row] === 0) endOrder(trading, row, 'FILLED', now)
  else if (matched === 'self') endOrder(trading, row, 'CANCELED_STP', now)
  else if (matched === 'unbacked') endOrder(trading, row, 'AUTO_CANCELED_USER_MARGIN', now)
  else if ((flags & flag.market) !== 0) endOrder(trading, row, 'CANCELED_TAKER_BAND', now)
  else if ((flags & flag.ioc) !== 0 || (makerOnly && taking)) endOrder(trading, row, 'CANCELED', now)
  else {
    restInBook(trading, row)
    trading.listener?.order(account, row, 'rests')
  }
  return row
}

/** The limit of a market order: a percentage beyond the best price; 1 if the other side is empty. */
export function takerBand(trading: Trading, market: Market, sells: boolean): number {
  const best = bestPrice(bookOf(trading, market), !sells)
  const away = Math.floor((best * trading.switches.takerBand) / 100)
  return Math.max(1, sells ? best - away : best + away)
}

/** Matches the order with the book. */
function matchWithBook(
  trading: Trading,
  market: Market,
  book: OrderBook,
  taker: number,
  now: number,
): MatchEnd {
  const { orders } = trading.state
  let reduced: Map<Exposure, Trader> | undefined
  /**
   * Collects the accounts whose reduce-only orders may have nothing left to reduce; most accounts have no such orders.
   */
  const touch = (row: number, account: Trader) => {
    if (has(orders, row, flag.spot)) return
    const exposure = exposureOfOrder(trading, row)
    if (exposure.reducing > 0) (reduced ??= new Map<Exposure, Trader>()).set(exposure, account)
  }
  const counter: Counter = {
    closable: (maker) => closable(exposureOfOrder(trading, maker), orders.sells[maker] === 1),
    traded(maker, _, lots, ticks) {
      const account = ownerOf(trading, maker)
      reserve(trading, maker, -lots)
      trade(trading, market, { maker, taker, lots, ticks, at: now })
      touch(maker, account)
      if (orders.left[maker] !== 0) trading.listener?.order(account, maker, 'changed')
      else {
        unlink(trading, maker)
        endOrder(trading, maker, 'FILLED', now)
      }
    },
    cancelled(maker, why) {
      endRemoved(trading, maker, endings[why], now)
    },
  }
  if (trading.deleverages) counter.unbacked = (...fill) => unbacked(trading, market, ...fill)
  const ending = match(book, orders, taker, orders.ticks[taker] ?? 0, counter)
  touch(taker, ownerOf(trading, taker))
  for (const [exposure, owner] of reduced ?? []) {
    if (exposure.reducing > 0) cancelReduceOnly(trading, owner, exposure, now)
  }
  return ending
}

const endings = {
  self: 'CANCELED_STP',
  closed: 'AUTO_CANCELED_REDUCE_ONLY',
  unbacked: 'AUTO_CANCELED_USER_MARGIN',
} as const

/** `loss` is that against the mark price, in quanta. */
type Wish = { sells: boolean; lots: number; quanta: number; loss: number }

/** Whether the account can back the order: the margin of what opens, and the fee. */
function marginProblem(
  trading: Trading,
  account: Trader,
  market: Market,
  exposure: Exposure,
  wish: Wish,
): NotPlaced | undefined {
  const { leverage } = account.collateral
  const { money } = market.rules
  if (!Number.isSafeInteger(exposure.buys.quanta + exposure.sells.quanta + wish.quanta)) return 'too-big'
  if (market.rules.brackets === undefined) {
    const { atomsPerQuantum, highestFeePerQuantum } = market.approximate
    const open = wish.quanta * (atomsPerQuantum / leverage + highestFeePerQuantum)
    const close = wish.loss * atomsPerQuantum + mostClosingLoss(exposure, market, wish)
    if (open + close < freeLowerBound(trading, account, money)) return undefined
  }
  const before = requirement(exposure, market, leverage)
  const after = requirement(exposure, market, leverage, wish)
  // The margin freed by closing pays the fee, and an order that needs nothing is never refused: an account can always
  // close its position.
  const fee = BigInt(wish.quanta) * market.highestFeePerQuantum
  const closing = trading.deleverages
    ? above(market.money(wish.loss) + fee - (after.freed - before.freed))
    : above(after.closing + fee) - above(before.closing)
  const opening = after.opening - before.opening
  if (opening > 0n && isBeyondBrackets(market, exposure, wish)) return 'position-too-big'
  const need = opening + closing
  return need > 0n && need > freeCollateral(trading, account, money) ? 'no-balance' : undefined
}

/**
 * What an order that closes a position may lose at most: sales give the position away, and a buy pays its whole price. The lower
 * bound of the free collateral includes the other orders that close it.
 */
function mostClosingLoss(exposure: Exposure, market: Market, { sells, quanta }: Wish): number {
  if (closable(exposure, sells) === 0) return 0
  if (!sells) return quanta * market.approximate.atomsPerQuantum
  return exposure.sells.lots > 0 ? 0 : Number(exposure.cost)
}

/** Whether the position would be larger than the last bracket if all orders of this side filled. */
function isBeyondBrackets(market: Market, exposure: Exposure, { sells, quanta }: Wish): boolean {
  const most = notionalMost(market)
  const resting = sells ? exposure.sells.quanta : exposure.buys.quanta
  const cost = exposure.lots < 0 === sells ? exposure.cost : -exposure.cost
  return most !== undefined && cost + market.money(resting + quanta) > most
}

function spotProblem(
  trading: Trading,
  account: Trader,
  market: Market,
  { sells, lots, quanta }: Wish,
  ticks: number,
): NotPlaced | undefined {
  if (!Number.isSafeInteger(quanta)) return 'too-big'
  const asset = sells ? market.rules.base : market.rules.money
  return spotHold(market, sells, lots, ticks) > freeSpot(trading, account, asset) ? 'no-balance' : undefined
}
