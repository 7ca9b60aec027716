import type { Exchange } from '#src/exchange/exchange.ts'
import { flag, statuses } from '#src/exchange/trading/book/order-columns.ts'
import type { OutgoingRequest } from '#src/venues/whitebit/client/transport/transport.ts'
import { contract } from '#src/venues/whitebit/contract/endpoint-table.ts'
import { Secret, signedHeaders } from '#src/venues/whitebit/contract/wire/signing.ts'
import type { WireResponse } from '#src/venues/whitebit/contract/wire/wire.ts'
import type { WorldChange } from '#test/support/world.ts'
import { z } from 'zod'

/** A venue above the embedded exchange: it may change a call and its answer, and act on its own. */
export type VenueLayer = (call: LayeredCall) => Promise<WireResponse>
type LayeredCall = {
  request: OutgoingRequest
  exchange: Exchange
  deliver: (request: OutgoingRequest) => Promise<WireResponse>
}

/** What the venue does on its own has another key of the account: a key has its own nonces. */
export const venueKey: WorldChange = {
  accounts: {
    paper: {
      keys: ['paper', 'venue'].map((name) => ({
        key: `${name}-key`,
        secret: `${name}-secret`,
        permissions: ['read', 'trade', 'funds', 'account'],
      })),
    },
  },
}

const modifying = contract.modifyOrder.path
const call = z.looseObject({ request: z.string(), nonce: z.string(), order_id: z.int().optional() })
const change = z.looseObject({ market: z.string(), order_id: z.int(), price: z.string(), amount: z.string() })
const order = z.looseObject({ order_id: z.int(), client_order_id: z.string() })
const bulk = z.tuple([z.looseObject({ result: order.nullable() })])
const history = z.record(z.string(), z.array(z.looseObject({ id: z.unknown() }))).or(z.tuple([]))
const refusal = z.looseObject({ code: z.int() })
type Json = Record<string, unknown>

function jsonOf({ body }: { body: string | Uint8Array }): unknown {
  return JSON.parse(typeof body === 'string' ? body : Buffer.from(body).toString())
}

/** The same call with another body, signed with this key. */
function signed(request: OutgoingRequest, json: Json, name = 'paper'): OutgoingRequest {
  const body = Buffer.from(JSON.stringify(json))
  const credentials = { key: `${name}-key`, secret: new Secret(`${name}-secret`) }
  return { ...request, headers: { ...request.headers, ...signedHeaders(credentials, body) }, body }
}

/** A call of the venue itself, with the nonce of the call that caused it. */
async function venueCall(
  { request, deliver }: LayeredCall,
  path: string,
  parameters: Json,
): Promise<WireResponse> {
  const { nonce } = call.parse(jsonOf(request))
  return deliver(signed({ ...request, path }, { ...parameters, request: path, nonce }, 'venue'))
}

/** A layer that concerns the calls to modify an order. */
function onModify(act: (call: LayeredCall) => Promise<WireResponse>): VenueLayer {
  return (layered) => (layered.request.path === modifying ? act(layered) : layered.deliver(layered.request))
}

/** The row of an open order, or -1. */
function rowOf({ state }: Exchange, id: number): number {
  const { orders } = state
  return orders.id.findIndex((each, row) => each === id && statuses[orders.status[row] ?? -1] === 'OPEN')
}

function placedIn(response: WireResponse): z.output<typeof order> | undefined {
  return order.safeParse(jsonOf(response)).data
}

/** Gives the amended order this client order id. */
function renaming(nameOf: (id: number) => string): VenueLayer {
  return onModify(async ({ request, exchange, deliver }) => {
    const response = await deliver(request)
    const placed = placedIn(response)
    if (!placed) return response
    const name = nameOf(placed.order_id)
    exchange.state.orders.clientId[rowOf(exchange, placed.order_id)] = name
    return { ...response, body: JSON.stringify({ ...placed, client_order_id: name }) }
  })
}

/** Places the order that a call to modify describes, beside all others; undefined if it is refused. */
async function placeBeside(layered: LayeredCall, id: string): Promise<WireResponse | undefined> {
  const { market, price, amount } = change.parse(jsonOf(layered.request))
  const placing = { market, side: 'buy', price, amount, client_order_id: id, postOnly: true }
  const response = await venueCall(layered, contract.collateralBulk.path, { orders: [placing] })
  const [{ result }] = bulk.parse(jsonOf(response))
  return result ? { ...response, body: JSON.stringify(result) } : undefined
}

/** Orders keep their first id, and the venue translates in both directions. */
function keepsIds(): VenueLayer {
  const current = new Map<number, number>()
  return async ({ request, deliver }) => {
    if (request.method === 'GET') return deliver(request)
    const json = call.parse(jsonOf(request))
    const { order_id: named } = json
    const there = named === undefined ? undefined : (current.get(named) ?? named)
    const response = await deliver(
      there === undefined ? request : signed(request, { ...json, order_id: there }),
    )
    const placed = request.path === modifying ? placedIn(response) : undefined
    if (placed && named !== undefined) current.set(named, placed.order_id)
    let { body } = response
    for (const [first, now] of current) body = body.replaceAll(`"order_id":${now}`, `"order_id":${first}`)
    return { ...response, body }
  }
}

/** The history leaves out orders that an amendment has ended. */
function hidesEnds(): VenueLayer {
  const ended = new Set<unknown>()
  return async ({ request, deliver }) => {
    const response = await deliver(request)
    if (request.path === modifying && placedIn(response)) ended.add(call.parse(jsonOf(request)).order_id)
    if (request.path !== contract.orderHistory.path || response.status !== 200) return response
    const lists = history.parse(jsonOf(response))
    const kept = Object.entries(lists).map(([market, list]) => [
      market,
      list.filter(({ id }) => !ended.has(id)),
    ])
    return { ...response, body: JSON.stringify(Object.fromEntries(kept)) }
  }
}

/** An amended order is no postOnly order; the venue still answers that it is, if it `claims` so. */
function takes(claims: boolean): VenueLayer {
  return onModify(async ({ request, exchange, deliver }) => {
    const { flags } = exchange.state.orders
    const old = rowOf(exchange, change.parse(jsonOf(request)).order_id)
    if (old > 0) flags[old] = (flags[old] ?? 0) & ~flag.postOnly
    const response = await deliver(request)
    return claims
      ? { ...response, body: response.body.replace('"postOnly":false', '"postOnly":true') }
      : response
  })
}

const notOffered = { code: 0, message: 'This endpoint does not exist.', errors: {} }
const otherWords = { code: 30, message: 'Validation failed', errors: { order_id: ['It cannot be changed.'] } }
const isRefusedAsGone = (response: WireResponse) => refusal.safeParse(jsonOf(response)).data?.code === 2

/** What a probe finds out about amended orders at the embedded exchange. */
export const usualAmendments = {
  amendId: 'new',
  amendClientId: 'kept',
  amendTerms: 'as sent',
  amendLists: 'replaced',
  amendGone: 'gone',
  amendRefused: 'kept',
  amendCross: 'refused',
  amendFilled: null,
}

/** Venues that treat an amendment otherwise. */
export const otherVenues = {
  'keeps the id': keepsIds,
  'loses the client order id': () => renaming(() => ''),
  'gives another client order id': () => renaming((id) => `venue-${id}`),
  'keeps the amount': () =>
    onModify(({ request, deliver }) => {
      const { amount: _, ...rest } = call.parse(jsonOf(request))
      return deliver(signed(request, rest))
    }),
  'leaves the old order open': () =>
    onModify(async (layered) => {
      const { request, exchange } = layered
      const { clientId } = exchange.state.orders
      const row = rowOf(exchange, change.parse(jsonOf(request)).order_id)
      const response = row < 1 ? undefined : await placeBeside(layered, '')
      if (!response) return layered.deliver(request)
      const placed = order.parse(jsonOf(response))
      const name = (clientId[rowOf(exchange, placed.order_id)] = clientId[row] ?? '')
      return { ...response, body: JSON.stringify({ ...placed, client_order_id: name }) }
    }),
  'does not list the end': hidesEnds,
  'amends an order that has ended': () => {
    let count = 0
    return onModify(async (layered) => {
      const response = await layered.deliver(layered.request)
      const id = `rungs-probe-again-${count++}`
      return (isRefusedAsGone(response) && (await placeBeside(layered, id))) || response
    })
  },
  'has other words for an order that has ended': () =>
    onModify(async ({ request, deliver }) => {
      const response = await deliver(request)
      return isRefusedAsGone(response) ? { ...response, body: JSON.stringify(otherWords) } : response
    }),
  'ends an order whose amendment it refuses': () =>
    onModify(async (layered) => {
      const response = await layered.deliver(layered.request)
      if (placedIn(response)) return response
      const { market, order_id } = change.parse(jsonOf(layered.request))
      await venueCall(layered, contract.cancelOrder.path, { market, order_id })
      return response
    }),
  'takes with an amended postOnly order': () => takes(true),
  'drops postOnly of an amended order': () => takes(false),
  'does not offer amendments': () =>
    onModify(async () => ({ status: 404, headers: {}, body: JSON.stringify(notOffered) })),
} satisfies Record<string, () => VenueLayer>
