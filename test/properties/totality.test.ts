import fc from 'fast-check'
import { expect, test } from 'vitest'
import { keyHeader, payloadHeader, signatureHeader } from '#src/venues/whitebit/contract/wire/signing.ts'
import type { Endpoint } from '#src/venues/whitebit/contract/endpoint.ts'
import { contract } from '#src/venues/whitebit/contract/endpoint-table.ts'
import type { WireRequest } from '#src/venues/whitebit/contract/wire/wire.ts'
import {
  openVenue,
  paperWorld,
  signedBytes,
  signedCall,
  worldWith,
  type TestExchange,
} from '#test/exchange/exchange-fixture.ts'
import { belongings, complaintAbout, isRefusal } from '#test/fuzz/answer-check.ts'
import { runs } from './runs.ts'

const rows: readonly Endpoint[] = Object.values(contract)
const row = fc.constantFrom(...rows)
const { path } = contract.mainBalance
const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string(),
  fc.constantFrom('application/json', 'paper-key', ''),
)

function check(venue: TestExchange, row: Endpoint | undefined, request: WireRequest): void {
  const before = belongings(venue.exchange.state)
  const response = venue.exchange.handle(request, venue.now())
  expect(complaintAbout(row, response)).toBe(undefined)
  if (isRefusal(row, response)) expect(belongings(venue.exchange.state)).toBe(before)
}

test('any method, path, query, headers and body get an answer of a documented shape', () => {
  const request = fc.record({
    method: fc.oneof(fc.constantFrom('GET', 'POST'), text),
    path: fc.oneof(
      row.map(({ path }) => path),
      text,
    ),
    query: text,
    headers: fc.dictionary(
      fc.oneof(fc.constantFrom('content-type', keyHeader, payloadHeader, signatureHeader), fc.string()),
      text,
    ),
    body: fc.uint8Array({ maxLength: 300 }),
    origin: text,
  })
  fc.assert(
    fc.property(request, (request) => {
      const found = rows.find(({ path }) => path === request.path)
      check(openVenue(), found, request)
    }),
    runs(1000, 6000),
  )
})

test('any correctly signed bytes get an answer of a documented shape', () => {
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 300 }),
    fc.json({ maxDepth: 20 }).map((json) => Buffer.from(json)),
  )
  fc.assert(
    fc.property(row, bytes, (row, bytes) => {
      check(openVenue(), row, signedBytes('paper', row.path, Buffer.from(bytes)))
    }),
    runs(1000, 6000),
  )
})

test('any correctly signed parameters get an answer of a documented shape', () => {
  const anything = fc.anything({ withNullPrototype: true, maxDepth: 4 })
  const parameters = row.chain((row) => {
    const names = Object.keys(row.request.shape)
    return fc.tuple(
      fc.constant(row),
      fc.dictionary(
        names.length === 0 ? fc.string() : fc.oneof(fc.constantFrom(...names), fc.string()),
        anything,
      ),
    )
  })
  fc.assert(
    fc.property(parameters, ([row, parameters]) => {
      const venue = openVenue()
      check(venue, row, signedCall('paper', row, parameters, String(venue.now())))
    }),
    runs(1500, 6000),
  )
})

test('the order parser accepts any input and never throws', () => {
  const field = fc.constantFrom(...Object.keys(contract.collateralBulk.request.shape.orders.element.shape))
  const orders = fc.array(fc.dictionary(fc.oneof(field, fc.string()), fc.oneof(fc.jsonValue(), text)), {
    minLength: 1,
    maxLength: 3,
  })
  fc.assert(
    fc.property(orders, fc.boolean(), (orders, stopOnFail) => {
      const venue = openVenue()
      check(
        venue,
        contract.collateralBulk,
        signedCall('paper', contract.collateralBulk, { orders, stopOnFail }, '1'),
      )
    }),
    runs(1500, 6000),
  )
})

test.each([1, 4, 5, 63, 64])(
  'a nonce that is refused %i times in a row stays refused, and the next one is accepted',
  (times) => {
    const venue = openVenue({ world: worldWith({ nonce: 'strict' }) })
    expect(paperWorld.switches.nonce).toBe('window')
    const ask = (nonce: string) =>
      venue.exchange.handle(signedCall('paper', contract.mainBalance, {}, nonce), venue.now()).status
    expect(ask('9223372036854775806')).toBe(200)
    for (let time = 0; time < times; time++) expect(ask('9223372036854775806')).toBe(429)
    expect(ask('9223372036854775808')).toBe(401)
    expect(ask('9223372036854775807')).toBe(200)
  },
)

test('a time inside the nonce window is accepted once, in any order, and never outside of it', () => {
  const offsets = fc.array(fc.integer({ min: -6000, max: 6000 }), { minLength: 1, maxLength: 30 })
  fc.assert(
    fc.property(offsets, (offsets) => {
      const venue = openVenue()
      const used = new Set<number>()
      for (const offset of [...offsets, ...offsets]) {
        const at = venue.now() + offset
        const body = Buffer.from(JSON.stringify({ request: path, nonce: String(at), nonceWindow: true }))
        const expected = Math.abs(offset) > 5000 ? 401 : used.has(at) ? 429 : 200
        expect(venue.exchange.handle(signedBytes('paper', path, body), venue.now()).status).toBe(expected)
        if (expected === 200) used.add(at)
      }
    }),
    runs(300, 1250),
  )
})
