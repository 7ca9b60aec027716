import { invalidTradeField } from '#src/exchange/handlers/refused-field.ts'
import { contract } from '#src/venues/whitebit/contract/endpoint-table.ts'
import { pageOf } from '#src/exchange/handlers/paging.ts'
import { findOrder } from '#src/exchange/trading/orders/cancel-orders.ts'
import { dealAt, newestFirst, type Deal } from '#src/exchange/trading/orders/order-history.ts'
import type { Market } from '#src/exchange/trading/book/market.ts'
import type { Trader } from '#src/exchange/trading/trader.ts'
import { RefusedCall, type Handler, type VenueContext } from '#src/exchange/venue-context.ts'
import { historyFloor } from './history-span.ts'
import { marketOf } from './order-changes.ts'

export const executedHistory: Handler<'executedHistory'> = ({ venue, account, parameters, now }) => {
  const { client_order_id: clientId, startDate = 0, endDate = Infinity } = parameters
  const { limit, offset } = pageOf(contract.executedHistory, parameters)
  const only = parameters.market === undefined ? undefined : marketOf(venue, parameters.market)
  if (only instanceof RefusedCall) return only
  const floor = historyFloor(venue, now)
  const wanted = (deal: Deal) => {
    const at = Math.floor(deal.at / 1000)
    return (
      (only === undefined || deal.market === only.number) &&
      (clientId === undefined || deal.clientId === clientId) &&
      at >= Math.max(startDate, floor) &&
      at <= endDate
    )
  }
  const page = dealsOf(venue, account, wanted, offset, limit)
  if (page.length === 0 && clientId !== undefined && !isKnown(venue, account, clientId)) {
    return invalidTradeField('orderHistory', 'OrderHistory was not found.')
  }
  const shown = page.map(({ market, deal }) => ({
    market: market.name,
    deal: Object.assign(shownOf(market, deal), {
      side: deal.sells ? ('sell' as const) : ('buy' as const),
      order_id: deal.order,
    }),
  }))
  if (only !== undefined || shown.length === 0) return shown.map(({ deal }) => deal)
  const byMarket: Record<string, (typeof shown)[number]['deal'][]> = {}
  for (const { market, deal } of shown) (byMarket[market] ??= []).push(deal)
  return byMarket
}

export const orderDeals: Handler<'orderDeals'> = ({ venue, account, parameters }) => {
  const { order_id } = parameters
  const { limit, offset } = pageOf(contract.orderDeals, parameters)
  const page = dealsOf(venue, account, ({ order }) => order === order_id, offset, limit)
  const records = page.map(({ market, deal }) =>
    Object.assign(shownOf(market, deal), { dealOrderId: deal.other, rpi: deal.rpi }),
  )
  return { records, offset, limit }
}

/** A page of the deals of an account, newest first. */
export function dealsOf(
  venue: VenueContext,
  account: Trader,
  wanted: (deal: Deal) => boolean,
  offset: number,
  limit: number,
): { market: Market; deal: Deal }[] {
  const page: { market: Market; deal: Deal }[] = []
  let passed = 0
  for (const place of newestFirst(account.deals)) {
    if (page.length === limit) break
    const deal = dealAt(account.deals, place)
    const market = venue.trading.markets[deal.market]
    if (market === undefined || !wanted(deal)) continue
    passed += 1
    if (passed > offset) page.push({ market, deal })
  }
  return page
}

function shownOf(market: Market, deal: Deal) {
  return {
    id: deal.id,
    client_order_id: deal.clientId,
    time: deal.at / 1000,
    role: deal.taker ? (2 as const) : (1 as const),
    amount: market.amountText(deal.lots),
    price: market.priceText(deal.ticks),
    deal: market.moneyText(deal.lots * deal.ticks),
    fee: dealFee(market, deal),
    feeAsset: market.rules.money,
  }
}

export function dealFee(market: Market, { lots, ticks, taker, tier }: Deal): string {
  const quanta = lots * ticks
  return market.feeText({ quanta, taken: taker ? quanta : 0, tier })
}

/** Whether the account ever had an order with this id. */
function isKnown(venue: VenueContext, account: Trader, clientId: string): boolean {
  const { trading } = venue
  if (account.finished.clientId.includes(clientId)) return true
  return trading.markets.some((market) => findOrder(trading, account, market, { client_order_id: clientId }))
}
