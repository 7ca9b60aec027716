import fc from 'fast-check'
import { z } from 'zod'
import { expect, test } from 'vitest'
import { withNumbersRead } from '#src/venues/whitebit/contract/wire/number-text.ts'
import { contract } from '#src/venues/whitebit/contract/endpoint-table.ts'
import { fitsExactly } from '#src/venues/whitebit/contract/codec/value-reader.ts'
import { jsonIn } from '#src/core/objects/json.ts'
import { isRecord } from '#src/core/objects/objects.ts'
import { beginsAt, openVenue, signedBytes } from '#test/exchange/exchange-fixture.ts'
import { decimalText } from '#test/core/money/oracle.ts'
import { runs } from './runs.ts'

const row = contract.collateralBulk
const envelope = { request: z.string(), nonce: z.string(), nonceWindow: z.boolean().optional() }
const body = z.strictObject({ ...row.request.shape, ...envelope })
/** A body in the form of our client, of which the exchange does not check the fields again. */
const readText = (text: string) => {
  const value = jsonIn(text)
  return fitsExactly(body, value) ? value : undefined
}

const optional = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined })
const flags = fc.record(
  {
    postOnly: fc.boolean(),
    ioc: fc.boolean(),
    rpi: fc.boolean(),
    positionSide: fc.constantFrom('LONG', 'SHORT', 'BOTH'),
  },
  { requiredKeys: [] },
)
/** The rungs of one ladder: mostly similar, with a repeated id sometimes. */
const ladder = fc
  .record({
    market: fc.constantFrom('BTC_PERP', 'ETH_PERP', 'X_Y'),
    side: fc.constantFrom('buy', 'sell'),
    amount: fc.oneof(fc.constantFrom('0.001', '0.02', '1.5'), decimalText),
    flags: fc.oneof(fc.constant({}), flags),
  })
  .chain(({ flags, ...same }) =>
    fc.array(
      fc
        .record({
          price: fc.oneof(fc.integer({ min: 50_000, max: 50_040 }).map(String), decimalText),
          client_order_id: fc.oneof(
            fc.nat({ max: 200 }).map((id) => `dip.low.${id}`),
            fc.stringMatching(/^[A-Za-z0-9._-]{0,64}$/),
          ),
        })
        .map((own) => Object.assign({}, same, own, flags)),
      { minLength: 1, maxLength: 4 },
    ),
  )
const bulk = fc
  .tuple(fc.array(ladder, { minLength: 1, maxLength: 3 }), optional(fc.boolean()), optional(fc.boolean()))
  .map(([ladders, stopOnFail, nonceWindow]) => bodyOf(ladders.flat(), stopOnFail, nonceWindow))

/** JSON omits undefined values. */
function bodyOf(orders: object[], stopOnFail: boolean | undefined, nonceWindow: boolean | undefined) {
  return { orders, stopOnFail, request: row.path, nonce: '1790000000001', nonceWindow }
}

test('a bulk written by our client needs no second check of its fields', () => {
  fc.assert(
    fc.property(bulk, (each) => {
      const read = readText(JSON.stringify(each))
      expect(JSON.stringify(read)).toBe(JSON.stringify(each))
    }),
    runs(500, 10_000),
  )
})

const marks = '" \\ { } [ ] , : 0 1 9 . - _ e E + a Z ü é \u0000 \u2028 00 "" {" }]'.split(' ')
const edit = fc.record({
  at: fc.nat(),
  cut: fc.nat({ max: 3 }),
  put: fc.oneof(
    fc.constantFrom(...marks),
    fc.constantFrom(
      '"market":"A_B",',
      ',"postOnly":true',
      ',"ioc":1',
      ',"clientOrderId":"a"',
      ',"reduceOnly":true',
      '1'.repeat(20),
      'a'.repeat(70),
    ),
    fc.string({ unit: 'binary', maxLength: 3 }),
  ),
})

/** A body with some characters replaced, removed or inserted, as bytes that need not be UTF-8. */
const spoiled = fc
  .tuple(bulk, fc.array(edit, { maxLength: 2 }), optional(fc.nat()))
  .map(([each, edits, bad]) => {
    let text = JSON.stringify(each)
    for (const { at, cut, put } of edits) {
      const place = at % text.length
      text = text.slice(0, place) + put + text.slice(place + cut)
    }
    const bytes = Buffer.from(text)
    if (bad !== undefined) bytes[bad % bytes.length] = 0x80 + (bad % 128)
    return bytes
  })

/** What needs no second check must fit the schema; returns whether it needs none. */
function readsAlike(bytes: Buffer): boolean {
  const text = bytes.toString()
  const read = readText(text)
  if (read === undefined) return false
  const parsed = body.parse(JSON.parse(text))
  expect(read).toEqual(parsed)
  const { request: _, nonce: __, nonceWindow: ___, ...parameters } = parsed
  expect(row.request.safeParse(JSON.parse(JSON.stringify(parameters))).error).toBe(undefined)
  expect(withNumbersRead(row.request, parameters)).toEqual(parameters)
  return true
}

/** JSON in another order is checked field by field. */
function reversed(text: string): string {
  const value = jsonIn(text)
  return isRecord(value) ? JSON.stringify(Object.fromEntries(Object.entries(value).reverse())) : text
}

const wholes = ['0', '00', '01', '-1', '', '1e5', '٣', '1'.repeat(18), '1'.repeat(19)]
const decimals = wholes.flatMap((whole) =>
  ['', '.', '.0', '.1x', `.${'1'.repeat(18)}`, `.${'1'.repeat(19)}`].map((fraction) => whole + fraction),
)
const names = [
  'A_B',
  'A',
  'a_b',
  `${'A'.repeat(21)}_B`,
  'SHORT',
  'both',
  'a b',
  'a"',
  'a\\',
  'ü',
  'a'.repeat(64),
]
const values = [...decimals, ...names, 'a'.repeat(65)].map((text) => JSON.stringify(text))
const oddValues = [...values, 'true', 'false', 'null', '1', '{}', '[]', 'TRUE', '']

test('any value of any field, in the first order or a later one, fits the schema if it needs no second check', () => {
  const full = {
    market: 'BTC_PERP',
    side: 'buy',
    amount: '0.001',
    price: '50000',
    client_order_id: 'dip.low.1',
    postOnly: false,
    ioc: false,
    rpi: false,
    positionSide: 'LONG',
  }
  const usual = JSON.stringify(full)
  let read = 0
  for (const name of Object.keys(full)) {
    for (const value of oddValues) {
      const odd = usual.replace(new RegExp(`"${name}":[^,}]*`), () => `"${name}":${value}`)
      for (const orders of [odd, `${usual},${odd}`, `${odd},${usual}`]) {
        const body = `{"orders":[${orders}],"request":"${row.path}","nonce":"1"}`
        if (readsAlike(Buffer.from(body))) read += 1
        expect(readText(`${body}}`)).toBe(undefined)
      }
    }
  }
  expect(read).toBeGreaterThan(100)
})

test('a body with characters replaced, removed or inserted fits the schema if it needs no second check', () => {
  let read = 0
  fc.assert(
    fc.property(spoiled, (bytes) => {
      if (readsAlike(bytes)) read += 1
    }),
    runs(2000, 40_000, 2000),
  )
  expect(read).toBeGreaterThan(100)
})

test.each(['spec', 'full'] as const)(
  'the exchange answers it like the same bulk with its fields in the reverse order (%s)',
  (profile) => {
    const bodies = fc.array(fc.tuple(bulk, fc.array(edit, { maxLength: 1 })), { minLength: 1, maxLength: 6 })
    fc.assert(
      fc.property(bodies, (calls) => {
        const [plain, turned] = [openVenue({ profile }).exchange, openVenue({ profile }).exchange]
        for (const [index, [{ nonceWindow: _, ...each }, edits]] of calls.entries()) {
          let text = JSON.stringify({ ...each, nonce: String(beginsAt + index) })
          for (const { at, cut, put } of edits) {
            const place = at % text.length
            text = text.slice(0, place) + put + text.slice(place + cut)
          }
          const ask = (exchange: typeof plain, body: string) =>
            exchange.handle(signedBytes('paper', row.path, Buffer.from(body)), beginsAt + index)
          expect(ask(plain, text)).toEqual(ask(turned, reversed(text)))
        }
      }),
      runs(100, 600),
    )
  },
)
