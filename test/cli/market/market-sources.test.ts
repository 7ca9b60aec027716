import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { sourcesOf } from '#src/cli/files/market-sources.ts'
import { paperWorld } from '#test/exchange/exchange-fixture.ts'

const folder = mkdtempSync(join(tmpdir(), 'rungs-markets-'))
afterAll(() => rmSync(folder, { recursive: true }))

function file(name: string, comment = ''): string {
  const path = join(folder, name)
  writeFileSync(path, `${comment}timestamp,price\n1700000000,1\n1700090000,2\n`)
  return path
}

function marketsOf(...words: string[]): (readonly string[])[] {
  return sourcesOf(words, 'through', paperWorld).sources.recorded?.files.map(({ markets }) => markets) ?? []
}

test.each([
  ['BTC_PERP.csv', ['BTC_PERP']],
  ['eth_perp-1m-2026.csv', ['ETH_PERP']],
  ['2026 sol-usdt trades', ['SOL_USDT']],
  ['BTC.csv', ['BTC_USDT', 'BTC_PERP']],
  ['ETHUSDT-1m-2026-01.csv', ['ETH_USDT', 'ETH_PERP']],
])('the name %s determines its markets', (name, markets) => {
  expect(marketsOf(file(name))).toEqual([markets])
})

test('the comment in a file overrides its name', () => {
  expect(marketsOf(file('BTC_PERP-1.csv', '# market: sol_perp\n'))).toEqual([['SOL_PERP']])
  expect(marketsOf(file('prices.csv', '# market: ETH\n'))).toEqual([['ETH_USDT', 'ETH_PERP']])
})

test('several files can be combined, with or without random walks for the other markets', () => {
  const words = [file('BTC_PERP-2.csv'), 'seeded', file('SOL.csv')]
  expect(sourcesOf(words, 'through', paperWorld).sources).toMatchObject({
    seeded: true,
    recorded: {
      files: [{ markets: ['BTC_PERP'] }, { markets: ['SOL_USDT', 'SOL_PERP'] }],
      fill: 'through',
      moved: true,
    },
  })
  expect(sourcesOf(words.slice(2), 'through', paperWorld).sources.seeded).toBe(false)
  expect(sourcesOf(['still'], 'through', paperWorld).sources).toEqual({ seeded: false })
})

test('the operator sees the period of each market, and missing rows', () => {
  const path = file('ETH_PERP.csv')
  expect(sourcesOf([path], 'through', paperWorld).notes).toEqual([
    `${path} sets the price of ETH_PERP for 25 h; after that the price stays constant.`,
    'The file has gaps without trades: 25 h before line 3.',
    'The file holds no amounts: any amount may trade at each price.',
  ])
})

test.each([
  ['a file without a market', () => [file('prices-2.csv')], 'FILE_INVALID', /does not name its market/],
  [
    'a market of another world',
    () => [file('prices-3.csv', '# market: DOGE_PERP\n')],
    'FILE_INVALID',
    /names the market DOGE_PERP, which this world does not have/,
  ],
  [
    'two files for one market',
    () => [file('BTC-2.csv'), file('BTC_PERP-3.csv')],
    'USAGE',
    /second file for BTC_PERP/,
  ],
  ['a word that is nothing', () => ['seedet'], 'USAGE', /seedet is neither still nor seeded nor a file/],
  ['still and more', () => ['seeded', 'still'], 'USAGE', /still excludes other/],
] as const)('%s is refused with what to do', (_, words, code, expected) => {
  expect(() => sourcesOf(words(), 'through', paperWorld)).toThrow(
    expect.objectContaining({ code, message: expect.stringMatching(expected) }),
  )
})

test('an asset without a price cannot be seeded, unless a file has its markets', () => {
  const { BTC } = paperWorld.assets
  if (BTC === undefined) throw new Error('the packaged world has BTC')
  const world = { ...paperWorld, assets: { ...paperWorld.assets, BTC: { ...BTC, price: 0n } } }
  expect(() => sourcesOf(['seeded'], 'through', world)).toThrow(
    expect.objectContaining({
      code: 'SETTING_INVALID',
      message: expect.stringMatching(/no start price for BTC_USDT: BTC has no price/),
    }),
  )
  expect(sourcesOf(['seeded', file('BTC-3.csv')], 'through', world).sources.seeded).toBe(true)
})
