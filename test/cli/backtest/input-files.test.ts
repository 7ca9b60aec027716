import { readFileSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { zstdCompressSync } from 'node:zlib'
import { rungsHere } from '#test/cli/support/in-process.ts'
import { rungs, temporaryFolder } from '#test/cli/support/process.ts'

const skew = 'strategies/standard/imbalance-skew.yaml'
const folder = temporaryFolder()
afterAll(() => folder[Symbol.dispose]())
const [trades, books, futures] = [
  folder.file('perp.csv'),
  folder.file('books.csv'),
  folder.file('futures.csv'),
]

/** Simulates what an exchange would show of BTC_PERP. */
function simulate(path: string, ...more: string[]) {
  return rungsHere(['market', '--seeded', 'BTC_PERP', '--for', '15m', '--write', path, ...more])
}

beforeAll(async () => {
  for (const [path, ...more] of [
    [trades],
    [books, '--what', 'depth'],
    [futures, '--what', 'futures'],
  ] as const) {
    const { code, stderr } = await simulate(path, ...more)
    expect(code, stderr).toBe(0)
  }
})

describe('rungs market --seeded --what', () => {
  test('trades have sides, books have ten levels, and futures have all values', () => {
    const heads = [trades, books, futures].map((path) => readFileSync(path, 'utf8').split('\n').slice(0, 3))
    expect(heads.map(([name]) => name)).toEqual(Array(3).fill('# market: BTC_PERP'))
    expect(heads[0]?.slice(1)).toEqual(['timestamp,price,amount,side', expect.stringMatching(/,(buy|sell)$/)])
    expect(heads[1]?.[1]).toMatch(
      /^timestamp,asks\[0\].price,asks\[0\].amount,bids\[0\].price,.*bids\[9\].amount$/,
    )
    expect(heads[2]?.slice(1)).toEqual([
      'timestamp,mark_price,index_price,open_interest,funding_rate,funding_timestamp',
      expect.stringMatching(/^1767571210000,[\d.]+,[\d.]+,[\d.]+,-?[\d.]+,\d{13}$/),
    ])
  })

  test('a simulated book is on both sides of the last trade', async () => {
    const rows = readFileSync(books, 'utf8').split('\n').slice(2, -1)
    expect(rows).toHaveLength(899)
    for (const row of rows) {
      const [, ask = 0, , bid = 0, , nextAsk = 0, , nextBid = 0] = row.split(',').map(Number)
      expect(bid).toBeLessThan(ask)
      expect(nextAsk).toBeGreaterThan(ask)
      expect(nextBid).toBeLessThan(bid)
    }
    const { stdout } = await rungsHere(['market', books])
    expect(stdout).toContain('what    order books, BTC_PERP\n  rows    899\n')
  })

  test.each([
    [['--what', 'futures'], /--what futures needs --write/],
    [
      ['--what', 'depth', '--bars', '1m', '--write', folder.file('no.csv')],
      /--bars has no effect with --what depth/,
    ],
    [
      ['--what', 'futures', '--seeded', 'BTC_USDT', '--write', folder.file('no.csv')],
      /BTC_USDT is not a perpetual/,
    ],
  ])('%j is one clear error', async (words, message) => {
    const { code, stderr } = await rungsHere(['market', '--seeded', 'BTC_PERP', '--for', '1m', ...words])
    expect([code, stderr]).toEqual([64, expect.stringMatching(message)])
  })

  test('a file of futures names the commands that read it', async () => {
    const { code, stderr } = await rungsHere(['market', futures])
    expect(code).toBe(65)
    expect(stderr).toMatch(/fix: Pass it as --futures of rungs backtest or rungs sweep/)
  })

  test('bars of order books are refused', async () => {
    const { code, stderr } = await rungsHere([
      'market',
      books,
      '--bars',
      '1m',
      '--write',
      folder.file('no.csv'),
    ])
    expect([code, stderr]).toEqual([64, expect.stringMatching(/order books have no bars/)])
  })
})

const words = ['backtest', skew, '--market', `BTC_PERP=${trades}`]

describe('rungs backtest --depth and --futures', () => {
  test('a strategy that reads order books acts with a file of them', async () => {
    const without = await rungsHere(words)
    expect(without.stdout).toContain(
      'imskew: imbalance(deep) is unknown: market files have no order book, --depth FILE gives it.',
    )
    expect(without.stdout).toMatch(/fills +0 /)
    const { code, stdout } = await rungsHere([...words, '--depth', books])
    expect(code).toBe(0)
    expect(stdout).not.toContain('is unknown')
    expect(stdout).toMatch(/fills +[1-9]/)
    expect(stdout).toContain('Feeds of depth read the last order book of each second of their file.')
  })

  test('a compressed file, a binary one and CSV give the same result, also where the backtest ends early', async () => {
    const [packed, binary] = [folder.file('books.csv.zst'), folder.file('books.market')]
    writeFileSync(packed, zstdCompressSync(readFileSync(books)))
    expect((await rungsHere(['market', books, '--write', binary])).code).toBe(0)
    const early = ['--to', '2026-01-05T00:10Z', '--json']
    const results = []
    for (const [file, type] of [
      [books, rungsHere],
      [packed, rungs],
      [binary, rungsHere],
    ] as const) {
      const { code, stdout } = await type([...words, '--depth', `BTC_PERP=${file}`, ...early])
      expect(code).toBe(0)
      results.push(stdout.replace(/"elapsedMs":\d+/, '').replace(/"depth":"\w+"/, ''))
    }
    expect(new Set(results).size).toBe(1)
  })

  test.each([
    [['--depth', trades], /holds prices, not order books/],
    [['--depth', `ETH_PERP=${books}`], /is the order book of ETH_PERP, and the strategies trade BTC_PERP/],
    [['--futures', books], /holds order books, not values of futures\nfix: Pass it as --depth/],
    [['--funding', futures], /holds values of futures, not funding rates\nfix: Pass it as --futures/],
    [['--futures', 'missing.csv'], /missing\.csv/],
    [['--depth', books, '--depth', books], /is the second --depth for BTC_PERP/],
  ])('%j is one clear error', async (more, message) => {
    const { code, stdout, stderr } = await rungsHere([...words, ...more])
    expect(code).toBeGreaterThan(0)
    expect(stdout).toBe('')
    expect(stderr).toMatch(message)
  })

  test.each([
    ['--market', 'btc', 'BTC_PERP'],
    ['--depth', 'btc', 'BTC_PERP'],
    ['--funding', 'btc_perp', 'BTC_PERP'],
    ['--futures', 'eth_perp', 'ETH_PERP'],
  ])('%s %s=FILE asks for the symbol of the market', async (flag, name, symbol) => {
    const { code, stderr } = await rungsHere([...words, flag, `${name}=${books}`])
    expect(code).toBe(64)
    expect(stderr).toContain(`${name}=${books} is no file, and ${name} is not the symbol of a market`)
    expect(stderr).toContain(`under markets: ${symbol}=${books}`)
  })

  test('a header without a column of a deeper level is read up to that level, with a note', async () => {
    const [without, fewer] = [folder.file('without.csv'), folder.file('fewer.csv')]
    const text = readFileSync(books, 'utf8')
    writeFileSync(without, text.replace('bids[3].amount', 'bid_3_size'))
    const rows = text
      .split('\n')
      .map((line) => (line.startsWith('#') ? line : line.split(',').slice(0, 13).join(',')))
    writeFileSync(fewer, rows.join('\n'))
    const note = 'The header has no bids[3].amount, so only 3 of 10 levels are read.'
    expect((await rungsHere([...words, '--depth', without])).stderr).toContain(`BTC_PERP: ${note}`)
    expect((await rungsHere(['market', without])).stdout).toContain(note)
    expect((await rungsHere([...words, '--depth', fewer])).stderr).not.toContain('levels')
  })

  test('order books are no prices of a backtest', async () => {
    const { stderr } = await rungsHere(['backtest', skew, '--market', books])
    expect(stderr).toMatch(/holds order books, not prices\nfix: Pass it as --depth/)
  })
})

const sweep = (...more: string[]) =>
  rungsHere(['sweep', ...words.slice(1), '--vary', 'feeds.deep.within=0.1%,0.15%', '--json', ...more])
const kept = (stdout: string) => stdout.replace(/"elapsedMs":\d+/, '')

describe('rungs sweep --depth and --futures', () => {
  test('each variant reads the same files, and results of other files are not used', async () => {
    const out = folder.file('found.ndjson')
    const files = ['--depth', books, '--futures', futures]
    const first = await sweep(...files, '--workers', '2', '--out', out)
    expect(first.code, first.stderr).toBe(0)
    const [variant] = first.stdout
      .split('\n')
      .map((line): Record<string, unknown> => JSON.parse(line || '{}'))
    expect(JSON.stringify(variant)).toMatch(/"fills":[1-9]/)
    const again = await sweep(...files, '--workers', '1', '--out', out)
    expect(kept(again.stdout)).toBe(kept(first.stdout))
    expect(again.stderr).toMatch(/^(\d+) of \1 backtests are known/m)
    const half = folder.file('half.csv')
    writeFileSync(half, readFileSync(books, 'utf8').split('\n').slice(0, 450).join('\n').concat('\n'))
    const others = await sweep('--depth', half, '--futures', futures, '--workers', '1', '--out', out)
    expect(others.stderr).not.toMatch(/are known/)
    expect(kept(others.stdout)).not.toBe(kept(first.stdout))
    expect(first.stderr).not.toContain('unknown')
    expect(others.stderr).toMatch(
      /^imskew: deep is unknown from 2026-01-05T00:07\S+ to 2026-01-05T00:\S+: its file has no rows there\.$/m,
    )
  })

  test('prints the notes of a backtest about missing and short files', async () => {
    const short = folder.file('short.csv')
    const cells = readFileSync(books, 'utf8')
      .split('\n')
      .map((line) => (line.startsWith('#') ? line : line.split(',').slice(0, 5).join(',')))
    writeFileSync(short, cells.join('\n'))
    for (const [files, note] of [
      [[], 'imskew: imbalance(deep) is unknown: market files have no order book, --depth FILE gives it.'],
      [['--depth', short], 'order books, which do not reach as far as'],
    ] as const) {
      const lineOf = (text: string) =>
        text
          .replaceAll(/\n {5,}/g, ' ')
          .split('\n')
          .find((line) => line.includes(note))
          ?.replace(/^ *-? */, '')
      const backtest = lineOf((await rungsHere([...words, ...files])).stdout)
      expect(backtest).toContain(note)
      expect(lineOf((await sweep(...files, '--workers', '1')).stderr)).toBe(backtest)
    }
  })

  test('walk-forward reads the same files', async () => {
    const { code, stderr, stdout } = await sweep(
      '--depth',
      books,
      '--search',
      'walk-forward',
      '--steps',
      '2',
      '--workers',
      '1',
    )
    expect(code, stderr).toBe(0)
    expect(stdout).toMatch(/"fills":[1-9]/)
  })

  test('paths of other prices have no order books', async () => {
    const { code, stderr } = await sweep('--depth', books, '--monte-carlo', '3')
    expect([code, stderr]).toEqual([64, expect.stringMatching(/--monte-carlo moves prices to other times/)])
  })
})
