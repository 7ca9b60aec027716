import { recordTrade } from '#src/exchange/trades/public-trades.ts'
import type { Market } from '#src/exchange/trading/book/market.ts'
import { flag, has, restingRows } from '#src/exchange/trading/book/order-columns.ts'
import { bucketOf, closable, exposureOfOrder } from '#src/exchange/trading/positions/exposure.ts'
import { settleCollateral, settleSpot } from '#src/exchange/trading/positions/fill-settlement.ts'
import type { Exposure } from '#src/exchange/trading/records.ts'
import type { Trader } from '#src/exchange/trading/trader.ts'
import { addVolume } from '#src/exchange/trading/traded-volume.ts'
import { ownerOf, type Trading } from '#src/exchange/trading/trading-context.ts'
import { growExits } from './attached-exits.ts'
import { addDeal, type Deal } from './order-history.ts'
import { cancelLinked, cancelResting } from './resting-orders.ts'

/** What a trade does to both orders, their accounts and the public data. */

type Meeting = { maker: number; taker: number; lots: number; ticks: number; at: number }

/** Applies one trade to both sides (money, position, deal) and to the public data. */
export function trade(trading: Trading, market: Market, meeting: Meeting): void {
  const { state } = trading
  const { lots, ticks } = meeting
  state.trades += 1
  fill(trading, market, meeting, 'maker')
  fill(trading, market, meeting, 'taker')
  state.stirred = true
  const place = state.markets[market.number]
  const publicTrades = state.tapes[market.number]
  if (place === undefined || publicTrades === undefined || place.recorded) return
  place.last = ticks
  // Where losses are bounded the mark price is set after the order: `mark-price.ts`.
  if (!place.indexed && (place.mark === 0 || !trading.deleverages)) place.mark = ticks
  const takerSide = state.orders.sells[meeting.taker] === 1 ? 'sell' : 'buy'
  const rpi = has(state.orders, meeting.maker, flag.rpi)
  recordTrade(publicTrades, { id: state.trades, at: meeting.at, ticks, lots, takerSide, rpi })
  trading.listener?.trade(market, { id: state.trades, ...meeting })
}

export function fill(trading: Trading, market: Market, meeting: Meeting, role: 'maker' | 'taker'): void {
  const { orders, trades } = trading.state
  const { maker, taker, lots, ticks, at } = meeting
  const [row, other] = role === 'maker' ? [maker, taker] : [taker, maker]
  const account = ownerOf(trading, row)
  const sells = orders.sells[row] === 1
  orders.changedAt[row] = at
  const quanta = lots * ticks
  const tier = orders.tier[row] ?? 0
  const fee = market.fee({ quanta, taken: role === 'taker' ? quanta : 0, tier })
  const settled = { order: orders.id[row] ?? 0, sells, lots, ticks, fee, at }
  if (has(orders, row, flag.linked)) cancelLinked(trading, orders.id[row] ?? 0, at)
  if (has(orders, row, flag.spot)) settleSpot(trading, account, market, settled)
  else {
    const bucket = bucketOf(account, orders.positionSide[row] ?? 0)
    settleCollateral(trading, account, market, bucket, settled)
    if (has(orders, row, flag.attached)) growExits(trading, market, account, { row, lots }, at)
  }
  if (account.house) return
  if (trading.hasFeeTiers) addVolume(account, market.rules.money, market.money(quanta), at)
  const deal: Deal = {
    id: trades,
    at,
    market: market.number,
    order: orders.id[row] ?? 0,
    other: orders.id[other] ?? 0,
    clientId: orders.clientId[row] ?? '',
    sells,
    taker: role === 'taker',
    ticks,
    lots,
    rpi: has(orders, maker, flag.rpi),
    tier,
  }
  addDeal(account.deals, deal)
  trading.listener?.deal(account, deal)
}

/** Cancels the reduce-only orders of an account whose position is gone or has changed its side. */
export function cancelReduceOnly(trading: Trading, account: Trader, exposure: Exposure, now: number): void {
  const { orders } = trading.state
  for (const row of restingRows(orders, account)) {
    if (exposure.reducing === 0) return
    if (
      has(orders, row, flag.reduceOnly) &&
      exposureOfOrder(trading, row) === exposure &&
      closable(exposure, orders.sells[row] === 1) === 0
    )
      cancelResting(trading, row, 'AUTO_CANCELED_REDUCE_ONLY', now)
  }
}
