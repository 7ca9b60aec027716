import fc from 'fast-check'
import { z } from 'zod'
import { expect, test } from 'vitest'
import { fitsFast } from '#src/venues/whitebit/client/answers/fast-validation.ts'
import { encodeParameters } from '#src/venues/whitebit/client/calls/signed-request.ts'
import type { Endpoint } from '#src/venues/whitebit/contract/endpoint.ts'
import { streamUpdates } from '#src/venues/whitebit/contract/streams/stream-frames.ts'
import { contract } from '#src/venues/whitebit/contract/endpoint-table.ts'
import { decimal } from '#src/core/money/decimal.ts'
import { runs } from '#test/properties/runs.ts'

const rows: Endpoint[] = Object.values(contract)
const { collateralBulk } = contract

type Place = (string | number)[]

/** Every place inside of a value, itself included. */
function places(value: unknown, path: Place = []): Place[] {
  if (typeof value !== 'object' || value === null) return [path]
  return [path, ...Object.entries(value).flatMap(([name, item]) => places(item, [...path, name]))]
}

/** The value with something else at one place. */
function changed(value: unknown, [name, ...rest]: Place, item: unknown): unknown {
  if (name === undefined) return item
  const inside: unknown = Reflect.get(Object(value), name)
  const fresh = changed(inside, rest, item)
  if (Array.isArray(value)) return value.map((each, index) => (String(index) === String(name) ? fresh : each))
  return { ...Object(value), [name]: fresh }
}

const anything = fc.oneof(
  fc.anything(),
  fc.constantFrom<unknown>(
    null,
    undefined,
    '',
    '0',
    '1e5',
    '-1',
    '01',
    0,
    -1,
    1.5,
    2 ** 53,
    NaN,
    Infinity,
    [],
    {},
  ),
  fc.constantFrom<unknown>('buy', 'BTC_PERP', 'LONG', true, decimal('0.5'), { extra: 1 }),
)

test('what fits plainly is what the schema would give back, for every row and every change', () => {
  const change = fc.constantFrom(...rows).chain((row) => {
    const request = fc.constantFrom(...places(row.example.request))
    const response = fc.constantFrom(...places(row.example.response))
    return fc.record({ row: fc.constant(row), request, response, item: anything, extra: fc.boolean() })
  })
  fc.assert(
    fc.property(change, ({ row, request, response, item, extra }) => {
      const asked = changed(row.example.request, extra ? [...request, 'extra'] : request, item)
      if (fitsFast(row.request, asked)) {
        expect(z.safeEncode(row.request, Object(asked))).toEqual({ success: true, data: asked })
      }
      const answered = changed(row.example.response, extra ? [...response, 'extra'] : response, item)
      if (fitsFast(row.response, answered)) {
        expect(row.response.safeParse(answered)).toEqual({ success: true, data: answered })
      }
    }),
    runs(3000, 90_000),
  )
})

const frames: [keyof typeof streamUpdates, unknown][] = [
  ['bookTicker', [[1.5e9, 1_500_000_000.25, 'BTC_PERP', 7, '60000', '1', '60001', '1.5']]],
  ['lastprice', ['BTC_PERP', '60000.5']],
  ['trades', ['BTC_PERP', [{ id: 1, time: 1.5e9, price: '60000', amount: '0.5', type: 'buy' }]]],
]

test('frames take the short way, and what fits plainly is what their schema would give back', () => {
  for (const [channel, params] of frames) {
    const schema: z.ZodType = streamUpdates[channel]
    expect(fitsFast(schema, params)).toBe(true)
    const place = fc.constantFrom(...places(params))
    fc.assert(
      fc.property(place, anything, fc.boolean(), (place, item, extra) => {
        const told = changed(params, extra ? [...place, 'extra'] : place, item)
        if (fitsFast(schema, told)) expect(schema.safeParse(told)).toEqual({ success: true, data: told })
      }),
      runs(500, 15_000),
    )
  }
})

test('a bulk of plain text takes the short way, both there and back', () => {
  expect(fitsFast(collateralBulk.request, collateralBulk.example.request)).toBe(true)
  const [answered] = collateralBulk.example.response
  expect(fitsFast(collateralBulk.response, [answered])).toBe(true)
})

test('so do the orders that have ended, and those that were taken back', () => {
  const { orderHistory, cancelOrders } = contract
  expect(fitsFast(orderHistory.response, orderHistory.example.response)).toBe(true)
  expect(fitsFast(orderHistory.response, [])).toBe(false)
  expect(fitsFast(cancelOrders.response, cancelOrders.example.response)).toBe(true)
})

test('parameters are copied when the call is made: a later change of them does not count', () => {
  const rung: Record<string, unknown> = { ...collateralBulk.example.request.orders[0] }
  const parameters = { orders: [rung], stopOnFail: true }
  const encoded = encodeParameters(collateralBulk, parameters)
  rung['amount'] = '99'
  parameters.stopOnFail = false
  expect(encoded).toEqual({
    wire: { orders: [collateralBulk.example.request.orders[0]], stopOnFail: true },
  })
})

test('what a value inherits never counts as its own', () => {
  const order = contract.collateralBulk.example.request.orders[0]
  expect(fitsFast(contract.collateralBulk.request, { orders: [order] })).toBe(true)
  expect(fitsFast(contract.collateralBulk.request, { orders: [Object.create(order ?? null)] })).toBe(false)
})
