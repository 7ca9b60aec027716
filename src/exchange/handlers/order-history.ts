import { invalidTrade } from '#src/contract/refusals.ts'
import { formatAtoms } from '#src/money/atoms.ts'
import { finishedAt, newestFirst } from '../trading/history.ts'
import type { Market } from '../trading/market.ts'
import { flag } from '../trading/orders.ts'
import { Refused, type Handler } from '../venue.ts'

export const orderHistory: Handler<'orderHistory'> = ({ venue, account, parameters, now }) => {
  const { market, offset = 0, limit = 50 } = parameters
  if (market !== undefined && !venue.markets.has(market)) {
    return new Refused(invalidTrade({ market: ['Market is not available.'] }))
  }
  const { finished } = account
  const only = market === undefined ? undefined : venue.markets.get(market)
  const visibleUntil = now - venue.switches.historyLag
  const page: Record<string, ReturnType<typeof executedOf>[]> = {}
  let passed = 0
  for (const place of newestFirst(finished)) {
    if (passed === offset + limit) break
    if ((finished.changedAt[place] ?? 0) > visibleUntil) continue
    const traded = only ?? venue.floor.markets[finished.market[place] ?? 0]
    if (traded === undefined || finished.market[place] !== traded.number) continue
    passed += 1
    if (passed > offset) (page[traded.name] ??= []).push(executedOf(traded, finishedAt(finished, place)))
  }
  return passed <= offset && venue.profile === 'full' ? [] : page
}

function executedOf(market: Market, order: ReturnType<typeof finishedAt>) {
  return {
    id: order.id,
    client_order_id: order.clientId,
    amount: market.amountText(order.lots),
    price: market.priceText(order.ticks),
    type: 'limit',
    side: order.sells ? ('sell' as const) : ('buy' as const),
    ctime: order.at / 1000,
    ftime: order.endedAt / 1000,
    takerFee: formatAtoms(market.rules.takerFee),
    makerFee: formatAtoms(market.rules.makerFee),
    deal_fee: formatAtoms(market.fee(order.quanta, order.taken)),
    deal_stock: market.amountText(order.lots - order.left),
    deal_money: market.moneyText(order.quanta),
    postOnly: (order.flags & flag.postOnly) !== 0,
    ioc: (order.flags & flag.ioc) !== 0,
    rpi: (order.flags & flag.rpi) !== 0,
    status: order.status,
    feeAsset: market.rules.money,
    stp: order.selfTrade,
  }
}
