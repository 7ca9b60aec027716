import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { readListing } from '#src/market/data/listed-futures.ts'
import { readMarket } from '#src/market/data/read-market.ts'

const folder = mkdtempSync(join(tmpdir(), 'rungs-listed-'))
afterAll(() => rmSync(folder, { recursive: true }))
let count = 0

function fileOf(content: string): string {
  const path = join(folder, `listed-${count++}.csv`)
  writeFileSync(path, content)
  return path
}

const monday = 1_767_571_200_000
const payment = monday + 8 * 3_600_000

/** The columns of a public archive of derivatives. */
const archive =
  'exchange,symbol,timestamp,local_timestamp,funding_timestamp,funding_rate,predicted_funding_rate,' +
  'open_interest,last_price,index_price,mark_price\n'
const archiveRow = (ms: number, text: string) =>
  `venue,BTCUSDT,${(monday + ms) * 1000},${(monday + ms) * 1000 + 5},${text}\n`

test('a file of a public archive is read, and empty cells are no values', () => {
  const path = fileOf(
    archive +
      archiveRow(500, `${payment * 1000},-0.00012345,,81234567.5,60000,60001.25,60000.5`) +
      archiveRow(12_000, `,,,,60000,60002,`),
  )
  const { rows, has, notes, name } = readListing(path)
  expect(rows).toEqual([
    {
      at: monday + 500,
      fundingAt: payment,
      funding: -0.00012345,
      openInterest: 81_234_567.5,
      index: 60_001.25,
      mark: 60_000.5,
    },
    { at: monday + 12_000, index: 60_002 },
  ])
  expect([has.toSorted(), notes, name]).toEqual([
    ['funding', 'fundingAt', 'index', 'mark', 'openInterest'],
    [],
    undefined,
  ])
})

test('a file of metrics has open interest alone, with times as text', () => {
  const { rows, has } = readListing(
    fileOf(
      'create_time,symbol,sum_open_interest,sum_open_interest_value\n2026-01-05 00:05:00,BTCUSDT,90123.5,1\n',
    ),
  )
  expect(rows).toEqual([{ at: monday + 300_000, openInterest: 90_123.5 }])
  expect(has).toEqual(['openInterest'])
})

test('of the rows of ten seconds, the last one is kept', () => {
  const rows = [0, 1, 10_000, 10_001, 19_000, 30_000, 30_001]
  const text = rows.map((ms, index) => `${monday + ms},${index + 1}\n`).join('')
  const read = readListing(fileOf(`timestamp,mark_price\n${text}`)).rows
  expect(read.map(({ at, mark }) => [at - monday, mark])).toEqual([
    [0, 1],
    [10_000, 3],
    [19_000, 5],
    [30_000, 6],
    [30_001, 7],
  ])
})

test('late rows of a recorder are left out, the files of a folder follow each other, and the market is named', () => {
  const days = mkdtempSync(join(folder, 'days-'))
  const first = archiveRow(0, ',,,1,,,') + archiveRow(20_000, ',,,2,,,') + archiveRow(19_500, ',,,9,,,')
  writeFileSync(join(days, 'a.csv'), `# market: BTC_PERP\n${archive}${first}`)
  writeFileSync(join(days, 'b.csv'), archive + archiveRow(40_000, ',,,3,,,'))
  const { rows, notes, name } = readListing(days)
  expect(rows.map(({ openInterest }) => openInterest)).toEqual([1, 2, 3])
  expect(notes).toEqual(['Rows that were older than a row before them and were left out: 1.'])
  expect(name).toBe('BTC_PERP')
})

test.each([
  [
    'prices',
    'timestamp,price\n1767571200,1\n',
    /holds prices, not values of futures; fix: Pass it as --market .*timestamp,mark_price,/,
  ],
  [
    'funding rates',
    'timestamp,rate\n1767571200,0.1\n',
    /has rates of funding, and none of the columns index_price.*pass the file as --funding/,
  ],
  [
    'payments with their prices',
    'fundingTime,fundingRate,markPrice\n1767571200,0.1,2\n',
    /has rates of funding, and none of the columns/,
  ],
  ['disorder', 'timestamp,mark_price\n1767571200,1\n1767571100,1\n', /:3 is 100 s older.*sort/],
  ['no number', 'timestamp,open_interest\n1767571200,much\n', /:2 "much" is not an amount/],
  ['no price', 'timestamp,mark_price\n1767571200,0\n', /:2 "0" is not a price/],
  ['no time', 'timestamp,mark_price,funding_timestamp\n1767571200,1,soon\n', /:2 "soon" is not a time/],
  [
    'rates in percent',
    'timestamp,funding_rate,index_price\n1767571200,0.01,1\n1767571300,-300,1\n',
    /:3 is a rate of -30000 % of a position at once.*divide percent by 100/,
  ],
  ['a header alone', 'timestamp,mark_price\n', /holds no values of futures/],
])('a file with %s is refused', (_, content, message) => {
  expect(() => readListing(fileOf(content))).toThrow(
    expect.objectContaining({ message: expect.stringMatching(message) }),
  )
})

test('rates that may be percent are reported as in a file of funding', () => {
  const { notes } = readListing(fileOf('timestamp,funding_rate,index_price\n1767571200,-0.01,1\n'))
  expect(notes).toEqual([
    'Half of its rates are 1 % of a position or more. If they are percent, divide them by 100.',
  ])
})

test('a payment of some seconds ago is as a venue lists it, and an older one is unknown', () => {
  const rows = `timestamp,mark_price,funding_timestamp\n`
  const [justPaid, passed] = [`${monday},1,${monday - 60_000}\n`, `${monday + 10_000},1,${monday - 60_000}\n`]
  const mixed = fileOf(rows + justPaid + passed)
  const { rows: found, has, notes } = readListing(mixed)
  expect(found.map(({ fundingAt }) => fundingAt)).toEqual([monday - 60_000, undefined])
  expect(has).toContain('fundingAt')
  expect(notes).toEqual([
    `Payments more than 60 s before their row are unknown: 1, the first one in ${mixed}:3.`,
  ])
  expect(readListing(fileOf(rows + passed)).has).toEqual(['mark'])
})

test('values of futures are no prices', () => {
  expect(() => readMarket(fileOf('timestamp,mark_price\n1767571200,1\n'))).toThrow(
    /holds values of futures, not prices; fix: Pass it as --futures of rungs backtest or rungs sweep;/,
  )
})
