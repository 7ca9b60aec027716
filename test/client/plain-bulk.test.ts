import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readAnswer } from '#src/client/answer.ts'
import { readPlainBulk } from '#src/client/plain-bulk.ts'
import { noNames, orderNames, respell } from '#src/contract/spelling.ts'
import { contract } from '#src/contract/table.ts'
import { failed, json, placed } from './scripted-venue.ts'

const row = contract.collateralBulk
/** The same row at a place where no shortcut is taken: JSON.parse and the schema judge alone. */
const slowRow = { ...row, path: '/api/v4/slowly' as const }

/** What the shortcut reads must be what the slow way reads; returns whether it read at all. */
function readsAlike(body: string): boolean {
  const response = { status: 200, headers: {}, body }
  const slowly = readAnswer(slowRow, response)
  const plain = readPlainBulk(body)
  if (plain !== undefined) expect({ kind: 'answer', value: plain }).toStrictEqual(slowly)
  expect(readAnswer(row, response)).toStrictEqual(slowly)
  return plain !== undefined
}

/** The fields of an accepted order in the order of the contract, each with its value as text. */
type Order = [name: string, text: string][]
const order: Order = Object.entries(placed().result).map(([name, value]) => [name, JSON.stringify(value)])

function bodyOf(orders: Order[], names = noNames): string {
  const results = orders.map((fields) =>
    fields.map(([name, text]) => `"${names[name] ?? name}":${text}`).join(','),
  )
  return `[${results.map((fields) => `{"result":{${fields}},"error":null}`).join(',')}]`
}

const words = ' limit buy sell BUY LONG SHORT BOTH long BTC_PERP btc_perp A_B_C BTC'.split(' ')
const odd = [...String.raw`a\"b a\\b \u0041`.split(' '), ..."\n \u0001 ü \u2028 \ud83d ٣ '".split(' ')]
const tooLong = ['1'.repeat(19), `0.${'1'.repeat(19)}`]
const decimals = [...'0 0.0 -1 01 1. .5 1e5'.split(' '), '9'.repeat(18), `0.${'1'.repeat(18)}`, ...tooLong]
const integers = ['-0', '9'.repeat(15), '1'.repeat(16), '9007199254740993', `1${'0'.repeat(400)}`]
const numbers = [...decimals, ...integers, '0.1e-7', '1790000000.123456789012345']
const texts = [...words, ...odd, ...numbers, `${'A'.repeat(21)}_B`, `A_${'B'.repeat(21)}`].map(
  (text) => `"${text}"`,
)
const values = [...texts, ...numbers, 'true', 'false', 'null', 'TRUE', '{}', '[]', ' true', '1 ', '']

const names = order.map(([name]) => name)
const withChange = (changed: string, text: string) =>
  order.map(([name, usual]): Order[number] => [name, name === changed ? text : usual])
const spellings = [noNames, orderNames]

test('any value of any field reads as it would without the shortcut', () => {
  for (const name of names)
    for (const text of values)
      for (const spelling of spellings) readsAlike(bodyOf([withChange(name, text)], spelling))
})

test('so do several orders with any text or number', () => {
  const quoted = fc.string({ unit: 'binary', maxLength: 6 }).map((text) => `"${text}"`)
  const value = fc.oneof(quoted, fc.constantFrom(...values), fc.double().map(String), fc.bigInt().map(String))
  const changedOrder = fc
    .tuple(fc.constantFrom(...names), value)
    .map(([name, text]) => withChange(name, text))
  const orders = fc.array(fc.oneof(fc.constant(order), changedOrder), { maxLength: 4 })
  fc.assert(
    fc.property(orders, fc.constantFrom(...spellings), (list, names) => void readsAlike(bodyOf(list, names))),
    { numRuns: 1000 },
  )
})

test('so does an answer of which any character was changed, or any text put in, or the end lost', () => {
  const body = bodyOf([order])
  const pieces = [
    ...'{ } [ ] " , : \\ \n 0 - . e ü \0'.split(' '),
    ' ',
    '"a":1,',
    '"client_order_id":"x",',
    '{},',
    body,
    '',
  ]
  for (let at = 0; at <= body.length; at++) {
    readsAlike(body.slice(0, at))
    for (const piece of pieces)
      for (const cut of [0, 1]) readsAlike(body.slice(0, at) + piece + body.slice(at + cut))
  }
})

test('so does an answer with its fields in another order, one of them twice, or one missing', () => {
  const shuffled = fc.shuffledSubarray(order, { minLength: order.length - 1 })
  const again = fc.array(fc.constantFrom(...order), { maxLength: 1 })
  const property = fc.property(fc.boolean(), shuffled, again, (inOrder, list, twice) => {
    readsAlike(bodyOf([[...(inOrder ? order : list), ...twice]]))
  })
  fc.assert(property, { numRuns: 1000 })
})

describe('the shortcut reads', () => {
  test.each([
    [
      'orders that rest',
      [placed(), placed({ client_order_id: 'dip.low.2.1', side: 'sell', positionSide: 'SHORT' })],
    ],
    [
      'orders that are filled',
      [placed({ left: '0', deal_stock: '0.02', deal_money: '1200.5', status: 'FILLED' })],
    ],
    ['orders that say reduceOnly', [placed({ reduceOnly: true }), placed({ reduceOnly: false })]],
    ['a time without a fraction', [placed({ timestamp: 1_790_000_000 })]],
    ['names of other scripts', [placed({ status: 'ÖFFEN', type: '限' })]],
  ])('%s, in both spellings', (_what, elements) => {
    expect(readsAlike(JSON.stringify(elements))).toBe(true)
    expect(readsAlike(JSON.stringify(respell(elements, orderNames)))).toBe(true)
  })

  test('nothing where an order was refused, the spelling changes, or the status is another', () => {
    expect(readsAlike(JSON.stringify([placed(), failed(32, 'no')]))).toBe(false)
    expect(readsAlike(JSON.stringify([placed(), respell(placed(), orderNames)]))).toBe(false)
    expect(readAnswer(row, json(422, [placed()])).kind).toBe('unclear')
  })
})
