import fc from 'fast-check'
import { z } from 'zod'
import { expect, test } from 'vitest'
import { fitsExactly, valueReader } from '#src/venues/whitebit/contract/codec/value-reader.ts'
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

/** As it arrives: JSON has no `undefined`, no inherited names, no other prototypes. */
const overTheWire = (value: unknown): unknown => JSON.parse(JSON.stringify(value) ?? 'null')

/** The schema is the law: the reader must read what it reads, and refuse what it refuses. */
function readsAsSchema(schema: z.ZodType, value: unknown): void {
  const told = overTheWire(value)
  const { success, data } = schema.safeParse(told)
  const read = valueReader(schema)(told)
  if (success) expect(read).toEqual({ value: data, unread: [] })
  // A number is read in both forms, and given back in the form of the schema.
  else if ('value' in read) expect(schema.safeParse(read.value).success).toBe(true)
}

test('the reader of values reads what the schema reads, for every row and every change', () => {
  const change = fc.constantFrom(...rows).chain((row) => {
    const request = fc.constantFrom(...places(row.example.request))
    const response = fc.constantFrom(...places(row.example.response))
    return fc.record({ row: fc.constant(row), request, response, item: anything, extra: fc.boolean() })
  })
  fc.assert(
    fc.property(change, ({ row, request, response, item, extra }) => {
      const asked = changed(row.example.request, extra ? [...request, 'extra'] : request, item)
      if (fitsExactly(row.request, asked)) {
        expect(z.safeEncode(row.request, Object(asked))).toEqual({ success: true, data: asked })
      }
      readsAsSchema(
        row.response,
        changed(row.example.response, extra ? [...response, 'extra'] : response, item),
      )
    }),
    runs(3000, 90_000),
  )
})

const frames: [keyof typeof streamUpdates, unknown][] = [
  ['bookTicker', [[1.5e9, 1_500_000_000.25, 'BTC_PERP', 7, '60000', '1', '60001', '1.5']]],
  ['lastprice', ['BTC_PERP', '60000.5']],
  ['trades', ['BTC_PERP', [{ id: 1, time: 1.5e9, price: '60000', amount: '0.5', type: 'buy' }]]],
]

test('frames of streams are read as their schema reads them', () => {
  for (const [channel, params] of frames) {
    const schema: z.ZodType = streamUpdates[channel]
    expect(valueReader(schema)(params)).toEqual({ value: params, unread: [] })
    const place = fc.constantFrom(...places(params))
    fc.assert(
      fc.property(place, anything, fc.boolean(), (place, item, extra) => {
        readsAsSchema(schema, changed(params, extra ? [...place, 'extra'] : place, item))
      }),
      runs(500, 15_000),
    )
  }
})

test('a value that holds no more than its schema is given back without a copy', () => {
  const { orderHistory, cancelOrders } = contract
  expect(fitsExactly(collateralBulk.request, collateralBulk.example.request)).toBe(true)
  for (const row of [collateralBulk, orderHistory, cancelOrders])
    expect(fitsExactly(row.response, row.example.response), row.path).toBe(true)
  expect(fitsExactly(orderHistory.response, [])).toBe(false)
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
  expect(fitsExactly(contract.collateralBulk.request, { orders: [order] })).toBe(true)
  expect(fitsExactly(contract.collateralBulk.request, { orders: [Object.create(order ?? null)] })).toBe(false)
})

test('each decimal number of a fill in a stream may be a JSON number, a fee below zero, too', () => {
  const [begin, end] = [
    [7, 1.5e9, 'BTC_PERP', 8],
    ['grid-1', 1, 2, 'USDT'],
  ]
  expect(valueReader(streamUpdates.deals)([...begin, 60000.5, 0.5, -0.25, ...end])).toEqual({
    value: [...begin, '60000.5', '0.5', '-0.25', ...end],
    unread: [],
  })
})
