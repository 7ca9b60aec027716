import { execFileSync } from 'node:child_process'
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { madeBars, type GeneratedWalk } from '#test/research/backtest/market/generated-market.ts'
import { rungsHere } from '#test/cli/support/in-process.ts'
import { rungs, temporaryFolder } from '#test/cli/support/process.ts'

const walk: GeneratedWalk = { seed: 4, minutes: 600, price: 60_000, pace: 0.002 }

/** The bars in the file format of an exchange. */
function csvOf(walk: GeneratedWalk): string {
  const rows = ['timestamp,open,high,low,close,volume']
  for (const { at, units, count } of madeBars(walk).blocks()) {
    for (let place = 0; place < count; place += 4) {
      const [open = 0, one = 0, other = 0, close = 0] = [...units.subarray(place, place + 4)].map(
        (unit) => unit / 1e9,
      )
      const [high, low] = [Math.max(one, other), Math.min(one, other)]
      rows.push([(at[place] ?? 0) / 1000, open, high, low, close, 100].join(','))
    }
  }
  return `${rows.join('\n')}\n`
}

function last({ stdout }: { stdout: string }): { summary: unknown; assumptions: string[] } {
  return JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '')
}

describe('rungs backtest', () => {
  let folder: ReturnType<typeof temporaryFolder>
  let file: string
  beforeAll(() => {
    folder = temporaryFolder()
    file = folder.file('prices.csv')
    writeFileSync(file, csvOf(walk))
  })
  afterAll(() => folder[Symbol.dispose]())
  const command = (...words: string[]) => [
    'backtest',
    'strategies/01-static-grid.yaml',
    '--market',
    file,
    ...words,
  ]
  const run = (...words: string[]) => rungsHere(command(...words))

  test('prints a line for each fill and the result last, deterministically', async () => {
    const [one, other] = [await rungs(command('--json')), await run('--json')]
    expect(one.code, one.stderr).toBe(0)
    const lines = one.stdout
      .trim()
      .split('\n')
      .map((line): Record<string, unknown> => JSON.parse(line))
    const last = lines.at(-1)
    expect(last).toMatchObject({ fills: lines.length - 1, events: 2400 })
    for (const name of ['netProfit', 'maxDrawdown', 'fees', 'elapsedMs']) expect(last).toHaveProperty(name)
    expect(timeless(other.stdout)).toBe(timeless(one.stdout))
  })

  test.each(['SOL_PERP.csv', 'ETHUSDT-1m-2026-01.csv', 'ETH-USDT-x.csv'])(
    'refuses %s for a strategy on BTC_USDT, unless the flag names the market',
    async (name) => {
      const other = folder.file(name)
      writeFileSync(other, readFileSync(file))
      const words = ['backtest', 'strategies/01-static-grid.yaml', '--market']
      const ended = await rungsHere([...words, other])
      expect(ended).toMatchObject({ code: 64, stdout: '' })
      expect(ended.stderr).toMatch(/has the name of (?:SOL|ETH)_\w+, and the strategy trades BTC_USDT/)
      expect((await rungsHere([...words, `BTC_USDT=${other}`])).code).toBe(0)
    },
  )

  test('takes fees, minimums and price bands from a venue file, and names them', async () => {
    const venue = folder.file('venue.yaml')
    const told = async (markets: string, ...words: string[]) => {
      writeFileSync(venue, `url: http://127.0.0.1:1\nmarkets:\n  ${markets}\n`)
      return run('--json', '--venue', venue, ...words)
    }
    const fees = ['--fees', '-0.01%,0.05%']
    const stated = last(await told('spot: { makerFee: -0.01, takerFee: 0.05 }'))
    expect(stated.summary).toEqual(last(await run('--json', ...fees)).summary)
    expect(stated.assumptions).toContain(
      'Fees and rules of the venue file hold for spot (makerFee, takerFee); all others are those of the packaged markets.',
    )
    // A symbol wins over its kind, and the flag over the file.
    const symbol = '{ spot: { makerFee: 9 }, BTC_USDT: { makerFee: -0.01, takerFee: 0.05 } }'
    expect(last(await told(symbol.slice(2, -2).replace(', BTC', '\n  BTC'))).summary).toEqual(stated.summary)
    expect(last(await told('spot: { makerFee: 9 }', ...fees)).summary).toEqual(stated.summary)
    expect(await told('spot: { makerFees: 0.1 }')).toMatchObject({
      code: 78,
      stderr: expect.stringMatching(/venue\.yaml:3:\d+ unknown key "makerFees"/),
    })
    expect(await told('BTC_UDST: { makerFee: 0.1 }')).toMatchObject({
      code: 78,
      stderr: expect.stringContaining('section markets of the venue file: markets.BTC_UDST is no market'),
    })
  })

  test('prints text and tables for people', async () => {
    const { code, stdout } = await run('--balance', '5000', '--fees', '-0.01%,0.05%', '--leverage', '5')
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(
        /sgrid on BTC_USDT[^]*net profit[^]*rebates received[^]*rungs[^]*rules[^]*leverage of the account is 5/,
      ),
    ])
  })

  test('reports anomalies of a market file and their treatment', async () => {
    const torn = folder.file('torn.csv')
    writeFileSync(torn, csvOf(walk).slice(0, -30))
    const words = ['strategies/01-static-grid.yaml', '--market', torn]
    for (const command of [['backtest'], ['sweep', '--vary', 'ladder.grid.levels=11']]) {
      const told = await rungsHere([...command, ...words])
      expect([told.code, told.stderr]).toEqual([
        0,
        expect.stringMatching(/: Line 601 is incomplete: .+ ignored\.\n/),
      ])
    }
  })

  test('pays the funding of a file, and reports its anomalies', async () => {
    const [perpetual, rates] = [folder.file('perpetual.yaml'), folder.file('rates.csv')]
    const text = readFileSync('strategies/01-static-grid.yaml', 'utf8').replace('BTC_USDT', 'BTC_PERP')
    writeFileSync(perpetual, text.replace(/^tests:[^]*/m, ''))
    writeFileSync(rates, 'timestamp,rate\n1767600000,0.001\n1767600000,0.001\n')
    const words = ['backtest', perpetual, '--market', file]
    const { code, stdout, stderr } = await rungsHere([...words, '--funding', `BTC_PERP=${rates}`])
    expect([code, stderr]).toEqual([0, `${rates}: 1 row says the same as the row before, and is ignored.\n`])
    expect(stdout).toMatch(/\n {2}funding +-?\d*\.\d*[1-9]\d* [^]*once, by the rates of\s+rates\.csv\./)
    const twice = await rungsHere([...words, '--funding', rates, '--funding', rates])
    expect(twice.stderr).toMatch(/is the second --funding for the same market.*\n.*--funding BTC_PERP=FILE/)
  })

  test('reports mistakes of a strategy before it reads the market data', async () => {
    const [faulty, endless] = [folder.file('faulty.yaml'), folder.file('endless.csv.gz')]
    writeFileSync(faulty, 'version: 1\nname: nothing\n')
    // A large file, which would take too long to read.
    const rows = gzipSync('1700000000,1,1,1,1,1\n'.repeat(500_000))
    writeFileSync(
      endless,
      Buffer.concat([gzipSync('timestamp,open,high,low,close,volume\n'), ...Array(1000).fill(rows)]),
    )
    for (const market of ['missing.csv', endless]) {
      const { code, stderr } = await rungsHere(['backtest', faulty, '--market', market])
      expect([code, stderr]).toEqual([65, expect.stringMatching(/faulty\.yaml/)])
      expect(stderr).not.toContain(market)
    }
  })

  test('a path that is no readable file gives the usual error', async () => {
    const [pipe, loop] = [folder.file('pipe'), folder.file('loop')]
    execFileSync('sh', ['-c', 'mkfifo "$0"', pipe])
    symlinkSync(loop, loop)
    for (const command of [['backtest'], ['sweep', '--vary', 'ladder.grid.levels=11']])
      for (const [market, words] of [
        [pipe, /is not a file/],
        [loop, /loop \(ELOOP, the links form a loop\)/],
      ] as const) {
        const told = await rungsHere([...command, 'strategies/01-static-grid.yaml', '--market', market])
        expect([told.code, told.stderr]).toEqual([78, expect.stringMatching(words)])
      }
  })

  test.each([
    [['--from', '2030-01-01'], /no data to trade from 2030-01-01T00:00:00.000Z: the markets have data from /],
    [['--from', 'yesterday'], /"yesterday" is not a time/],
    [['--from', '2026-02-30'], /"2026-02-30" is not a time/],
    [['--fees', 'none'], /"none" is not a fee/],
    [['--fees', '500%'], /500%: a fee must be below 100%\nfix: Write shares below 1/],
    [['--fees', '0.1%,x'], /"0\.1%,x" is not a fee/],
    [['--leverage', '4'], /"4" is not a leverage of the venue.*\n.*1, 2, 3, 5/],
    [['--latency', '20d'], /takes 1728000000 ms, and the period is \d+ ms/],
    [['--balance', '0'], /"0" is not a balance/],
    [['--latency', 'soon'], /"soon" is not a duration/],
    [['--fill', 'always'], /always/],
    [['--market', 'ETH_USDT=missing.csv'], /missing\.csv/],
    [['--funding', 'missing.csv'], /missing\.csv/],
    [['--funding', 'config/markets/BTC_USDT.csv'], /holds prices, not funding rates/],
  ])('%s is one clear error', async (words, message) => {
    const { code, stdout, stderr } = await run(...words)
    expect(code).toBeGreaterThan(0)
    expect(stdout).toBe('')
    expect(stderr).toMatch(message)
    expect(stderr.trim().split('\n').length).toBeLessThan(4)
  })
})

function timeless(text: string): string {
  return text.replace(/"elapsedMs":\d+/, '')
}
