import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { readMarket } from '#src/market/data/read-market.ts'
import { marketFolder, start, walked } from './market-fixture.ts'
import { zipOf } from './zip-of.ts'

/** Files as exchanges and libraries publish them are read to the same points as their plain form. */
const { folder, fileOf } = marketFolder()

const seconds = Array.from({ length: 50 }, (_, place) => start + 60 * place)
const bar = (at: number | string, price = 100) => [at, price, price + 2, price - 1, price + 1, 5]
const plain = (rows: readonly (readonly unknown[])[]) =>
  `timestamp,open,high,low,close,volume\n${rows.map((row) => row.join(',')).join('\n')}\n`
const bars = plain(seconds.map((at) => bar(at)))
const pointsOf = (path: string) => walked(readMarket(path)).points

const day = { name: 'BTCUSDT-1m-2026-01-05.csv', text: bars }

test.each([
  ['packed', zipOf([day])],
  ['not packed', zipOf([{ ...day, isPacked: false }])],
  ['streamed', zipOf([day], true)],
])('a zip archive with one file, %s', (_, bytes) => {
  expect(pointsOf(fileOf(bytes))).toEqual(pointsOf(fileOf(bars)))
})

test('a zip archive that cannot be read says why', () => {
  expect(() => readMarket(fileOf(zipOf([day, day])))).toThrow('is a zip archive with 2 files')
  const whole = zipOf([day])
  expect(() => readMarket(fileOf(whole.subarray(0, -30)))).toThrow('is not a complete zip archive')
  const locked = Buffer.from(whole)
  locked[locked.lastIndexOf(Buffer.from('PK\u0001\u0002', 'latin1')) + 8] = 1
  expect(() => readMarket(fileOf(locked))).toThrow('that only other programs can read')
})

test.each([
  ['ARROW1', 'is a Feather (Arrow) file'],
  ['FEA1', 'is a Feather file'],
])('a table that begins with %s is named, with what to do', (mark, what) => {
  expect(() => readMarket(fileOf(`${mark}\u0000\u0001`))).toThrow(
    new RegExp(`${what.replaceAll(/[()]/g, '.')}.*to_csv`),
  )
})

test.each([
  ['T and Z', (iso: string) => iso],
  ['a space and an offset', (iso: string) => iso.replace('T', ' ').replace('.000Z', '+00:00')],
  ['neither', (iso: string) => iso.replace('T', ' ').replace('.000Z', '')],
])('times as text with %s', (_, written) => {
  const rows = seconds.map((at) => bar(written(new Date(at * 1000).toISOString())))
  expect(pointsOf(fileOf(plain(rows)))).toEqual(pointsOf(fileOf(bars)))
})

test('a time as text with another offset, or one that is none, is refused with its line', () => {
  for (const text of ['2026-01-05T10:00:00+02:00', '2026-13-05T10:00:00Z', '2026-02-30T10:00:00Z'])
    expect(() => readMarket(fileOf(plain([bar(text)])))).toThrow(/:2 "2026.*" is not a time/)
})

const trades = seconds.map((at, place) => ({ at, price: 100 + place, amount: 0.5, id: place + 7 }))
const tradeRow = ({ at, price, amount, id }: (typeof trades)[number]) => [at, price, amount, id].join(',')
const plainTrades = `timestamp,price,amount,id\n${trades.map(tradeRow).join('\n')}\n`

test('columns as a large exchange names them', () => {
  const rows = trades.map(({ at, price, amount, id }) => `BTC-USDT,${id},buy,${price},${amount},${at * 1000}`)
  const text = `instrument_name,trade_id,side,price,size,created_time\n${rows.join('\n')}\n`
  expect(pointsOf(fileOf(text))).toEqual(pointsOf(fileOf(plainTrades)))
})

test.each([
  ['empty', () => ''],
  ['UUIDs', (id: number) => `3f2504e0-4f89-11d3-9a0c-${String(id).padStart(12, '0')}`],
])('trades whose ids are %s', (_, idOf) => {
  const rows = trades.map(({ at, price, amount, id }) => `${at},${price},${amount},${idOf(id)}`)
  const path = fileOf(`timestamp,price,amount,id\n${rows.join('\n')}\n`)
  expect(pointsOf(path)).toEqual(pointsOf(fileOf(plainTrades)))
})

test('candles of a library for many exchanges, as JSON', () => {
  const rows = seconds.map((at) => bar(at * 1000))
  for (const text of [JSON.stringify(rows), rows.map((row) => JSON.stringify(row)).join('\n')])
    expect(pointsOf(fileOf(text))).toEqual(pointsOf(fileOf(bars)))
})

/** As the library documents them: the answer of the exchange in `info`, and values that it does not know are null. */
const libraryTrade = ({ at, price, amount, id }: (typeof trades)[number]) => ({
  info: { price: '1', note: 'a } in text', list: [[1], { amount: 2 }] },
  id: String(id),
  timestamp: at * 1000,
  datetime: new Date(at * 1000).toISOString(),
  symbol: 'BTC/USDT',
  order: null,
  type: null,
  side: 'buy',
  takerOrMaker: null,
  price,
  amount,
  cost: price * amount,
  fee: { cost: null, currency: null },
  fees: [],
})
const libraryTrades = trades.map(libraryTrade)

test.each([
  ['one text', JSON.stringify(libraryTrades)],
  ['many lines', JSON.stringify(libraryTrades, undefined, 2)],
  ['a trade a line', libraryTrades.map((row) => `${JSON.stringify(row)}\n`).join('')],
  [
    'pages that overlap',
    `${JSON.stringify(libraryTrades.slice(0, 30))}${JSON.stringify(libraryTrades.slice(20))}`,
  ],
  ['no ids', JSON.stringify(trades.map((trade) => Object.assign(libraryTrade(trade), { id: null })))],
])('trades of a library for many exchanges, as JSON: %s', (_, text) => {
  expect(pointsOf(fileOf(text))).toEqual(pointsOf(fileOf(plainTrades)))
})

test('a trade whose details are longer than a piece of the file', () => {
  const long = trades.map((trade, place) =>
    Object.assign(libraryTrade(trade), { info: { text: 'x'.repeat(place * 5000) } }),
  )
  expect(pointsOf(fileOf(JSON.stringify(long)))).toEqual(pointsOf(fileOf(plainTrades)))
})

test('small numbers as some programs write them', () => {
  const header = 'timestamp,price,amount'
  const plain = `${header}\n${start},0.00001,0.00000025\n`
  expect(pointsOf(fileOf(`${header}\n${start},1e-05,2.5E-07\n`))).toEqual(pointsOf(fileOf(plain)))
})

const dayMs = 86_400
const dayOf = (day: number, from = 0) =>
  plain(
    Array.from({ length: 1440 - from }, (_, minute) =>
      bar(start + day * dayMs + 60 * (minute + from), 100 + day),
    ),
  )

function daysIn(name: string, files: Record<string, string | Uint8Array>): string {
  const path = join(folder, name)
  mkdirSync(path)
  for (const [file, content] of Object.entries(files)) writeFileSync(join(path, file), content)
  return path
}

test('a folder of day files is one market, whatever their packing, and days without rows are passed over', () => {
  const path = daysIn('days', {
    'btc-3.csv': dayOf(3),
    'btc-1.csv.gz': gzipSync(dayOf(1)),
    'btc-2.csv': 'timestamp,open,high,low,close,volume\n',
    'btc-0.zip': zipOf([{ name: 'btc-0.csv', text: dayOf(0) }]),
    'btc-4.zip': zipOf([{ name: 'btc-4.csv', text: '' }]),
    'btc-5.zip': zipOf([{ name: 'btc-5.csv', text: '', isPacked: false }]),
    'notes.txt': 'not of the market',
  })
  const rows = [dayOf(0), dayOf(1), dayOf(3)].map((text) => text.split('\n').slice(1, -1).join('\n'))
  const whole = readMarket(fileOf(`timestamp,open,high,low,close,volume\n${rows.join('\n')}\n`))
  const expected = walked(whole)
  const market = readMarket(path)
  const found = walked(market)
  expect(found.points).toEqual(expected.points)
  expect(market).toMatchObject({ kind: 'bars', barMs: 60_000, beginsAt: whole.beginsAt })
  const { notes: _, gapPlaces, ...seen } = found.seen!
  const { notes: __, gapPlaces: ___, ...same } = expected.seen!
  expect(seen).toEqual(same)
  expect(gapPlaces).toHaveLength(1)
  const span = { from: (start + dayMs) * 1000, to: (start + 2 * dayMs) * 1000 }
  expect(walked(readMarket(path, span)).points).toEqual(walked(readMarket(fileOf(dayOf(1)))).points)
  expect(walked(readMarket(join(path, 'btc-*.csv'))).points).toEqual(
    walked(readMarket(fileOf(dayOf(3)))).points,
  )
})

/** Rows without a header, as an archive has them. */
const klinesOf = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((row) => `${row},${row.split(',', 1)[0]},1,1,1,1,0\n`)
    .join('')

const arrivalHeader = 'exchange,symbol,timestamp,local_timestamp,id,side,price,amount'
type Arrival = { at: number; price: number }
/** Rows as a recorder received them: `at` in milliseconds after the start. */
const arrivals = (rows: readonly Arrival[]) =>
  `${arrivalHeader}\n${rows.map(({ at, price }, row) => `x,BTC,${(start * 1000 + at) * 1000},${row},,buy,${price},1\n`).join('')}`
const sorted = (rows: readonly Arrival[]) =>
  rows.toSorted((a, b) => a.at - b.at).map(({ at, price }) => [at / 1000, price, 1])

test('late rows of a file that is sorted by arrival are put in their place', () => {
  const rows = [
    { at: 300, price: 5 },
    { at: 100, price: 1 },
    { at: 10_300, price: 2 },
    { at: 300, price: 3 },
    { at: 10_300, price: 4 },
  ]
  const market = readMarket(fileOf(arrivals(rows)))
  const { points, seen } = walked(market)
  expect(points).toEqual(sorted(rows))
  expect(market.beginsAt).toBe(start * 1000 + 100)
  expect(seen).toMatchObject({
    rows: 5,
    points: 5,
    notes: ['Rows that were late, 10 s at most, and were put in their place: 2.'],
  })
})

test('a row that is later than ten seconds is refused with its line', () => {
  const rows = [
    { at: 0, price: 1 },
    { at: 20_000, price: 2 },
    { at: 9_999, price: 3 },
  ]
  const refusal =
    /:4 is 10\.001 s older than a row before it; rows may be 10 s late at most; fix: Sort the rows/
  expect(() => walked(readMarket(fileOf(arrivals(rows))))).toThrow(refusal)
})

test('late rows are put in their place in long files and across files', () => {
  const rows = Array.from({ length: 200_000 }, (_, row) => ({
    at: row * 10 - (row % 7 === 3 ? (row % 900) * 10 : 0) + 9000,
    price: row + 1,
  }))
  const expected = sorted(rows)
  expect(walked(readMarket(fileOf(arrivals(rows)))).points).toEqual(expected)
  const cuts = [0, 70_004, 100_000, 150_000, rows.length]
  const files = cuts.slice(1).map((end, file) => [`day-${file}.csv`, arrivals(rows.slice(cuts[file], end))])
  const found = walked(readMarket(daysIn('arrivals', Object.fromEntries(files))))
  expect(found.points).toEqual(expected)
  expect(found.seen).toMatchObject({ rows: rows.length, points: rows.length, gaps: 0 })
})

test('a finding that many files have is one note', () => {
  const path = daysIn('archives', {
    'a.csv': klinesOf(dayOf(0)),
    'b.csv': klinesOf(dayOf(1)),
    'c.csv': klinesOf(dayOf(2)),
  })
  expect(walked(readMarket(path)).seen?.notes).toEqual([
    expect.stringContaining(
      `${join(path, 'a.csv')} and 2 more: The file has no header and is read as "open_time`,
    ),
  ])
})

test('files that overlap, or that do not belong together, are refused by name', () => {
  const overlap = daysIn('overlap', { 'a.csv': dayOf(0), 'b.csv': dayOf(0, 1000) })
  expect(() => walked(readMarket(overlap))).toThrow(/b\.csv overlaps .*a\.csv/)
  const mixed = daysIn('mixed', {
    'a.csv': dayOf(0),
    'b.csv': plainTrades.replaceAll(`${start}`, `${start + 9 * dayMs}`),
  })
  expect(() => readMarket(mixed)).toThrow(/is about another market or of another kind/)
  expect(() => readMarket(daysIn('nothing', { 'a.txt': '' }))).toThrow('is a folder without market files')
  expect(() => readMarket(join(folder, 'none-*.csv'))).toThrow('matches no market file')
})
