import type { Problems } from '#src/venues/whitebit/contract/wire/problems.ts'
import { invalidTrade, type Refusal } from '#src/venues/whitebit/contract/wire/refusals.ts'
import { contract } from '#src/venues/whitebit/contract/endpoint-table.ts'
import { pageOf } from '#src/exchange/handlers/paging.ts'
import { restingOf, type Named } from '#src/exchange/trading/orders/find-orders.ts'
import type { Market } from '#src/exchange/trading/book/market.ts'
import { orderText, waitingText } from '#src/exchange/trading/orders/order-text.ts'
import { positionSides } from '#src/exchange/trading/book/order-columns.ts'
import {
  findOrder,
  waitingOf,
  withdrawAll,
  withdrawFound,
  type Found,
} from '#src/exchange/trading/orders/cancel-orders.ts'
import { Refused, Written, type Handler, type Venue } from '#src/exchange/venue-context.ts'

export const openOrders: Handler<'openOrders'> = ({ venue, account, parameters }) => {
  const { market: name, order_id, client_order_id } = parameters
  const { limit, offset } = pageOf(contract.openOrders, parameters)
  const { floor, state } = venue
  const market = name === undefined ? undefined : marketOf(venue, name)
  if (market instanceof Refused) return market
  if (order_id !== undefined || client_order_id !== undefined) {
    if (market === undefined) return new Refused(invalidTrade({ market: ['Market field is required.'] }))
    const found = findOrder(floor, account, market, { order_id, client_order_id })
    return new Written(found === undefined ? '[]' : `[${foundText(venue, market, found)}]`)
  }
  const about = { market: market?.number }
  const resting = [...restingOf(floor, account, about)].map((each) => ({
    id: state.orders.id[each.row] ?? 0,
    market: each.market,
    found: { row: each.row },
  }))
  const waiting = waitingOf(floor, account, about).flatMap((trigger) => {
    const where = floor.markets[trigger.market]
    return where === undefined ? [] : [{ id: trigger.id, market: where, found: { trigger } }]
  })
  const page = [...resting, ...waiting].sort((a, b) => b.id - a.id).slice(offset, offset + limit)
  return new Written(`[${page.map((each) => foundText(venue, each.market, each.found)).join(',')}]`)
}

export const cancelOrder: Handler<'cancelOrder'> = ({ venue, account, parameters, now }) => {
  const market = marketOf(venue, parameters.market)
  if (market instanceof Refused) return market
  const problems = namingProblems(parameters)
  if (problems) return new Refused(invalidTrade(problems))
  const found = findOrder(venue.floor, account, market, parameters)
  if (found === undefined) return new Refused(notFound(parameters))
  withdrawFound(venue.floor, account, market, found, now)
  return new Written(foundText(venue, market, found, 'CANCELED'))
}

/** An order as lists tell of it; the status is for one that waits. */
function foundText(venue: Venue, market: Market, found: Found, status?: 'CANCELED'): string {
  if ('row' in found) return orderText(venue, market, found.row, true)
  return waitingText(venue, market, found.trigger, true, status)
}

export const cancelOrders: Handler<'cancelOrders'> = ({ venue, account, parameters, now }) =>
  parameters.orders.map((named) => {
    const market = venue.markets.get(named.market)
    if (market === undefined) return failed(31, { market: ['Market is not available.'] })
    const problems = namingProblems(named)
    if (problems) return failed(30, problems)
    const found = findOrder(venue.floor, account, market, named)
    if (found === undefined) {
      return failed(404, { [keyOf(named)]: ['Order does not exist or already cancelled'] })
    }
    withdrawFound(venue.floor, account, market, found, now)
    return { result: namesOf(venue, market, found), error: null }
  })

function namesOf({ state: { orders } }: Venue, { name: market }: Market, found: Found) {
  return 'row' in found
    ? { order_id: orders.id[found.row] ?? 0, client_order_id: orders.clientId[found.row] ?? '', market }
    : { order_id: found.trigger.id, client_order_id: found.trigger.draft.clientId, market }
}

function failed(code: number, errors: Problems) {
  return { result: null, error: { code, message: 'Validation failed', errors } }
}

export const cancelAll: Handler<'cancelAll'> = ({ venue, account, parameters, now }) => {
  const market = parameters.market === undefined ? undefined : marketOf(venue, parameters.market)
  if (market instanceof Refused) return market
  const { type: kinds } = parameters
  const side = positionSides.findIndex((name) => name.toLowerCase() === parameters.positionSide)
  const positionSide = side === -1 ? undefined : side
  withdrawAll(venue.floor, account, { market: market?.number, kinds, positionSide }, now)
  return []
}

export function inner(code: number, errors: Problems, status = 422): Refused {
  return new Refused({ status, code, message: 'Validation failed', errors })
}

/** The market of that name. */
export function marketOf(venue: Venue, name: string): Market | Refused {
  return venue.markets.get(name) ?? inner(31, { market: ['Market is not available.'] })
}

export function namingProblems({ order_id, client_order_id }: Named): Problems | undefined {
  if ((order_id === undefined) !== (client_order_id === undefined)) return undefined
  const text = 'Exactly one of order_id and client_order_id is expected.'
  return { order_id: [text], client_order_id: [text] }
}

function keyOf(named: Named): 'order_id' | 'client_order_id' {
  return named.order_id === undefined ? 'client_order_id' : 'order_id'
}

/** An order that was filled and one that never was are not told apart. */
export function notFound(named: Named): Refusal {
  const errors = { [keyOf(named)]: ['Unexecuted order was not found.'] }
  return { status: 400, code: 2, message: 'Inner validation failed', errors }
}
