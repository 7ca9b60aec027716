import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Endpoint } from '#src/venues/whitebit/contract/endpoint.ts'
import { withNumbersRead } from '#src/venues/whitebit/contract/wire/number-text.ts'
import { contract } from '#src/venues/whitebit/contract/endpoint-table.ts'
import { openVenue } from '#test/exchange/exchange-fixture.ts'
import { arbitraryOf } from '#test/properties/arbitrary-of.ts'
import { runs } from '#test/properties/runs.ts'

const rows: readonly Endpoint[] = Object.values(contract)
const { collateralBulk, createCode, flexHistory, flexInvestments, orderHistory } = contract

/** As a client writes it that knows no numbers. */
function asText(value: unknown): unknown {
  if (typeof value === 'number') return String(value)
  if (Array.isArray(value)) return value.map(asText)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, asText(item)]))
}

test('integers as text are the integers, at any depth of any row, and nothing else changes', () => {
  const call = fc
    .constantFrom(...rows)
    .chain((row) => fc.tuple(fc.constant(row), arbitraryOf(row.request).map(Object)))
  fc.assert(
    fc.property(call, ([row, parameters]) => {
      expect(withNumbersRead(row.request, parameters)).toEqual(parameters)
      expect(withNumbersRead(row.request, Object(asText(parameters)))).toEqual(parameters)
    }),
    runs(500, 4000),
  )
})

test('profile full takes an integer as text, profile spec does not', () => {
  const calls: [Endpoint, Record<string, unknown>][] = [
    [orderHistory, { limit: '10', offset: '0' }],
    [flexInvestments, { investmentStatus: '1' }],
    [flexHistory, { actionTypes: ['4', 1], dateFrom: '0' }],
  ]
  for (const [row, parameters] of calls) {
    expect(openVenue({ profile: 'full' }).send(row, 'paper', parameters).status, row.path).toBe(200)
    expect(openVenue().send(row, 'paper', parameters).status, row.path).toBe(row.invalid.status)
  }
})

test('text that is not the plain text of a safe integer is refused in both profiles', () => {
  for (const limit of [
    '',
    ' 1',
    '01',
    '+1',
    '1.0',
    '1e1',
    '0x1',
    '-0',
    '٣',
    '9007199254740993',
    '9'.repeat(400),
  ]) {
    for (const profile of ['full', 'spec'] as const) {
      const { status, errors } = openVenue({ profile }).refused(flexInvestments, 'paper', { limit })
      expect({ status, keys: Object.keys(errors ?? {}) }, limit).toEqual({ status: 400, keys: ['limit'] })
    }
  }
})

test('an integer as text is refused in the words of the integer', () => {
  const venue = openVenue({ profile: 'full' })
  for (const limit of [0, 101, -1]) {
    const { errors } = venue.refused(flexInvestments, 'paper', { limit })
    expect(venue.refused(flexInvestments, 'paper', { limit: String(limit) }).errors).toEqual(errors)
  }
})

test('profile full takes a decimal as a JSON number, profile spec does not', () => {
  for (const amount of [1, 0.5, 100.000_000_01]) {
    const parameters = { ticker: 'USDT', amount }
    expect(openVenue({ profile: 'full' }).send(createCode, 'paper', parameters).status).toBe(201)
    expect(openVenue().send(createCode, 'paper', parameters).status).toBe(400)
  }
  for (const amount of [1e-7, 1e21, -1, true, [1]]) {
    const parameters = { ticker: 'USDT', amount }
    expect(openVenue({ profile: 'full' }).send(createCode, 'paper', parameters).status).toBe(400)
  }
})

test('a decimal as a JSON number means the text that its sender wrote', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 999_999_999 }), fc.integer({ min: 0, max: 6 }), (units, digits) => {
      const text = (units / 10 ** digits).toFixed(digits)
      const { orders }: { orders: { amount?: string; price?: string }[] } = Object(
        withNumbersRead(collateralBulk.request, {
          orders: [{ amount: JSON.parse(text), price: text }],
        }),
      )
      expect(Number(orders[0]?.amount)).toBe(Number(text))
      expect(orders[0]?.amount).toBe(text.includes('.') ? text.replace(/\.?0+$/, '') : text)
      expect(orders[0]?.price).toBe(text)
    }),
    runs(500, 4000),
  )
})

test('a call whose numbers are in order is not copied', () => {
  const orders = [{ market: 'BTC_PERP', side: 'buy', amount: '1', price: '2' }]
  expect(withNumbersRead(collateralBulk.request, { orders })['orders']).toBe(orders)
})
