import { isDeepStrictEqual } from 'node:util'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { expect, test } from 'vitest'
import type { HistoricalMarket } from '#src/market/data/historical-market.ts'
import { readMarket } from '#src/market/data/read-market.ts'
import { marketFolder, start, walked } from './market-fixture.ts'

const { fileOf } = marketFolder()
const rows = Array.from(
  { length: 100_000 },
  (_, row) => `${start + row},${100 + (row % 700) / 100},0.5,buy\n`,
)
const trades = `timestamp,price,amount,side\n${rows.join('')}`
const packings = [
  ['gzip', gzipSync],
  ['zstd', zstdCompressSync],
] as const

test.each(packings)('a file compressed with %s is read like the plain one', (_, pack) => {
  const plain = walked(readMarket(fileOf(trades)))
  const isPlain = (market: HistoricalMarket) => isDeepStrictEqual(walked(market), plain)
  expect(isPlain(readMarket(fileOf(pack(trades))))).toBe(true)
  // Like concatenated compressed files.
  const parts = Buffer.concat([pack(trades.slice(0, 1_000_003)), pack(trades.slice(1_000_003))])
  const market = readMarket(fileOf(parts))
  expect(isPlain(market)).toBe(true)
  expect(isPlain(market)).toBe(true)
})

test.each(packings)('a %s file that is not read to the end blocks nothing', (_, pack) => {
  const market = readMarket(fileOf(pack(trades)))
  const blocks = market.blocks()
  expect(blocks.next().value).toMatchObject({ count: 65_536 })
  expect(blocks.return?.()).toMatchObject({ done: true })
})

const few = `timestamp,price,amount,side\n${rows.slice(0, 20).join('')}`

test.each(packings)('a truncated %s file is refused', (form, pack) => {
  const whole = pack(few)
  for (let length = 5; length < whole.length; length += 31) {
    const path = fileOf(whole.subarray(0, length))
    expect(() => walked(readMarket(path)), `${length} bytes`).toThrow(
      expect.objectContaining({
        code: 'MARKET_INVALID',
        message: expect.stringMatching(
          `cannot be decompressed completely: .* \\(${form}\\); fix: Download or compress it again`,
        ),
      }),
    )
  }
})

test.each([
  ['bunzip2', 'BZh91AY'],
  ['unxz', '\u00fd7zXZ'],
])('an error names the program %s, which can decompress the file', (command, content) => {
  expect(() => readMarket(fileOf(Buffer.from(content, 'latin1')))).toThrow(
    `is compressed in another format than gzip, zstd or zip; fix: Decompress it with ${command}`,
  )
})
