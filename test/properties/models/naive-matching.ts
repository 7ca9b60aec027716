import { least, most } from './naive-arithmetic.ts'
import { bucketOf, closable } from './naive-margin.ts'
import {
  rulesOf,
  type NaiveAccount,
  type NaiveOrder,
  type NaiveVenue,
  type NaiveWait,
  type Side,
  type Wish,
} from './naive-records.ts'
import { settle } from './naive-settlement.ts'

/** Matching, and the end of orders. */

/** Resting orders of one side, the next to trade first: by price, then hidden ones last, then by arrival. */
export function queue({ resting }: NaiveVenue, market: string, side: Side): NaiveOrder[] {
  const ahead = (a: NaiveOrder, b: NaiveOrder) => a.price < b.price === (side === 'sell')
  return resting
    .filter((order) => order.market === market && order.side === side)
    .map((order, arrival) => ({ order, arrival }))
    .toSorted((a, b) => {
      if (a.order.price !== b.order.price) return ahead(a.order, b.order) ? -1 : 1
      if (a.order.rpi !== b.order.rpi) return a.order.rpi ? 1 : -1
      return a.arrival - b.arrival
    })
    .map(({ order }) => order)
}

export const opposite = (side: Side): Side => (side === 'buy' ? 'sell' : 'buy')

/** The orders that an order of this side and price would match. */
export function partners(venue: NaiveVenue, market: string, side: Side, price: bigint): NaiveOrder[] {
  return queue(venue, market, opposite(side)).filter((maker) =>
    side === 'buy' ? maker.price <= price : maker.price >= price,
  )
}

/** The limit of a market order: five percent from the best price, in whole ticks, and at least one. */
export function bandEnd(venue: NaiveVenue, market: string, side: Side): bigint {
  const tick = 10n ** BigInt(18 - rulesOf(venue, market).priceDigits)
  const best = (queue(venue, market, opposite(side))[0]?.price ?? 0n) / tick
  const away = (best * 5n) / 100n
  return most(1n, side === 'sell' ? best - away : best + away) * tick
}

/** Matches a new order with the resting ones, and returns whether it met its own account. */
export function meet(venue: NaiveVenue, order: NaiveOrder): 'itself' | 'others' {
  const traded: NaiveOrder[] = []
  let met: 'itself' | 'others' = 'others'
  while (order.left > 0n) {
    const [maker] = partners(venue, order.market, order.side, order.price)
    if (maker === undefined) break
    if (maker.account === order.account && order.selfTrade !== 'no') {
      if (order.selfTrade !== 'cn') end(venue, maker, 'CANCELED_STP')
      if (order.selfTrade === 'co') continue
      met = 'itself'
      break
    }
    const offered = maker.reduceOnly ? least(maker.left, closable(maker.account, maker)) : maker.left
    if (offered === 0n) {
      end(venue, maker, 'AUTO_CANCELED_REDUCE_ONLY')
      continue
    }
    trade(venue, maker, order, least(order.left, offered))
    traded.push(maker)
    if (maker.left === 0n) end(venue, maker, 'FILLED')
  }
  // Reduce-only orders end with their position.
  for (const { account, market, spot, position } of [...traded, order]) {
    if (spot) continue
    const idle = venue.resting.filter(
      (other) =>
        other.account === account &&
        other.market === market &&
        other.reduceOnly &&
        bucketOf(account, other) === bucketOf(account, { position }) &&
        closable(account, other) === 0n,
    )
    for (const other of idle) end(venue, other, 'AUTO_CANCELED_REDUCE_ONLY')
  }
  return met
}

/** At the price of the resting order. */
function trade(venue: NaiveVenue, maker: NaiveOrder, taker: NaiveOrder, amount: bigint): void {
  const { market, price, rpi } = maker
  const { makerFee, takerFee } = rulesOf(venue, market)
  venue.trades += 1
  for (const [order, other, rate] of [
    [maker, taker, makerFee],
    [taker, maker, takerFee],
  ] as const) {
    const { account, id, side, linked } = order
    if (linked) callOffBeside(venue, id)
    settle(venue, order, amount, price, rate)
    if (account.house) continue
    account.deals.push({
      trade: venue.trades,
      market,
      order: id,
      other: other.id,
      side,
      taker: order === taker,
      price,
      amount,
      rpi,
    })
  }
  venue.last[market] = venue.mark[market] = price
  venue.moved = true
}

/** Ends the order and the waiting order linked to it. */
export function end(venue: NaiveVenue, order: NaiveOrder, status: NaiveOrder['status']): void {
  venue.resting = venue.resting.filter((other) => other !== order)
  order.status = status
  if (!order.account.house) order.account.ended.push(order)
  if (!venue.idsLast) order.account.usedIds.delete(order.clientId)
  if (order.linked) callOffBeside(venue, order.id)
}

function callOffBeside(venue: NaiveVenue, id: number): void {
  for (const wait of venue.waiting.filter(({ other }) => other === id)) callOff(venue, wait)
}

/** Cancels it; the finished orders show it as it would have been placed. */
export function callOff(venue: NaiveVenue, wait: NaiveWait): void {
  venue.waiting = venue.waiting.filter((other) => other !== wait)
  end(venue, begin(wait.account, wait, wait.id), 'CANCELED')
}

/** Every account numbers its own orders. */
export function drawId(account: NaiveAccount): number {
  account.drawn += 1
  return account.number * 1_000_000_000_000 + account.drawn
}

export function begin(account: NaiveAccount, wish: Wish, id: number): NaiveOrder {
  return { ...wish, id, account, left: wish.amount, money: 0n, fee: 0n, status: 'OPEN' }
}
