import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, expect, test } from 'vitest'
import { BotError } from '#src/errors/bot-error.ts'
import { readMarketFile } from '#src/settings/market-file.ts'

const folder = mkdtempSync(join(tmpdir(), 'rungs-market-'))
afterAll(() => rmSync(folder, { recursive: true }))

let files = 0
function fileOf(content: string | Uint8Array): string {
  const path = join(folder, `prices-${files++}.csv`)
  writeFileSync(path, content)
  return path
}

/** The points of a file, in dollars at seconds. */
function pointsOf(content: string): [number, number][] {
  const { at, units } = readMarketFile(fileOf(content))
  return [...at].map((time, index) => [time / 1000, (units[index] ?? 0) / 1e9])
}

const bars = 'timestamp,open,high,low,close,volume\n'
const trades = 'timestamp,price,amount,side\n'

test('a bar goes from its open to the nearer end, to the other one, and to its close', () => {
  expect(pointsOf(`${bars}1700000000,100,110,95,105,1\n1700000060,105,106,90,91.5,1\n`)).toEqual([
    [0, 100],
    [15, 95],
    [45, 110],
    [59.999, 105],
    [60, 105],
    [75, 106],
    [105, 90],
    [119.999, 91.5],
  ])
  // As near to the one as to the other: down first. And a bar that stands alone is a minute.
  expect(pointsOf(`${bars}1700000000,100,105,95,100,1`)).toEqual([
    [0, 100],
    [15, 95],
    [45, 105],
    [59.999, 100],
  ])
})

test('trades are taken one by one; of those in a tenth of a second the last', () => {
  const rows =
    '1700000000000,1.5,1,buy\n1700000000010,1.6,1,sell\n1700000000100,1.7,1,buy\n1700000009000,1.4,1,buy\n'
  expect(pointsOf(trades + rows)).toEqual([
    [0, 1.6],
    [0.1, 1.7],
    [9, 1.4],
  ])
})

test('seconds, milliseconds and microseconds are told apart, also within one file', () => {
  const rows = ['1700000000,1', '1700000001000,2', '1700000002000000,3', '1700000003,4']
  expect(pointsOf(`timestamp,price\n${rows.join('\n')}`)).toEqual([
    [0, 1],
    [1, 2],
    [2, 3],
    [3, 4],
  ])
})

test('columns are found by their names, in any order and among others, whatever the line ends', () => {
  const text =
    '\uFEFF# from somewhere\r\nClose,Low,trades,High,Open,Open_Time\r\n105,95,7,110,100,1700000000\r\n\r\n'
  expect(pointsOf(text).map(([, price]) => price)).toEqual([100, 95, 110, 105])
})

test('prices keep every digit', () => {
  const { units } = readMarketFile(fileOf('time,price\n1700000000,64123.123456789\n1700000001,0.000000001\n'))
  expect([...units]).toEqual([64_123_123_456_789, 1])
})

test('a comment can say which market it is', () => {
  expect(readMarketFile(fileOf(`# market: BTC_PERP\n${trades}1700000000,1,1,buy`)).market).toBe('BTC_PERP')
  expect(readMarketFile(fileOf(`${trades}1700000000,1,1,buy`)).market).toBeUndefined()
})

test('a gap is told with its line, and the price stands in it', () => {
  const rows = '1700000000,1,1,1,1,0\n1700000060,1,2,1,2,0\n1700000360,3,3,3,3,0\n1700000420,3,3,3,3,0\n'
  const { at, units, gaps, gapCount } = readMarketFile(fileOf(bars + rows))
  expect({ gaps, gapCount }).toEqual({ gaps: [{ line: 4, ms: 240_000 }], gapCount: 1 })
  const last = at.lastIndexOf(359_999)
  expect(units[last]).toBe(2e9)
  const silent = readMarketFile(fileOf('time,price\n1700000000,1\n1700003600,1\n1700007201,1\n'))
  expect(silent.gaps).toEqual([{ line: 4, ms: 3_601_000 }])
})

test('a file of a million rows is read as it comes', () => {
  const rows = Array.from(
    { length: 300_000 },
    (_, index) => `${1_700_000_000 + index},${100 + (index % 7)}.25,1,buy`,
  )
  const { at, units } = readMarketFile(fileOf(trades + rows.join('\n')))
  expect(at).toHaveLength(300_000)
  expect(at.at(-1)).toBe(299_999_000)
  expect(units.at(-1)).toBe((100 + (299_999 % 7)) * 1e9 + 250_000_000)
})

test.each([
  ['nothing', '', /holds no prices/],
  ['a header alone', bars, /holds no prices/],
  ['no header', '1700000000,100,110,95,105,1\n', /:1 "1700000000,100,.*" is no header of bars or trades/],
  ['a header of something else', 'name,age\nbob,7\n', /:1 "name,age" is no header/],
  ['half a header of bars', 'timestamp,open,high,low\n', /:1 .* is no header/],
  [
    'a line cut short',
    `${bars}1700000000,100,110,95,105,1\n1700000060,10`,
    /:3 has 2 values, the header names 6/,
  ],
  ['a price that is none', `${trades}1700000000,12e3,1,buy`, /:2 "12e3" is no price/],
  ['a price below zero', `${trades}1700000000,-1,1,buy`, /:2 "-1" is no price/],
  ['a price of zero', `${trades}1700000000,0.00,1,buy`, /:2 "0\.00" is no price/],
  [
    'too many decimals',
    `${trades}1700000000,1.0000000001,1,buy`,
    /:2 "1\.0000000001" is no price.*at most 9 decimals/,
  ],
  ['a price too large', `${trades}1700000000,90000000,1,buy`, /:2 "90000000" is no price/],
  ['a time that is none', `${trades}yesterday,1,1,buy`, /:2 "yesterday" is no time/],
  ['a time before everything', `${trades}1700,1,1,buy`, /:2 "1700" is no time/],
  [
    'time that runs back',
    `${trades}1700000001,1,1,buy\n1700000000,1,1,buy`,
    /:3 is older than the row before it/,
  ],
  ['a bar twice', `${bars}${'1700000000,1,1,1,1,0\n'.repeat(2)}`, /:3 has the time of the row before it/],
  [
    'bars of different lengths',
    `${bars}1700000000,1,1,1,1,0\n1700003600,1,1,1,1,0\n1700003660,1,1,1,1,0\n`,
    /:4 comes 60 s after the row before it, the bars above are 3600 s long/,
  ],
  [
    'a high below the close',
    `${bars}1700000000,1,1,1,2,0`,
    /:2 has an open or a close beyond its high or its low/,
  ],
  ['a low above the open', `${bars}1700000000,1,3,2,2,0`, /:2 has an open or a close beyond/],
  ['bytes of something else', Buffer.alloc(10_000, 7), /:1 is longer than 4096 characters/],
  ['a packed file', gzipSync(bars), /is compressed. Unpack it first/],
])('%s is told once, with the place and what to do', (_, content, expected) => {
  const path = fileOf(content)
  const read = () => readMarketFile(path)
  expect(read).toThrow(BotError)
  expect(read).toThrow(
    expect.objectContaining({ code: 'FILE_INVALID', message: expect.stringMatching(expected) }),
  )
  expect(read).toThrow(path)
})

test('what is no file is told as such', () => {
  const path = join(folder, 'a-folder.csv')
  mkdirSync(path)
  for (const place of [path, join(folder, 'nowhere.csv')])
    expect(() => readMarketFile(place)).toThrow(expect.objectContaining({ code: 'FILE_UNREADABLE' }))
})
