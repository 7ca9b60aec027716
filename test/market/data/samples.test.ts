import { readdirSync, readFileSync, statSync } from 'node:fs'
import { zstdDecompressSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { packagedWorld } from '#src/cli/files/packaged-world.ts'
import { seededMarket } from '#src/cli/market/seeded-market.ts'
import { Exchange } from '#src/exchange/exchange.ts'
import { rateText } from '#src/exchange/trading/positions/funding.ts'
import { worldSchema } from '#src/exchange/world-file.ts'
import { linesOf } from '#src/market/data/csv/csv-file.ts'
import { readFunding } from '#src/market/data/funding-rates.ts'
import { loadMarket } from '#src/market/data/load/load-market.ts'
import { readYaml } from '#src/core/yaml/yaml-file.ts'
import { times } from '#test/properties/runs.ts'

/**
 * The files of config/markets were made with
 * npx rungs market --seeded BTC_USDT --for 7d --bars 1m --write config/markets/BTC_USDT.csv
 * npx rungs market --seeded BTC_PERP --for 7d --bars 1m --write config/markets/BTC_PERP.csv.zst
 * npx rungs market --seeded BTC_USDT --for 3h --write config/markets/BTC_USDT-trades.csv.zst and the funding that the
 * second of these markets paid.
 */
const folder = new URL('../../../config/markets/', import.meta.url)
const fundingFile = 'BTC_PERP-funding.csv'
const hourMs = 3_600_000
/** The first hours; comparing whole days takes as long as simulating them. */
const hours = times(4, 7 * 24, 2)
const seed = 'demo'

function linesOfFile(name: string): string[] {
  const bytes = readFileSync(new URL(name, folder))
  const text = (name.endsWith('.zst') ? zstdDecompressSync(bytes) : bytes).toString('utf8')
  return text.split(/(?<=\n)/)
}

test.each([
  ['BTC_USDT', 'BTC_USDT.csv'],
  ['BTC_PERP', 'BTC_PERP.csv.zst'],
])('the bars of %s are those that the command makes', (market, file) => {
  const made = [...linesOf(seededMarket(market, { seed, ms: hours * hourMs }), '1m')]
  expect(made).toHaveLength(2 + hours * 60)
  expect(linesOfFile(file).slice(0, made.length)).toEqual(made)
  expect(linesOfFile(file)).toHaveLength(2 + 7 * 1440)
})

test('the trades are those that the command makes', () => {
  const made = [...linesOf(seededMarket('BTC_USDT', { seed, ms: 3 * hourMs }))]
  expect(linesOfFile('BTC_USDT-trades.csv.zst')).toEqual(made)
})

test('the funding rates are those of the same market', () => {
  const world = readYaml(packagedWorld, worldSchema)
  const rules = world.markets['BTC_PERP']
  if (!rules) throw new Error('there is no BTC_PERP')
  const begin = Date.UTC(2026, 0, 5)
  const markets = { BTC_PERP: rules }
  const exchange = new Exchange({ world: { ...world, markets }, seed, begin, sources: { seeded: true } })
  exchange.advance(begin + times(8, 7 * 24, 3) * hourMs)
  const paid = exchange.state.markets[0]?.fundings ?? []
  const made = paid.map(({ at, rate }) => `${at / 1000},${rateText(rate)}\n`)
  expect(linesOfFile(fundingFile).slice(0, 2 + made.length)).toEqual([
    '# market: BTC_PERP\n',
    'timestamp,rate\n',
    ...made,
  ])
  const { rates, notes, name } = readFunding(new URL(fundingFile, folder).pathname)
  expect([rates.length, notes, name]).toEqual([21, [], 'BTC_PERP'])
})

test('the files are small and have no findings', () => {
  const files = readdirSync(folder)
  expect(files.length).toBe(4)
  const sizes = files.map((name) => statSync(new URL(name, folder)).size)
  expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(1_000_000)
  for (const name of files.filter((each) => each !== fundingFile)) {
    const { seen } = loadMarket(new URL(name, folder).pathname)
    expect(seen).toMatchObject({ gaps: 0, duplicates: 0 })
    expect(name.includes('trades') ? [] : seen?.notes).toEqual([])
  }
})
