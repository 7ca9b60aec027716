import { expect } from 'vitest'
import type { Client } from '#src/venues/whitebit/client/client.ts'
import type {
  OrderOutcome,
  PlacedOrder,
  ReadOutcome,
  WriteOutcome,
} from '#src/venues/whitebit/client/answers/outcome.ts'
import type { RequestOf } from '#src/venues/whitebit/contract/endpoint.ts'
import type { Contract, EndpointName } from '#src/venues/whitebit/contract/endpoint-table.ts'
import type { SignedAbout, TestVenue } from '#test/support/venue.ts'
import type { Exchanged } from '#test/support/wire-tap.ts'
import { resources, type ResourceValues } from '#test/venues/whitebit/contract/spec/resources/resources.ts'

type Outcome<Value> = ReadOutcome<Value> | WriteOutcome<Value>
type BulkRequest = RequestOf<Contract['collateralBulk']>
export type SpecOrder = BulkRequest['orders'][number]

/** What the client says a call came to, once it is proven to be a success. */
export async function done<Value>(call: Promise<Outcome<Value>>): Promise<Value> {
  const outcome = await call
  if (outcome.kind !== 'answer' && outcome.kind !== 'accepted') {
    throw new Error(`expected a success, not ${JSON.stringify(outcome)}`)
  }
  return outcome.value
}

/** The answer as it stood on the wire: a success with status 200, exactly the fields of the specification. */
export async function shown<Name extends keyof ResourceValues & EndpointName, Value>(
  venue: TestVenue,
  name: Name,
  call: Promise<Outcome<Value>>,
): Promise<ResourceValues[Name]> {
  await done(call)
  return fits(name, last(venue))
}

export function fits<Name extends keyof ResourceValues>(name: Name, answer: Exchanged): ResourceValues[Name] {
  expect(answer.contentType).toBe('application/json')
  expect(answer.status, answer.body).toBe(200)
  return resources[name].parse(JSON.parse(answer.body))
}

export function last(venue: TestVenue): Exchanged {
  const answer = venue.exchanged.at(-1)
  if (answer === undefined) throw new Error('nothing was called yet')
  return answer
}

export type SpecRefusal = ResourceValues['privateError'] & { status: number; keys: string[] }

/** The private error of an answer, with exactly its three fields. */
export function errorOf(answer: Exchanged): SpecRefusal {
  expect(answer.contentType).toBe('application/json')
  const error = resources.privateError.parse(JSON.parse(answer.body))
  return { ...error, status: answer.status, keys: Object.keys(error.errors).sort() }
}

/** Sends parameters past the client, which would not let them out, and reads the refusal. */
export async function refused(
  venue: TestVenue,
  name: EndpointName,
  parameters: object,
  about: SignedAbout = {},
): Promise<SpecRefusal> {
  return errorOf(await venue.signed(name, parameters, about))
}

/** A refusal that names exactly these parameters, in the shape of code 0. */
export async function refusesKeys(
  venue: TestVenue,
  name: EndpointName,
  parameters: object,
  keys: readonly string[],
  about: SignedAbout = {},
): Promise<SpecRefusal> {
  const error = await refused(venue, name, parameters, about)
  const told = `${name} ${JSON.stringify(parameters)}`
  expect({ code: error.code, message: error.message, keys: error.keys }, told).toEqual({
    code: 0,
    message: 'Validation failed',
    keys: keys.toSorted(),
  })
  return error
}

/** The whole request is refused in the way of the trading family: code 30, and not a word about the cause. */
export async function refusesWhole(
  venue: TestVenue,
  name: EndpointName,
  parameters: object,
): Promise<SpecRefusal> {
  const error = await refused(venue, name, parameters)
  expect({ code: error.code, message: error.message, errors: error.errors }).toEqual({
    code: 30,
    message: 'Validation failed',
    errors: {},
  })
  return error
}

export function order(about: Partial<SpecOrder> = {}): SpecOrder {
  return { market: 'BTC_PERP', side: 'buy', amount: '0.01', price: '50000', ...about }
}

/** Places orders and says for each what became of it; the answer itself has the exact shape of §4.8. */
export async function bulk(
  venue: TestVenue,
  client: Client,
  orders: readonly Partial<SpecOrder>[],
  about: { stopOnFail?: boolean } = {},
): Promise<OrderOutcome[]> {
  const outcome = await client.collateralBulk({ orders: orders.map(order), ...about })
  expect(outcome.kind).toBe('answered')
  fits('collateralBulk', last(venue))
  return outcome.orders
}

export async function place(
  venue: TestVenue,
  client: Client,
  about: Partial<SpecOrder>,
): Promise<PlacedOrder> {
  const [outcome] = await bulk(venue, client, [about])
  if (outcome?.kind !== 'accepted') throw new Error(`expected an order, not ${JSON.stringify(outcome)}`)
  return outcome.order
}

/** One order, whatever stands in it, sent past the client; its element of the answer. */
export async function element(
  venue: TestVenue,
  about: Record<string, unknown>,
): Promise<ResourceValues['collateralBulk'][number]> {
  const answer = await venue.signed('collateralBulk', { orders: [{ ...order(), ...about }] })
  const [only] = fits('collateralBulk', answer)
  if (only === undefined) throw new Error('a bulk of one order has one element')
  return only
}

/** An order that fails by itself does so with code 32 and names exactly these fields. */
export async function failsOn(venue: TestVenue, about: Record<string, unknown>, keys: readonly string[]) {
  const { result, error } = await element(venue, about)
  expect(result).toBeNull()
  expect(
    { code: error?.code, message: error?.message, keys: Object.keys(error?.errors ?? {}).sort() },
    JSON.stringify(about),
  ).toEqual({ code: 32, message: 'Validation failed', keys: keys.toSorted() })
  return error?.errors ?? {}
}

export async function mainBalanceOf(venue: TestVenue, ticker: string): Promise<string | undefined> {
  return (await done(venue.paper.mainBalance({ ticker })))[ticker]?.main_balance
}

export const kindsOf = (orders: readonly OrderOutcome[]): string[] => orders.map((each) => each.kind)
export const dayMs = 86_400_000
export const flexUsdt = '22222222-2222-4222-8222-000000000001'
export const flexBtc = '22222222-2222-4222-8222-000000000002'
export const flexClosed = '22222222-2222-4222-8222-000000000009'
export const fixedUsdt = '33333333-3333-4333-8333-000000000001'
export const fixedBtc = '33333333-3333-4333-8333-000000000002'
export const canceledDeposit = '11111111-1111-4111-8111-000000000001'
export const creditedDeposit = '11111111-1111-4111-8111-000000000002'
export const subAccount = '44444444-4444-4444-8444-000000000001'
export const nowhere = '99999999-9999-4999-8999-999999999999'
export const tronAddress = 'TJCnKsPa7y5okkXvQAidZBzqx3QyQ6sxMW'
