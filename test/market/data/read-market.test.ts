import { expect, test } from 'vitest'
import { writeBinary } from '#src/market/data/binary/binary-file.ts'
import { linesOf } from '#src/market/data/csv/csv-file.ts'
import { loadMarket, sharedMarket } from '#src/market/data/load/load-market.ts'
import { readMarket } from '#src/market/data/read-market.ts'
import type { Span } from '#src/market/data/time-range.ts'
import { marketFolder, start, walked } from './market-fixture.ts'

const { fileOf } = marketFolder()
const read = (content: string | Uint8Array, span?: Span) => walked(readMarket(fileOf(content), span))
const pricesOf = (content: string) => read(content).points.map(([time, price]) => [time, price])
const notesOf = (content: string | Uint8Array) => read(content).seen?.notes

const bars = 'timestamp,open,high,low,close,volume\n'
const trades = 'timestamp,price,amount,side\n'

test('a bar goes from its open to the nearer extreme, to the other one, and to its close, with its volume in parts', () => {
  const rows = `${bars}1700000000,100,110,95,105,1\n1700000060,105,106,90,91.5,0.000000007\n`
  expect(read(rows).points).toEqual([
    [0, 100, 0.25],
    [15, 95, 0.25],
    [45, 110, 0.25],
    [59.999, 105, 0.25],
    [60, 105, 0.000000001],
    [75, 106, 0.000000001],
    [105, 90, 0.000000001],
    [119.999, 91.5, 0.000000004],
  ])
  // Both extremes equally near: down first. A single bar is a minute.
  expect(pricesOf(`${bars}1700000000,100,105,95,100,1`)).toEqual([
    [0, 100],
    [15, 95],
    [45, 105],
    [59.999, 100],
  ])
})

test('trades are read one by one, also those of the same time', () => {
  const rows =
    '1700000000000,1.5,1,buy\n1700000000010,1.6,2,sell\n1700000000010,1.7,3,buy\n1700000009000,1.4,4,buy\n'
  const market = readMarket(fileOf(trades + rows))
  const { points, seen } = walked(market)
  expect(points).toEqual([
    [0, 1.5, 1],
    [0.01, 1.6, 2],
    [0.01, 1.7, 3],
    [9, 1.4, 4],
  ])
  expect(market).toMatchObject({ kind: 'trades', barMs: undefined, beginsAt: start * 1000 })
  expect(seen).toEqual({
    rows: 4,
    points: 4,
    endsAt: start * 1000 + 9000,
    low: 1.4e9,
    high: 1.7e9,
    gaps: 0,
    gapPlaces: [],
    duplicates: 0,
    notes: [],
  })
})

test('without amounts the volume is unlimited', () => {
  expect(read('time,price\n1700000000,1\n').points).toEqual([[0, 1, Infinity]])
  expect(read('time,open,high,low,close\n1700000000,1,1,1,1\n').points[3]).toEqual([59.999, 1, Infinity])
})

test('a market can be read repeatedly, and two passes at once do not disturb each other', () => {
  const market = readMarket(fileOf(`${trades}1700000000,1,1,buy\n1700000001,2,1,buy\n`))
  const [one, other] = [market.blocks(), market.blocks()]
  const first = one.next()
  expect(market.seen).toBeUndefined()
  expect(other.next()).toEqual(first)
  expect(one.next().done).toBe(true)
  expect(walked(market)).toEqual(walked(market))
})

test('a part of a market starts and ends at the given times', () => {
  const rows = `${trades}1700000000,1,1,buy\n1700000001,2,1,buy\n1700000002,3,1,buy\n1700000003,2,1,buy\n`
  const span = { from: (start + 1) * 1000, to: (start + 3) * 1000 }
  const market = readMarket(fileOf(rows), span)
  expect(market.beginsAt).toBe(span.from)
  const [block] = market.blocks()
  expect(block).toMatchObject({ count: 2, low: 2e9, high: 3e9 })
  expect(() => read(rows, { from: (start + 9) * 1000 })).toThrow(/holds no prices of this period/)
})

test('a market in memory equals the market of the file', () => {
  const rows = Array.from({ length: 50_000 }, (_, row) => `${start + 60 * row},10,12,9,${9 + (row % 4)},1.5`)
  const path = fileOf(bars + rows.join('\n'))
  // As a worker receives it.
  const market = sharedMarket(structuredClone(loadMarket(path)))
  expect(walked(market)).toEqual(walked(readMarket(path)))
  expect(market).toMatchObject({ kind: 'bars', barMs: 60_000, seen: { rows: 50_000, points: 200_000 } })
  expect([...market.blocks()].map(({ count }) => count)).toEqual([65_536, 65_536, 65_536, 3392])
})

test('a market larger than the memory is refused with the figures', () => {
  const path = fileOf(`${bars}1700000000,1,1,1,1,1\n1700000060,1,1,1,1,1\n`)
  expect(() => loadMarket(path, {}, 200)).toThrow(
    /does not fit into memory: 8 of its points need 1\.9e-7 GB, and 2\.0e-7 GB are free/,
  )
  expect(loadMarket(path, {}, 1000).shared).toHaveLength(1)
})

test('seconds, milliseconds and microseconds are distinguished, also within one file, which is reported', () => {
  const rows = ['1700000000,1', '1700000001000,2', '1700000002000000,3', '1700000003,4', '1700000004.5,5']
  const text = `timestamp,price\n${rows.join('\n')}\n`
  expect(pricesOf(text)).toEqual([
    [0, 1],
    [1, 2],
    [2, 3],
    [3, 4],
    [4.5, 5],
  ])
  expect(notesOf(text)).toEqual([
    'Times are seconds, and milliseconds from line 3: the size of the numbers tells the unit.',
    'The unit of times changes 3 times in total.',
    'The file holds no amounts: any amount may trade at each price.',
  ])
})

test('columns are found by name, in any order and among others, with any line break', () => {
  const text =
    '\uFEFF# from somewhere\r\nClose,Low,trades,High,Open,Open_Time\r\n105,95,7,110,100,1700000000\r\n\r\n'
  expect(pricesOf(text).map(([, price]) => price)).toEqual([100, 95, 110, 105])
})

test('prices keep every digit', () => {
  const text =
    'time,price\n1700000000,64123.123456789\n1700000001,0.000000001\n1700000002,"9007199.254740991"\n'
  const [block] = readMarket(fileOf(text)).blocks()
  expect([...(block?.units ?? [])]).toEqual([64_123_123_456_789, 1, Number.MAX_SAFE_INTEGER])
})

test('a comment can name the market', () => {
  expect(readMarket(fileOf(`# market: BTC_PERP\n${trades}1700000000,1,1,buy`)).name).toBe('BTC_PERP')
  expect(readMarket(fileOf(`${trades}1700000000,1,1,buy`)).name).toBeUndefined()
})

test('a gap is reported with its line', () => {
  const rows = '1700000000,1,1,1,1,0\n1700000060,1,2,1,2,0\n1700000360,3,3,3,3,0\n1700000420,3,3,3,3,0\n'
  const place = { line: 4, at: (start + 120) * 1000, ms: 240_000 }
  expect(read(bars + rows).seen).toMatchObject({ gaps: 1, gapPlaces: [place] })
  // Also if it is the first step.
  expect(read(bars + rows.split('\n').toSpliced(1, 1).join('\n')).seen).toMatchObject({ gaps: 1 })
  const silent = read('time,price\n1700000000,1\n1700003600,1\n1700007201,1\n').seen
  expect(silent).toMatchObject({ gaps: 1, gapPlaces: [{ line: 4, ms: 3_601_000 }] })
})

test('a repeated row is left out once, and counted', () => {
  const twice = read(`${bars}1700000000,1,1,1,1,0\n1700000060,2,2,2,2,0\n1700000060,2,2,2,2,0\n`)
  expect(twice.points).toHaveLength(8)
  expect(twice.seen).toMatchObject({
    rows: 3,
    duplicates: 1,
    notes: ['1 row says the same as the row before, and is ignored.'],
  })
  const numbered = read('id,time,price\n7,1700000000,1\n7,1700000000,1\n8,1700000000,1\n')
  expect(numbered).toMatchObject({ seen: { duplicates: 1 }, points: [{}, {}] })
  const alike = read(`${trades}1700000000,1,1,buy\n1700000000,1,1,buy\n`)
  expect(alike).toMatchObject({
    points: [{}, {}],
    seen: {
      duplicates: 0,
      notes: ['1 row says the same as the trade before; without trade numbers it counts as another trade.'],
    },
  })
})

test('a truncated last line is left out and reported', () => {
  const { points, seen } = read(`${bars}1700000000,100,110,95,105,1\n1700000060,10`)
  expect(points).toHaveLength(4)
  expect(seen?.notes).toEqual([
    'Line 3 is incomplete: it has no line break, and "1700000060,10" is not a row. The line is ignored.',
    'The file has one bar, so the interval is unknown; one minute is assumed.',
  ])
})

test('concatenated files are read as one', () => {
  const { points, seen } = read(`${trades}1700000000,1,1,buy\n${trades}1700000001,1,1,buy\n`)
  expect(points).toHaveLength(2)
  expect(seen?.notes).toEqual(['The header is repeated once; the repetitions are ignored.'])
})

test.each([
  [
    'bars',
    'open_time, open, high, low, close, volume, close_time, ...',
    '1700000000000,100,110,95,105,1,1700000059999,105,12,0.5,52.5,0',
    [0, 100, 0.25],
  ],
  ['trades', 'id, price, qty, quoteQty, time, isBuyerMaker', '5,100,2,200,1700000000000,True', [0, 100, 2]],
  [
    'trades',
    'id, price, qty, quoteQty, time, isBuyerMaker',
    '5,100,2,200,1700000000000000,true,true',
    [0, 100, 2],
  ],
  [
    'trades',
    'aggTradeId, price, qty, firstTradeId, lastTradeId, time, isBuyerMaker',
    '5,100,2,17,18,1700000000000,false',
    [0, 100, 2],
  ],
])('%s of an archive need no header: %s', (kind, what, row, point) => {
  const market = readMarket(fileOf(`${row}\n`))
  const { points, seen } = walked(market)
  expect(market.kind).toBe(kind)
  expect(points[0]).toEqual(point)
  expect(seen?.notes).toContain(`The file has no header and is read as "${what}".`)
})

/** The sides of all points; undefined if the market has none. */
function sidesOf(market: ReturnType<typeof readMarket>) {
  const [block] = market.blocks()
  return block?.sides && [...block.sides]
}

test.each([
  [
    'timestamp,price,amount,side',
    ['1700000000000,100,2,buy', '1700000001000,100,2,SELL', '1700000002000,100,2,x'],
  ],
  [
    'side,timestamp,price,amount',
    ['buy,1700000000000,100,2', 'sell,1700000001000,100,2', ',1700000002000,100,2'],
  ],
  ['timestamp,type,price', ['1700000000000,"buy",100', '1700000001000, sell,100', '1700000002000,sells,100']],
  [
    'id,timestamp,price,amount,is_buyer_maker',
    ['1,1700000000000,100,2,false', '2,1700000001000,100,2,True', '3,1700000002000,100,2,unknown'],
  ],
])('the sides of takers are read: %s', (header, rows) => {
  const market = readMarket(fileOf(`${[header, ...rows].join('\n')}\n`))
  expect(sidesOf(market)).toEqual([1, 2, 0])
  const windows = readMarket(fileOf(`${[header, ...rows].join('\r\n')}\r\n`))
  expect(sidesOf(windows)).toEqual([1, 2, 0])
})

test('the sides stay at their trades in memory, in the binary form, and in a part of a file', () => {
  const rows = Array.from({ length: 13 }, (_, place) => {
    return `${1_700_000_000 + place}000,100,2,${['buy', 'sell', 'none'][place % 3]}`
  })
  const sides = rows.map((_, place) => [1, 2, 0][place % 3])
  const path = fileOf(`timestamp,price,amount,side\n${rows.join('\n')}\n`)
  expect(sidesOf(sharedMarket(loadMarket(path)))).toEqual(sides)
  const packed = fileOf('')
  writeBinary(readMarket(path), packed)
  expect(sidesOf(readMarket(packed))).toEqual(sides)
  expect(sidesOf(readMarket(packed, { from: 1_700_000_002_000 }))).toEqual(sides.slice(2))
  expect([...linesOf(readMarket(packed))].slice(0, 4)).toEqual([
    'timestamp,price,amount,side\n',
    '1700000000000,100,2,buy\n',
    '1700000001000,100,2,sell\n',
    '1700000002000,100,2,\n',
  ])
  expect(sidesOf(readMarket(fileOf('timestamp,price\n1700000000000,100\n')))).toBeUndefined()
})

test('a late row is put in its place with its side', () => {
  const rows = ['1700000000000,2,100,buy', '1700000002000,3,100,buy', '1700000001000,4,100,sell']
  const market = readMarket(fileOf(`timestamp,local_timestamp,price,side\n${rows.join('\n')}\n`))
  expect(sidesOf(market)).toEqual([1, 2, 1])
})
