import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { linesOf, writeCsv } from '#src/market/data/csv/csv-file.ts'
import { readMarket } from '#src/market/data/read-market.ts'
import { marketFolder, start, walked } from './market-fixture.ts'

const { folder, fileOf } = marketFolder()
const header = 'timestamp,open,high,low,close,volume\n'
const bars = `# market: BTC_PERP\n${header}1700000040,10,12,9,11.5,0.000000007\n1700000100,11,11,11,11,0\n`
const trades = `timestamp,price,amount\n1700000040500,10,1\n1700000041000,12.25,0\n1700000101000,11,3\n`

test('a market read from CSV is written unchanged', () => {
  for (const text of [bars, trades]) {
    expect([...linesOf(readMarket(fileOf(text)))].join('')).toBe(text)
  }
})

test('trades become bars of any length; spans without trades have no bar', () => {
  const market = readMarket(fileOf(trades))
  expect([...linesOf(market, '1m')]).toEqual([
    header,
    `${start + 40},10,12.25,10,12.25,1\n`,
    `${start + 100},11,11,11,11,3\n`,
  ])
  const without = readMarket(fileOf('timestamp,price\n1700000040,2\n'))
  expect([...linesOf(without, '1h')]).toEqual(['timestamp,open,high,low,close\n', '1699999200,2,2,2,2\n'])
})

test.each(['csv', 'csv.gz', 'csv.zst'])(
  'a file that ends in %s is compressed so, and can be read again',
  async (ending) => {
    const target = join(folder, `written.${ending}`)
    const source = readMarket(fileOf(bars))
    expect(await writeCsv(source, target)).toBe(readFileSync(target).length)
    expect(readFileSync(target).equals(Buffer.from(bars))).toBe(ending === 'csv')
    expect(walked(readMarket(target))).toEqual(walked(source))
  },
)

test('bars of a length without a name are not written as CSV', () => {
  const odd = `timestamp,open,high,low,close\n1700000000,1,1,1,1\n1700000090,1,1,1,1\n`
  expect(() => [...linesOf(readMarket(fileOf(odd)))]).toThrow(/bars of 90 s have no interval name/)
})

test('a file that cannot be written leaves nothing behind', async () => {
  const source = readMarket(fileOf(bars))
  await expect(writeCsv(source, join(folder, 'nowhere', 'a.csv'))).rejects.toThrow(
    /The file cannot be written: .*a\.csv \(ENOENT\)/,
  )
  const torn = readMarket(fileOf(`${bars}1600000000,1,1,1,1,1\n`))
  const target = join(folder, 'never.csv')
  await expect(writeCsv(torn, target)).rejects.toThrow(/older than the row before/)
  expect(() => readMarket(target)).toThrow(/ENOENT/)
  expect(() => readMarket(`${target}.part`)).toThrow(/ENOENT/)
})
