import type { Problems } from '#src/contract/problems.ts'
import { invalidTrade, type Refusal } from '#src/contract/refusals.ts'
import { modify } from '../trading/changing.ts'
import { findResting, restingOf, type Named } from '../trading/finding.ts'
import type { Market } from '../trading/market.ts'
import { notPlaced } from '../trading/order-refusal.ts'
import { bandProblem, limitSize } from '../trading/order-size.ts'
import { orderText } from '../trading/order-text.ts'
import { positionSides, selfTradeNumber } from '../trading/orders.ts'
import { react } from '../trading/reacting.ts'
import { withdraw } from '../trading/resting.ts'
import { Refused, Written, type Handler, type Venue } from '../venue.ts'

export const openOrders: Handler<'openOrders'> = ({ venue, account, parameters }) => {
  const { market: name, order_id, client_order_id, limit = 50, offset = 0 } = parameters
  const market = name === undefined ? undefined : marketOf(venue, name)
  if (market instanceof Refused) return market
  const named = { order_id, client_order_id }
  if (order_id !== undefined || client_order_id !== undefined) {
    if (market === undefined) return new Refused(invalidTrade({ market: ['Market field is required.'] }))
    const row = findResting(venue.floor, account, market, named)
    return listed(venue, row === undefined ? [] : [{ row, market }])
  }
  const all = [...restingOf(venue.floor, account, { market: market?.number })].reverse()
  return listed(venue, all.slice(offset, offset + limit))
}

function listed(venue: Venue, orders: readonly { row: number; market: Market }[]): Written {
  return new Written(`[${orders.map(({ row, market }) => orderText(venue, market, row, true)).join(',')}]`)
}

export const cancelOrder: Handler<'cancelOrder'> = ({ venue, account, parameters, now }) => {
  const market = marketOf(venue, parameters.market)
  if (market instanceof Refused) return market
  const problems = namingProblems(parameters)
  if (problems) return new Refused(invalidTrade(problems))
  const row = findResting(venue.floor, account, market, parameters)
  if (row === undefined) return new Refused(notFound(parameters))
  withdraw(venue.floor, market, row, 'CANCELED', now)
  return new Written(orderText(venue, market, row, true))
}

export const cancelOrders: Handler<'cancelOrders'> = ({ venue, account, parameters, now }) =>
  parameters.orders.map((named) => {
    const market = venue.markets.get(named.market)
    if (market === undefined) return failed(31, { market: ['Market is not available.'] })
    const problems = namingProblems(named)
    if (problems) return failed(30, problems)
    const row = findResting(venue.floor, account, market, named)
    if (row === undefined) {
      return failed(404, { [keyOf(named)]: ['Order does not exist or already cancelled'] })
    }
    withdraw(venue.floor, market, row, 'CANCELED', now)
    const { id, clientId } = venue.state.orders
    const result = { order_id: id[row] ?? 0, client_order_id: clientId[row] ?? '', market: market.name }
    return { result, error: null }
  })

function failed(code: number, errors: Problems) {
  return { result: null, error: { code, message: 'Validation failed', errors } }
}

export const cancelAll: Handler<'cancelAll'> = ({ venue, account, parameters, now }) => {
  const market = parameters.market === undefined ? undefined : marketOf(venue, parameters.market)
  if (market instanceof Refused) return market
  const { positionSide, type: kinds } = parameters
  const side = positionSides.findIndex((name) => name.toLowerCase() === positionSide)
  const { orders } = venue.state
  for (const found of restingOf(venue.floor, account, { market: market?.number, kinds })) {
    if (side !== -1 && orders.positionSide[found.row] !== side) continue
    withdraw(venue.floor, found.market, found.row, 'CANCELED', now)
  }
  return []
}

export const modifyOrder: Handler<'modifyOrder'> = ({ venue, account, parameters, now }) => {
  const market = marketOf(venue, parameters.market)
  if (market instanceof Refused) return market
  const problems = namingProblems(parameters)
  if (problems) return new Refused(invalidTrade(problems))
  const { amount, price, total, activation_price: activation, stp } = parameters
  if ([amount, price, total, activation].every((each) => each === undefined)) {
    return new Refused(invalidTrade({ amount: ['Name an amount, a total, a price or an activation price.'] }))
  }
  const row = findResting(venue.floor, account, market, parameters)
  if (row === undefined) return new Refused(notFound(parameters))
  if (total !== undefined) return inner(162, { total: ['Total is not allowed for this order.'] })
  if (activation !== undefined) {
    return inner(158, { activation_price: ['A limit order has no activation price.'] }, 400)
  }
  const { orders } = venue.state
  const size = limitSize(
    market,
    amount ?? market.amountText(orders.left[row] ?? 0),
    price ?? market.priceText(orders.ticks[row] ?? 0),
  )
  if ('refusal' in size) return inner(size.refusal.finerCode, size.refusal.errors)
  const tooFar = bandProblem(venue, market, size.ticks)
  if (tooFar !== undefined) return inner(250, { price: [tooFar] })
  const change = { ...size, ...(stp === undefined ? {} : { selfTrade: selfTradeNumber(stp) }) }
  const flags = orders.flags[row] ?? 0
  const changed = modify(venue.floor, row, change, now)
  if (typeof changed === 'string') {
    const { finerCode, errors } = notPlaced(changed, flags)
    return inner(finerCode, errors)
  }
  const text = orderText(venue, market, changed, true)
  react(venue.floor, now)
  return new Written(text)
}

function inner(code: number, errors: Problems, status = 422): Refused {
  return new Refused({ status, code, message: 'Validation failed', errors })
}

export function marketOf(venue: Venue, name: string): Market | Refused {
  return venue.markets.get(name) ?? inner(31, { market: ['Market is not available.'] })
}

function namingProblems({ order_id, client_order_id }: Named): Problems | undefined {
  if ((order_id === undefined) !== (client_order_id === undefined)) return undefined
  const text = 'Exactly one of order_id and client_order_id is expected.'
  return { order_id: [text], client_order_id: [text] }
}

function keyOf(named: Named): 'order_id' | 'client_order_id' {
  return named.order_id === undefined ? 'client_order_id' : 'order_id'
}

/** An order that was filled and one that never was are not told apart. */
function notFound(named: Named): Refusal {
  const errors = { [keyOf(named)]: ['Unexecuted order was not found.'] }
  return { status: 400, code: 2, message: 'Inner validation failed', errors }
}
