import { expect, test } from 'vitest'
import { contract } from '#src/venues/whitebit/contract/endpoint-table.ts'
import { readMarket } from '#src/market/data/read-market.ts'
import { marketFolder, start, walked } from './market-fixture.ts'

const { fileOf } = marketFolder()
const read = (content: string) => walked(readMarket(fileOf(content)))

const candles = [
  [start, '100', '105', '110', '95', '1', '100'],
  [start + 60, '105', '91.5', '106', '90', '0.4', '40'],
]
const csv = `timestamp,open,high,low,close,volume\n${start},100,110,95,105,1\n${start + 60},105,106,90,91.5,0.4\n`

const trade = (tradeID: number, seconds: number, price: string, amount: string) => ({
  tradeID,
  price,
  quote_volume: amount,
  base_volume: '1',
  trade_timestamp: start + seconds,
  type: 'sell',
})
const newestFirst = [trade(9, 2, '3', '0.3'), trade(8, 2, '2', '0.2'), trade(7, 0, '1', '0.1')]
const points = [
  [0, 1, 0.1],
  [2, 2, 0.2],
  [2, 3, 0.3],
]

test.each([
  ['the answer of the venue', JSON.stringify({ success: true, message: null, result: candles })],
  ['its rows alone', JSON.stringify(candles)],
  ['an answer over many lines', JSON.stringify({ result: candles }, undefined, 2)],
  ['a row a line', candles.map((row) => `${JSON.stringify(row)}\n`).join('')],
  [
    'frames of a stream',
    candles.map((row) => `${JSON.stringify({ params: [[...row, 'BTC_PERP']] })}\r\n`).join(''),
  ],
  ['numbers without quotes', JSON.stringify(candles).replaceAll(/"([\d.]+)"/g, '$1')],
  ['an order mark', `\uFEFF ${JSON.stringify(candles)}`],
])('candles are read from %s', (_, text) => {
  expect(read(text)).toEqual(walked(readMarket(fileOf(csv))))
})

test('the examples of the contract are valid market files', () => {
  const [candle] = contract.kline.example.response.result
  const { points: walk } = read(JSON.stringify(contract.kline.example.response))
  expect(walk.map(([, price]) => String(price))).toEqual([candle?.[1], candle?.[3], candle?.[4], candle?.[2]])
  const [deal] = contract.trades.example.response
  expect(read(JSON.stringify(contract.trades.example.response)).points).toEqual([
    [(deal?.trade_timestamp ?? 0) - start, Number(deal?.price), Number(deal?.quote_volume)],
  ])
})

test('trades in descending order are reversed; trades of an earlier answer are left out', () => {
  const turned = read(JSON.stringify(newestFirst))
  expect(turned.points).toEqual(points)
  expect(turned.seen?.notes).toEqual(['Answers in reverse order, which were sorted: 1.'])
  const polled = `${JSON.stringify(newestFirst.slice(1))}\n${JSON.stringify(newestFirst)}\n[]\n`
  const { points: all, seen } = read(polled)
  expect(all).toEqual(points)
  expect(seen?.notes).toEqual([
    'Answers in reverse order, which were sorted: 2.',
    'Repeated trades, which were ignored: 2.',
  ])
})

function frame(id: number, time: string): string {
  const deal = `{"id":${id},"time":${time},"price":"1.5","amount":"2","type":"buy"}`
  return `{"method":"trades_update","params":["BTC_PERP",[${deal}]],"id":null}\n`
}

test('trades of a stream are read, with fractions of a second', () => {
  const { points: all } = read(frame(1, `${start}.5`) + frame(2, `${start}.75`))
  expect(all).toEqual([
    [0.5, 1.5, 2],
    [0.75, 1.5, 2],
  ])
})

test('a truncated last answer is left out and reported', () => {
  const { seen } = read(`${JSON.stringify(candles)}\n{"result":[[1700000120,"91.5"`)
  expect(seen).toMatchObject({
    rows: 2,
    notes: ['The answer that starts in line 2 is incomplete and was ignored.'],
  })
  expect(() => read('{"result":[[1700000120,"91.5"')).toThrow(/holds no prices/)
})

test.each([
  [
    'another answer',
    '{"success":false,"message":"no such market"}',
    /:1 "\{"success":false,.* is neither a candle nor a trade/,
  ],
  ['another row', `${JSON.stringify(candles)}\n\n[1,2]\n`, /:3 "\[1,2\]" is neither a candle nor a trade/],
  [
    'a trade among candles',
    `${JSON.stringify(candles)}{"id":1,"time":1700000300,"price":"1"}`,
    /:1 "\{"id":1/,
  ],
  ['a price that is none', '[[1700000000,"1","1","1","NaN","1","1"]]', /:1 "NaN" is not a price/],
  ['words between answers', `${JSON.stringify(candles)}\nnothing`, /:2 has "nothing" between answers/],
  ['a bracket too many', `${JSON.stringify(candles)}]`, /:1 closes a bracket that is not open/],
  [
    'an older answer',
    `${JSON.stringify(candles)}\n${JSON.stringify(candles)}\n`,
    /:2 is 60 s older than the row before it; fix: Sort the answers by time/,
  ],
  ['no rows', '{"success":true,"result":[]}', /holds no prices/],
])('%s is refused', (_, text, expected) => {
  expect(() => read(text)).toThrow(
    expect.objectContaining({ code: 'MARKET_INVALID', message: expect.stringMatching(expected) }),
  )
})
