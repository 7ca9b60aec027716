import fc from 'fast-check'
import { expect, test } from 'vitest'
import { z } from 'zod'
import type { Endpoint } from '#src/venues/whitebit/contract/endpoint.ts'
import { inverted, respell } from '#src/venues/whitebit/contract/wire/spelling.ts'
import { contract } from '#src/venues/whitebit/contract/endpoint-table.ts'
import { Decimal, decimal, decimalText as plainText } from '#src/core/money/decimal.ts'
import { decimalText } from '#test/core/money/oracle.ts'
import { arbitraryOf } from './arbitrary-of.ts'
import { runs } from './runs.ts'

const rows: [string, Endpoint][] = Object.entries(contract)
const overTheWire = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

test.each(rows)('%s: a request that is encoded, sent and decoded equals the original', (_, row) => {
  fc.assert(
    fc.property(arbitraryOf(row.request), (wire) => {
      const meant = z.decode(row.request, z.encode(row.request, z.decode(row.request, plain(wire))))
      const sent = overTheWire(z.encode(row.request, meant))
      expect((row.gate ?? row.request).safeParse(sent).success).toBe(true)
      expect(z.decode(row.request, plain(sent))).toEqual(meant)
    }),
    runs(80, 1000),
  )
})

test.each(rows)('%s: an answer that is written, sent and read equals the original', (_, row) => {
  fc.assert(
    fc.property(arbitraryOf(row.response), (answer) => {
      const read = z.decode(row.response, overTheWire(answer))
      const again = z.decode(row.response, overTheWire(z.encode(row.response, read)))
      expect(again).toEqual(read)
      if (!Array.isArray(answer) || row.path !== contract.orderHistory.path)
        expect(read).toEqual(overTheWire(answer))
    }),
    runs(80, 1000),
  )
})

test.each(rows.filter(([, { camel }]) => camel !== undefined))(
  '%s: the other spelling loses nothing',
  (_, row) => {
    const { request = {}, response = {} } = row.camel ?? {}
    fc.assert(
      fc.property(arbitraryOf(row.request), arbitraryOf(row.response), (asked, answered) => {
        for (const [value, names] of [
          [asked, request],
          [answered, response],
        ] as const) {
          const there = respell(value, names)
          expect(respell(there, inverted(names))).toEqual(value)
          for (const name of Object.keys(names)) expect(keysIn(there)).not.toContain(name)
        }
      }),
      runs(80, 1000),
    )
  },
)

test.each(rows)('%s: the examples fit their own row', (_, row) => {
  expect(row.request.safeParse(row.example.request).success).toBe(true)
  expect(row.response.safeParse(row.example.response).success).toBe(true)
})

test('a Decimal parameter is sent as plain text, and one that does not fit the API is refused', () => {
  const planId = contract.fixedInvest.example.request.planId
  const encode = (amount: Decimal) => z.encode(contract.fixedInvest.request, { planId, amount })
  fc.assert(
    fc.property(decimalText, (text) => {
      expect(encode(decimal(text))).toEqual({ planId, amount: plainText(decimal(text)) })
    }),
    runs(200, 2000),
  )
  for (const value of ['-1', '1e18', '1e-19', 'NaN', 'Infinity']) {
    expect(() => encode(new Decimal(value))).toThrow()
  }
})

function plain(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null) throw new TypeError('a request is an object')
  return { ...value }
}

function keysIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, item]) => [key].concat(keysIn(item)))
}
