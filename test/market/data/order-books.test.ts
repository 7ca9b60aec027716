import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, expect, test } from 'vitest'
import { writeBinary } from '#src/market/data/binary/binary-file.ts'
import { linesOf } from '#src/market/data/csv/csv-file.ts'
import { loadDepth, sharedMarket } from '#src/market/data/load/load-market.ts'
import { readDepth, readMarket } from '#src/market/data/read-market.ts'
import { booksIn, booksAt, madeBooks } from '#test/research/backtest/market/generated-books.ts'

const folder = mkdtempSync(join(tmpdir(), 'rungs-books-'))
afterAll(() => rmSync(folder, { recursive: true }))
let count = 0

function fileOf(content: string | Uint8Array, ending = '.csv'): string {
  const path = join(folder, `books-${count++}${ending}`)
  writeFileSync(path, content)
  return path
}

/** The columns of a public archive, with two levels. */
const archive =
  'exchange,symbol,timestamp,local_timestamp,asks[0].price,asks[0].amount,bids[0].price,bids[0].amount,' +
  'asks[1].price,asks[1].amount,bids[1].price,bids[1].amount\n'
const archiveRow = (us: number, text: string) => `venue-futures,BTCUSDT,${us},${us + 7},${text}\n`
const us = (ms: number) => (1_767_571_200_000 + ms) * 1000
const at = (ms: number) => 1_767_571_200_000 + ms

test('a file of a public archive is read: times in microseconds, levels from the best price on', () => {
  const rows =
    archiveRow(us(400) + 123, '60000.1,1.5,60000,2,60000.3,0.25,59999.9,4') +
    archiveRow(us(2100), '60000.1,1e-05,60000,2,,,59999.9,4') +
    archiveRow(us(3900), '60001,3,,,60002,1,,')
  const expected = [
    {
      at: at(400),
      asks: [
        [60000.1, 1.5],
        [60000.3, 0.25],
      ],
      bids: [
        [60000, 2],
        [59999.9, 4],
      ],
    },
    {
      at: at(2100),
      asks: [[60000.1, 0.00001]],
      bids: [
        [60000, 2],
        [59999.9, 4],
      ],
    },
    {
      at: at(3900),
      asks: [
        [60001, 3],
        [60002, 1],
      ],
      bids: [],
    },
  ]
  for (const path of [fileOf(archive + rows), fileOf(gzipSync(archive + rows), '.csv.gz')]) {
    const market = readDepth(path)
    expect(booksIn(market)).toEqual(expected)
    expect(market).toMatchObject({ kind: 'depth', levels: 2, beginsAt: at(400) })
    expect(market.seen).toMatchObject({ rows: 3, points: 9, endsAt: at(3900), gaps: 0, notes: [] })
  }
})

const plain = 'timestamp,asks[0].price,asks[0].amount,bids[0].price,bids[0].amount\n'
const row = (ms: number, bid: number) => `${at(ms)},${bid + 1},1,${bid},1\n`

test('of the books of a second, the last one is kept: that of the whole second belongs to the second before it', () => {
  const rows = [
    [100, 1],
    [999, 2],
    [1000, 3],
    [1001, 4],
    [1900, 5],
    [4000, 6],
  ] as const
  const market = readDepth(fileOf(plain + rows.map(([ms, bid]) => row(ms, bid)).join('')))
  expect(booksIn(market).map((book) => [book.at, book.bids?.[0]?.[0]])).toEqual([
    [at(1000), 3],
    [at(1900), 5],
    [at(4000), 6],
  ])
  expect(market.seen?.rows).toBe(6)
})

test('a late row in the order of arrival is left out, since a newer book is known', () => {
  const late =
    archiveRow(us(5000), '3,1,2,1,,,,') +
    archiveRow(us(4000), '9,1,8,1,,,,') +
    archiveRow(us(6000), '5,1,4,1,,,,')
  const market = readDepth(fileOf(archive + late))
  expect(booksIn(market).map((book) => book.bids?.[0]?.[0])).toEqual([2, 4])
  expect(market.seen?.notes).toEqual(['Rows that were older than a row before them and were left out: 1.'])
})

test('a pause of more than an hour is a gap, and the files of a folder are one market', () => {
  const days = mkdtempSync(join(folder, 'days-'))
  writeFileSync(join(days, 'a.csv'), plain + row(0, 1) + row(1000, 2))
  writeFileSync(join(days, 'b.csv'), plain + row(7_300_000, 3))
  const market = readDepth(days)
  expect(booksIn(market).map((book) => book.bids?.[0]?.[0])).toEqual([1, 2, 3])
  expect(market.seen).toMatchObject({ gaps: 1, gapPlaces: [{ at: at(1000), ms: 7_299_000 }] })
})

test('the binary form, CSV and shared memory keep all books', () => {
  const market = madeBooks({ seed: 5, price: 60_000, from: at(0), to: at(300_000) })
  // A file that has been read keeps one book of a second.
  const kept = booksIn(readDepth(fileOf([...linesOf(market)].join(''))))
  expect(kept.length).toBeGreaterThan(25)
  const seconds = Map.groupBy(booksIn(market), ({ at: time }) => Math.ceil(time / 1000))
  expect(kept).toEqual([...seconds.values()].map((books) => books.at(-1)))
  const path = join(folder, 'books.market')
  writeBinary(market, path)
  expect(booksIn(readDepth(path))).toEqual(booksIn(market))
  expect(readDepth(path).levels).toBe(5)
  const shared = sharedMarket(loadDepth(path))
  expect(booksIn(shared)).toEqual(booksIn(market))
  expect(shared.levels).toBe(5)
})

test('books that do not fit into a block are divided between books', () => {
  const many = Array.from({ length: 20_000 }, (_, index) => ({
    at: at(1000 * index),
    bids: [[100, 1 + index] as const, [99, 1] as const],
    asks: [[101, 1] as const, [102, 1] as const],
  }))
  const read = readDepth(fileOf([...linesOf(booksAt(many, 2))].join('')))
  expect([...read.blocks()].map(({ count: points }) => points % 4)).toEqual([0, 0])
  expect(booksIn(read).map(({ bids }) => bids?.[0]?.[1])).toEqual(many.map((_, index) => 1 + index))
})

test.each([
  [
    'prices',
    'timestamp,price\n1767571200,1\n',
    /holds prices, not order books; fix: Pass it as --market .*asks/,
  ],
  [
    'futures',
    'timestamp,index_price\n1767571200,1\n',
    /holds values of futures.*--futures of rungs backtest/,
  ],
  ['disorder', plain + row(2000, 1) + row(1000, 1), /:3 is 1 s older than the row before it.*sort/],
  ['a price of zero', `${plain}${at(0)},1,1,0,1\n`, /:2 "0" is not a price/],
  ['a negative amount', `${plain}${at(0)},1,-1,1,1\n`, /:2 "-1" is not an amount/],
  [
    'levels in another order',
    archive + archiveRow(us(0), '2,1,1,1,1.9,1,0.9,1'),
    /:2 has asks\[1\] at no worse price than asks\[0\].*best price/,
  ],
  ['a header alone', plain, /holds no prices/],
])('a file with %s is refused', (_, content, message) => {
  const read = () => [...readDepth(fileOf(content)).blocks()]
  expect(read).toThrow(expect.objectContaining({ message: expect.stringMatching(message) }))
})

test('order books are no prices', () => {
  expect(() => readMarket(fileOf(plain + row(0, 1)))).toThrow(/holds order books, not prices.*--depth/)
})
