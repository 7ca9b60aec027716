import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { contract } from '#src/venues/whitebit/contract/endpoint-table.ts'
import { readFunding } from '#src/market/data/funding-rates.ts'
import { readMarket } from '#src/market/data/read-market.ts'
import { marketFolder, start } from './market-fixture.ts'

const { folder, fileOf } = marketFolder()
const hour8 = 28_800
const head = 'timestamp,rate\n'
const plain = `${head}${start},0.0001\n${start + hour8},-0.00025\n${start + 2 * hour8},0\n`
const rates = [
  { at: start * 1000, rate: 10_000 },
  { at: (start + hour8) * 1000, rate: -25_000 },
  { at: (start + 2 * hour8) * 1000, rate: 0 },
]
const archive = `calc_time,funding_interval_hours,last_funding_rate
${start}000,8,0.00010000
${start + hour8}000,8,-0.00025000
${start + 2 * hour8}000,8,0.00000000
`
const answered = rates
  .map(({ at, rate }) => ({
    fundingTime: String(at / 1000),
    fundingRate: String(rate / 1e8),
    market: 'BTC_PERP',
  }))
  .reverse()

test.each([
  ['seconds', plain],
  ['milliseconds', plain.replaceAll(/^17\d+/gm, '$&000')],
  ['microseconds', plain.replaceAll(/^17\d+/gm, '$&000000')],
  ['an archive of an exchange', archive],
  ['what the venue answers', JSON.stringify(answered)],
  ['gzip', gzipSync(plain)],
  ['zstd', zstdCompressSync(archive)],
  ['lines as other systems end them', plain.replaceAll('\n', '\r\n')],
  ['numbers as other programs write them', plain.replace('0.0001', '1e-04').replace('-0.00025', '-2.5E-4')],
])('rates are read from %s', (_, content) => {
  expect(readFunding(fileOf(content)).rates).toEqual(rates)
})

test('a comment names the market of the rates, and the example of the contract is a valid file', () => {
  expect(readFunding(fileOf(`# market: BTC_PERP\n${plain}`)).name).toBe('BTC_PERP')
  const { response } = contract.fundingRates.example
  const [first] = response
  expect(readFunding(fileOf(JSON.stringify(response))).rates.at(-1)).toEqual({
    at: Number(first?.fundingTime) * 1000,
    rate: Math.round(Number(first?.fundingRate) * 1e8),
    calculatedAt: Number(first?.rateCalculatedTime) * 1000,
  })
})

test('unusual data is reported with how it was handled', () => {
  const row = `${start + 2 * hour8},0\n`
  const odd = readFunding(fileOf(plain.replace('-0.00025', '-0.000250004') + row + '1700'))
  expect(odd.rates).toEqual(rates)
  expect(odd.notes).toEqual([
    'Line 6 is incomplete: it has no line break, and "1700" is not a row. The line is ignored.',
    '1 row says the same as the row before, and is ignored.',
    'Rates with more than 8 decimals are rounded to 8: 1.',
  ])
  expect(readFunding(fileOf(plain.replaceAll('0.000', '0.0'))).notes).toEqual([
    'Half of its rates are 1 % of a position or more. If they are percent, divide them by 100.',
  ])
})

test.each([
  ['nothing', '', /holds no prices and no funding/],
  ['a header alone', head, /holds no funding rates/],
  ['no header', '1700000000,0.0001\n', /:1 "1700000000,0.0001" is not a header .*timestamp,rate/],
  ['rates that are no number', `${head}${start},NaN\n`, /:2 "NaN" is not a funding rate/],
  ['a rate that is missing', `${head}${start},\n${start + 1},0\n`, /:2 "" is not a funding rate/],
  [
    'a rate with its unit',
    `${head}${start},0.01%\n`,
    /:2 "0.01%" is not a funding rate.*0\.0001 for 0\.01 %/,
  ],
  ['percent', `${head}${start},5\n`, /:2 is a rate of 500 % of a position at once.*divide percent by 100/],
  ['percent below zero', `${head}${start},-0.1\n`, /:2 is a rate of -10 % of a position/],
  ['time that runs back', `${head}${start},0\n${start - 1},0\n`, /:3 is 1 s older.* sort -s -n -t, -k 1,1/],
  [
    'a rate told in two ways',
    `${head}${start},0\n${start},0.1\n`.replace('0.1', '0.01'),
    /:3 .*another rate/,
  ],
  ['a time that is none', `${head}noon,0\n`, /:2 "noon" is not a time/],
  [
    'values of futures',
    'timestamp,index_price\n1700000000,1\n',
    /holds values of futures, not funding rates; fix: Pass it as --futures .*timestamp,rate$/,
  ],
  ['prices', 'timestamp,price\n1700000000,1\n', /holds prices, not funding rates.*--market/],
])('%s is reported once, with the place and the fix', (_, content, expected) => {
  const path = fileOf(content)
  const complaint = { code: 'MARKET_INVALID', message: expect.stringMatching(expected) }
  expect(() => readFunding(path)).toThrow(expect.objectContaining(complaint))
  expect(() => readFunding(path)).toThrow(path)
})

test('prices and funding rates are not mistaken for each other', () => {
  expect(() => readMarket(fileOf(plain))).toThrow(/holds funding rates, not prices.*--funding/)
  const path = join(folder, 'own.market')
  writeFileSync(path, 'RUNGSMK1')
  expect(() => readFunding(path)).toThrow(/holds prices/)
})
