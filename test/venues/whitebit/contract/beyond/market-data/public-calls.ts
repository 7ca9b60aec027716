import { expect } from 'vitest'
import type { Endpoint } from '#src/venues/whitebit/contract/endpoint.ts'
import { contract, type EndpointName } from '#src/venues/whitebit/contract/endpoint-table.ts'
import type { AccountName, TestVenue } from '#test/support/venue.ts'
import type { Exchanged } from '#test/support/wire-tap.ts'
import { order, type SpecOrder } from '#test/venues/whitebit/contract/spec/reading.ts'

/** A public call as a browser's address bar would make it. */
export function asked(
  venue: TestVenue,
  name: EndpointName,
  parameters: Record<string, string | number> = {},
): Promise<Exchanged> {
  const row: Endpoint = contract[name]
  const { market, ...others } = parameters
  const inPath = row.path.endsWith('/{market}')
  const query = Object.entries(inPath ? others : parameters).map(([key, value]) => `${key}=${value}`)
  return venue.send({
    method: 'GET',
    path: inPath ? row.path.replace('{market}', String(market)) : row.path,
    query: query.join('&'),
  })
}

/** The success of a public call, as it stood on the wire. */
export async function told(
  venue: TestVenue,
  name: EndpointName,
  parameters: Record<string, string | number> = {},
): Promise<unknown> {
  const { status, body, contentType } = await asked(venue, name, parameters)
  expect({ status, contentType }, body).toEqual({ status: 200, contentType: 'application/json' })
  const answer: unknown = JSON.parse(body)
  expect(contract[name].response.safeParse(answer).success, body).toBe(true)
  return answer
}

/** The result in the envelope that some answers have. */
export async function toldInside(
  venue: TestVenue,
  name: EndpointName,
  parameters: Record<string, string | number> = {},
): Promise<unknown> {
  const { success, message, result }: Record<string, unknown> = Object(await told(venue, name, parameters))
  expect({ success, message }).toEqual({ success: true, message: null })
  return result
}

/** Orders that must all be accepted, and what became of each at once. */
export async function sent(
  venue: TestVenue,
  as: AccountName,
  orders: readonly Partial<SpecOrder>[],
): Promise<string[]> {
  const outcome = await venue[as].collateralBulk({ orders: orders.map(order) })
  return outcome.orders.map((each) => {
    if (each.kind !== 'accepted') throw new Error(`expected an order, not ${JSON.stringify(each)}`)
    return each.order.status
  })
}

/** Paper rests, rival takes all of it. */
export async function trade(
  venue: TestVenue,
  about: Partial<SpecOrder> & Pick<SpecOrder, 'price' | 'amount'>,
): Promise<void> {
  const side = about.side ?? 'buy'
  expect(await sent(venue, 'paper', [{ ...about, side: side === 'buy' ? 'sell' : 'buy' }])).toEqual(['OPEN'])
  expect(await sent(venue, 'rival', [{ ...about, side }])).toEqual(['FILLED'])
}
