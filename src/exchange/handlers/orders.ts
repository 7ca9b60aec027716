import { invalidTrade } from '#src/contract/refusals.ts'
import { formatAtoms } from '#src/money/atoms.ts'
import { finishedAt, newestFirst } from '../trading/history.ts'
import type { Market } from '../trading/market.ts'
import { notPlaced, readOrder, type OrderRefusal } from '../trading/order-form.ts'
import { orderText } from '../trading/order-text.ts'
import { flag } from '../trading/orders.ts'
import { place } from '../trading/placing.ts'
import { react } from '../trading/reacting.ts'
import { Refused, Written, type Call, type Handler, type Venue } from '../venue.ts'

export const collateralBulk: Handler<'collateralBulk'> = (call) => {
  const { venue, parameters } = call
  const { orders, stopOnFail = false } = parameters
  if (orders.length > venue.switches.batchMax) {
    return new Refused(
      invalidTrade({ orders: [`The orders may not have more than ${venue.switches.batchMax} items.`] }),
    )
  }
  const answer: string[] = []
  for (const [index, raw] of orders.entries()) {
    const refusal = placeOne(call, raw, answer)
    if (refusal === undefined) continue
    if (!stopOnFail) {
      answer.push(failed(venue, refusal))
      continue
    }
    if (venue.switches.stopOnFailAnswer !== 'absent') answer.push(failed(venue, refusal))
    if (venue.switches.stopOnFailAnswer === 'full') {
      for (let rest = index + 1; rest < orders.length; rest++) answer.push(failed(venue, notAttempted))
    }
    break
  }
  return new Written(`[${answer.join(',')}]`)
}

const notAttempted: OrderRefusal = { finerCode: 32, message: 'Not attempted', errors: {} }

/** Adds what became of the order to the answer, unless it is refused. */
function placeOne(
  { venue, account, now }: Call<unknown>,
  raw: Record<string, unknown>,
  answer: string[],
): OrderRefusal | undefined {
  const form = readOrder(venue, account, raw)
  if ('refusal' in form) return form.refusal
  const placed = place(venue.floor, form.market, account, form.draft, now)
  if (typeof placed === 'string') return notPlaced(placed, form.draft)
  answer.push(`{"result":${orderText(venue, form.market, placed)},"error":null}`)
  react(venue.floor, now)
  return undefined
}

function failed(venue: Venue, { finerCode, message = 'Validation failed', errors }: OrderRefusal): string {
  const error = { code: venue.profile === 'full' ? finerCode : 32, message, errors }
  return JSON.stringify({ result: null, error })
}

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
