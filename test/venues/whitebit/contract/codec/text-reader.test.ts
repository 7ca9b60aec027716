import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { readAnswer } from '#src/venues/whitebit/client/answers/answer.ts'
import { textReader } from '#src/venues/whitebit/contract/codec/text-reader.ts'
import { valueReader } from '#src/venues/whitebit/contract/codec/value-reader.ts'
import { inverted, noNames, orderNames, respell } from '#src/venues/whitebit/contract/wire/spelling.ts'
import { contract } from '#src/venues/whitebit/contract/endpoint-table.ts'
import { runs, times } from '#test/properties/runs.ts'
import { failed, json, placed } from '#test/venues/whitebit/client/scripted-venue.ts'

const row = contract.collateralBulk
const { market } = placed().result
const readers = [noNames, orderNames].map((names) => textReader(row.response, names))

/** What is read from text must be what JSON.parse and the value reader read; returns whether the text was read at all. */
function readsAlike(body: string): boolean {
  const read = readers.map((reader) => reader(body)).find((value) => value !== undefined)
  if (read === undefined) return false
  const value = respell(JSON.parse(body), inverted(orderNames))
  expect(valueReader(row.response)(value)).toStrictEqual({ value: read, unread: [] })
  expect(row.response.parse(value)).toStrictEqual(read)
  return true
}

/** The fields of an accepted order in the order of the contract, each with its value as text. */
type Order = [name: string, text: string][]
const order: Order = Object.entries(textsOf(placed().result))

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

function textsOf(values: object): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, JSON.stringify(value)]))
}

const names = order.map(([name]) => name)
const withChange = (changed: string, text: string) =>
  order.map(([name, usual]): Order[number] => [name, name === changed ? text : usual])
const spellings = [noNames, orderNames]

test('any value of any field reads as it would without the shortcut, first or behind an order like it', () => {
  for (const name of names) {
    for (const text of values) {
      const changed = withChange(name, text)
      for (const list of [[changed], [order, changed]])
        for (const spelling of spellings) readsAlike(bodyOf(list, spelling))
    }
  }
})

test('so does an order with attached exits, before or behind orders without them', () => {
  const oto = '{"otoId":7,"stopLoss":"59000","takeProfit":null}'
  for (const text of [oto, 'null', '{"otoId":"7"}', '[]']) {
    const place = names.indexOf('stp') + 1
    const attached = order.toSpliced(place, 0, ['oto', text])
    for (const list of [[attached], [order, attached], [attached, order, attached]])
      for (const spelling of spellings) {
        const isRead = readsAlike(bodyOf(list, spelling))
        if (text === oto) expect(isRead).toBe(true)
      }
  }
})

test('one pattern reads a whole order', () => {
  const body = bodyOf(Array.from({ length: 20 }, () => order))
  const exec = vi.spyOn(RegExp.prototype, 'exec')
  readers[0]?.(body)
  const { length } = exec.mock.calls
  exec.mockRestore()
  expect(length).toBeGreaterThanOrEqual(20)
  expect(length).toBeLessThan(60)
})

test('so do the rungs of any ladder', () => {
  const sent = fc.record({
    market: fc.constant(market),
    side: fc.constantFrom('buy' as const, 'sell' as const),
    amount: fc.constantFrom('0.02', '0.02', '1', '123456789012345678.123456789012345678'),
    price: fc.integer({ min: 1, max: 99_999 }).map(String),
    client_order_id: fc.option(fc.stringMatching(/^[A-Za-z0-9._-]{0,20}$/), { nil: undefined }),
  })
  const quoted = fc.string({ unit: 'binary', maxLength: 6 }).map((text) => `"${text}"`)
  const value = fc.oneof(quoted, fc.constantFrom(...values), fc.double().map(String), fc.bigInt().map(String))
  const change = fc.oneof(
    { weight: 5, arbitrary: fc.constant(null) },
    fc.tuple(fc.constantFrom(...names), value),
  )
  const more = fc.constantFrom('', '', '', '5', '25')
  const rung = fc.record({ sent, order_id: fc.nat().map(String), more, change })
  const ladder = fc.array(rung, { maxLength: 5 })
  const property = fc.property(ladder, fc.constantFrom(...spellings), (ladder, names) => {
    const told = ladder.map(({ sent, order_id, more, change }) => {
      const texts: Record<string, string> = { ...textsOf({ ...sent, left: sent.amount + more }), order_id }
      const [changed, text] = change ?? []
      return order.map(([name, usual]): Order[number] => [
        name,
        (name === changed ? text : texts[name]) ?? usual,
      ])
    })
    readsAlike(bodyOf(told, names))
  })
  fc.assert(property, runs(2000, 60_000, 150))
})

test('so does an answer of which any character was changed, or any text put in, or the end lost', () => {
  const body = bodyOf([order, order])
  const pieces = [...'{ } [ ] " , : \\ \n 0 - . e ü \0'.split(' '), ' ', '"a":1,', '{},', bodyOf([order]), '']
  // Every piece at every place takes seconds: in `npm test` each place has a sixth of them.
  const share = times(1, 1, 6)
  for (let at = 0; at <= body.length; at++) {
    readsAlike(body.slice(0, at))
    for (const [index, piece] of pieces.entries())
      for (const cut of [0, 1].filter(() => (at + index) % share === 0))
        readsAlike(body.slice(0, at) + piece + body.slice(at + cut))
  }
})

test('so does an answer with its fields in another order, one of them twice, or one missing', () => {
  const shuffled = fc.shuffledSubarray(order, { minLength: order.length - 1 })
  const again = fc.array(fc.constantFrom(...order), { maxLength: 1 })
  const property = fc.property(fc.boolean(), shuffled, again, (inOrder, list, twice) => {
    readsAlike(bodyOf([[...(inOrder ? order : list), ...twice]]))
  })
  fc.assert(property, runs(1000, 30_000))
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
    ['what a venue adds', [placed({ reduceOnly: false }), placed({ reduceOnly: true })]],
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
