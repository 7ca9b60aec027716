import type { Contract } from '#src/contract/table.ts'
import type { AnswerOf } from '#src/contract/endpoint.ts'
import { invalidTrade } from '#src/contract/refusals.ts'
import { formatAtoms } from '#src/money/atoms.ts'
import type { Market } from '../market.ts'
import { readOrder, type OrderRefusal } from '../order-form.ts'
import type { Order } from '../state.ts'
import { place, type Placed } from '../trading.ts'
import { Refused, type Call, type Handler, type Venue } from '../venue.ts'

type Element = AnswerOf<Contract['collateralBulk']>[number]

export const collateralBulk: Handler<'collateralBulk'> = (call) => {
  const { venue, parameters } = call
  const { orders, stopOnFail = false } = parameters
  if (orders.length > venue.switches.batchMax) {
    return new Refused(
      invalidTrade({ orders: [`The orders may not have more than ${venue.switches.batchMax} items.`] }),
    )
  }
  const answer: Element[] = []
  for (const [index, raw] of orders.entries()) {
    const element = placeOne(call, raw)
    if (element.error === null || !stopOnFail) {
      answer.push(element)
      continue
    }
    if (venue.switches.stopOnFailAnswer !== 'absent') answer.push(element)
    if (venue.switches.stopOnFailAnswer === 'full') {
      for (let rest = index + 1; rest < orders.length; rest++) answer.push(failed(venue, notAttempted))
    }
    break
  }
  return answer
}

const notAttempted: OrderRefusal = { finerCode: 32, message: 'Not attempted', errors: {} }

function placeOne({ venue, account, now }: Call<unknown>, raw: Record<string, unknown>): Element {
  const form = readOrder(venue, account, raw)
  if ('refusal' in form) return failed(venue, form.refusal)
  const { market, draft } = form
  const placed = place(venue, market, account, draft, now)
  if (placed === 'would-take') {
    const text = "This order couldn't be executed as a maker order and was canceled."
    return failed(venue, { finerCode: 13, errors: { [draft.rpi ? 'rpi' : 'postOnly']: [text] } })
  }
  if (placed === 'no-balance')
    return failed(venue, { finerCode: 10, errors: { amount: ['Not enough balance.'] } })
  return { result: resultOf(venue, market, placed), error: null }
}

function failed(venue: Venue, { finerCode, message = 'Validation failed', errors }: OrderRefusal): Element {
  return { result: null, error: { code: venue.profile === 'full' ? finerCode : 32, message, errors } }
}

function resultOf(venue: Venue, market: Market, { order, status }: Placed): NonNullable<Element['result']> {
  return {
    order_id: order.id,
    client_order_id: order.clientId,
    market: order.market,
    side: order.side,
    type: 'limit',
    timestamp: order.at / 1000,
    deal_money: formatAtoms(order.money),
    deal_stock: market.amountText(order.lots - order.left),
    amount: market.amountText(order.lots),
    left: market.amountText(order.left),
    deal_fee: formatAtoms(order.fee),
    ioc: order.ioc,
    postOnly: order.postOnly,
    price: market.priceText(order.ticks),
    status: status === 'OPEN' ? venue.switches.restingStatus : status,
    stp: 'no',
    positionSide: order.positionSide,
    rpi: order.rpi,
  }
}

export const orderHistory: Handler<'orderHistory'> = ({ venue, account, parameters, now }) => {
  const { market, offset = 0, limit = 50 } = parameters
  if (market !== undefined && !venue.markets.has(market)) {
    return new Refused(invalidTrade({ market: ['Market is not available.'] }))
  }
  const { finished } = account
  const visibleUntil = now - venue.switches.historyLag
  const page: Record<string, ReturnType<typeof executedOf>[]> = {}
  let passed = 0
  for (let index = finished.length - 1; index >= 0 && passed < offset + limit; index--) {
    const order = finished[index]
    if (order?.end === undefined || order.end.at > visibleUntil) continue
    if (market !== undefined && order.market !== market) continue
    passed += 1
    const rules = passed > offset ? venue.markets.get(order.market) : undefined
    if (rules) (page[order.market] ??= []).push(executedOf(rules, order, order.end))
  }
  return passed <= offset && venue.profile === 'full' ? [] : page
}

function executedOf(market: Market, order: Order, end: NonNullable<Order['end']>) {
  return {
    id: order.id,
    client_order_id: order.clientId,
    amount: market.amountText(order.lots),
    price: market.priceText(order.ticks),
    type: 'limit',
    side: order.side,
    ctime: order.at / 1000,
    ftime: end.at / 1000,
    takerFee: formatAtoms(market.rules.takerFee),
    makerFee: formatAtoms(market.rules.makerFee),
    deal_fee: formatAtoms(order.fee),
    deal_stock: market.amountText(order.lots - order.left),
    deal_money: formatAtoms(order.money),
    postOnly: order.postOnly,
    ioc: order.ioc,
    rpi: order.rpi,
    status: end.status,
    feeAsset: market.rules.money,
    stp: 'no',
  }
}
