import type { Problems } from '#src/venues/whitebit/contract/wire/problems.ts'
import { invalidTrade, type ApiRefusal } from '#src/venues/whitebit/contract/wire/refusals.ts'
import { invalidTradeField } from '#src/exchange/handlers/refused-field.ts'
import { contract } from '#src/venues/whitebit/contract/endpoint-table.ts'
import { pageOf } from '#src/exchange/handlers/paging.ts'
import { restingOf, type Named } from '#src/exchange/trading/orders/find-orders.ts'
import type { Market } from '#src/exchange/trading/book/market.ts'
import type { OrderRefusal } from '#src/exchange/trading/orders/order-refusal.ts'
import { orderText, waitingText } from '#src/exchange/trading/orders/order-text.ts'
import { positionSides } from '#src/exchange/trading/book/order-columns.ts'
import {
  findOrder,
  waitingOf,
  cancelSelected,
  cancelFound,
  type FoundOrder,
} from '#src/exchange/trading/orders/cancel-orders.ts'
import { RefusedCall, WrittenAnswer, type Handler, type VenueContext } from '#src/exchange/venue-context.ts'

export const openOrders: Handler<'openOrders'> = ({ venue, account, parameters }) => {
  const { market: name, order_id, client_order_id } = parameters
  const { limit, offset } = pageOf(contract.openOrders, parameters)
  const { trading, state } = venue
  const market = name === undefined ? undefined : marketOf(venue, name)
  if (market instanceof RefusedCall) return market
  if (order_id !== undefined || client_order_id !== undefined) {
    if (market === undefined) return invalidTradeField('market', 'Market field is required.')
    const found = findOrder(trading, account, market, { order_id, client_order_id })
    return new WrittenAnswer(found === undefined ? '[]' : `[${foundText(venue, market, found)}]`)
  }
  const about = { market: market?.number }
  const resting = [...restingOf(trading, account, about)].map((each) => ({
    id: state.orders.id[each.row] ?? 0,
    market: each.market,
    found: { row: each.row },
  }))
  const waiting = waitingOf(trading, account, about).flatMap((trigger) => {
    const where = trading.markets[trigger.market]
    return where === undefined ? [] : [{ id: trigger.id, market: where, found: { trigger } }]
  })
  const page = [...resting, ...waiting].sort((a, b) => b.id - a.id).slice(offset, offset + limit)
  return new WrittenAnswer(`[${page.map((each) => foundText(venue, each.market, each.found)).join(',')}]`)
}

export const cancelOrder: Handler<'cancelOrder'> = ({ venue, account, parameters, now }) => {
  const market = marketOf(venue, parameters.market)
  if (market instanceof RefusedCall) return market
  const problems = namingProblems(parameters)
  if (problems) return new RefusedCall(invalidTrade(problems))
  const found = findOrder(venue.trading, account, market, parameters)
  if (found === undefined) return new RefusedCall(notFound(parameters))
  cancelFound(venue.trading, account, market, found, now)
  return new WrittenAnswer(foundText(venue, market, found, 'CANCELED'))
}

/** An order as the lists return it; only a trigger order has a `status`. */
function foundText(venue: VenueContext, market: Market, found: FoundOrder, status?: 'CANCELED'): string {
  if ('row' in found) return orderText(venue, market, found.row, true)
  return waitingText(venue, market, found.trigger, true, status)
}

export const cancelOrders: Handler<'cancelOrders'> = ({ venue, account, parameters, now }) =>
  parameters.orders.map((named) => {
    const market = venue.markets.get(named.market)
    if (market === undefined) return failed(31, { market: ['Market is not available.'] })
    const problems = namingProblems(named)
    if (problems) return failed(30, problems)
    const found = findOrder(venue.trading, account, market, named)
    if (found === undefined) {
      return failed(404, { [keyOf(named)]: ['Order does not exist or already cancelled'] })
    }
    cancelFound(venue.trading, account, market, found, now)
    return { result: namesOf(venue, market, found), error: null }
  })

function namesOf({ state: { orders } }: VenueContext, { name: market }: Market, found: FoundOrder) {
  return 'row' in found
    ? { order_id: orders.id[found.row] ?? 0, client_order_id: orders.clientId[found.row] ?? '', market }
    : { order_id: found.trigger.id, client_order_id: found.trigger.draft.clientId, market }
}

function failed(code: number, errors: Problems) {
  return { result: null, error: { code, message: 'Validation failed', errors } }
}

export const cancelAll: Handler<'cancelAll'> = ({ venue, account, parameters, now }) => {
  const market = parameters.market === undefined ? undefined : marketOf(venue, parameters.market)
  if (market instanceof RefusedCall) return market
  const { type: kinds } = parameters
  const side = positionSides.findIndex((name) => name.toLowerCase() === parameters.positionSide)
  const positionSide = side === -1 ? undefined : side
  cancelSelected(venue.trading, account, { market: market?.number, kinds, positionSide }, now)
  return []
}

export function inner(code: number, errors: Problems, status = 422): RefusedCall {
  return new RefusedCall({ status, code, message: 'Validation failed', errors })
}

export function refusedOrder({ finerCode, errors }: OrderRefusal): RefusedCall {
  return inner(finerCode, errors)
}

/** The market with this name, or the refusal. */
export function marketOf(venue: VenueContext, name: string): Market | RefusedCall {
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

/** The answer is the same for a filled order and for an unknown one. */
export function notFound(named: Named): ApiRefusal {
  const errors = { [keyOf(named)]: ['Unexecuted order was not found.'] }
  return { status: 400, code: 2, message: 'Inner validation failed', errors }
}
