import { readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { rungsHere } from '#test/cli/support/in-process.ts'
import { rungs, temporaryFolder } from '#test/cli/support/process.ts'
import { chanceOf } from '#test/research/backtest/market/generated-market.ts'

const grid = 'strategies/01-static-grid.yaml'
const minutes = 240

/** Four hours of random bars in a file. */
function marketFile(path: string): string {
  const chance = chanceOf(4)
  const rows = ['# market: BTC_USDT', 'timestamp,open,high,low,close,volume']
  let price = 60_000
  for (let minute = 0; minute < minutes; minute++) {
    const path = [price, ...Array.from({ length: 4 }, () => (price += Math.round((chance() - 0.5) * 160)))]
    const [high, low] = [Math.max(...path), Math.min(...path)]
    rows.push([1_767_571_200 + minute * 60, path[0], high, low, price, 12.5].join(','))
  }
  writeFileSync(path, `${rows.join('\n')}\n`)
  return path
}

const lastLine = z.object({
  backtests: z.int(),
  steps: z.array(z.looseObject({ best: z.record(z.string(), z.string()) })),
})

/** The output without the duration. */
const told = (stdout: string) => stdout.replace(/"elapsedMs":\d+/, '')
const vary = [
  '--vary',
  'ladder.grid.size.total=1000 quote,2000 quote',
  '--vary',
  'ladder.grid.levels=11,21,201',
]

test('the result does not depend on the number of workers, and the next sweep reuses it', async () => {
  using folder = temporaryFolder()
  const words = ['sweep', grid, '--market', marketFile(folder.file('four-hours.csv')), ...vary, '--json']
  const [out, page] = [folder.file('found.ndjson'), folder.file('page.html')]
  const one = await rungs([...words, '--workers', '1'])
  expect(one.code, one.stderr).toBe(0)
  const two = await rungsHere([...words, '--workers', '2', '--out', out, '--report', page])
  expect(told(two.stdout)).toBe(told(one.stdout))
  const lines = one.stdout.trim().split('\n')
  expect(lines).toHaveLength(7)
  const last = lastLine.parse(JSON.parse(lines.at(-1) ?? ''))
  expect(last.backtests).toBe(12)
  // Two of the six variants have too many levels and are invalid.
  expect(lines.filter((line) => line.includes('"refused"'))).toHaveLength(2)
  expect(readFileSync(page, 'utf8')).toContain('Content-Security-Policy')

  const kept = readFileSync(out, 'utf8').split('\n')
  writeFileSync(out, `${kept.slice(0, 6).join('\n')}\n${kept[6]?.slice(0, 20)}`)
  const again = await rungsHere([...words, '--workers', '1', '--out', out])
  expect(told(again.stdout)).toBe(told(one.stdout))
  expect(again.stderr).toMatch(/12 of 12 backtests/)
  // Five were known: the first line has the inputs.
  expect(readFileSync(out, 'utf8').trim().split('\n')).toHaveLength(13)
  const other = await rungsHere([...words, '--latency', '1s', '--out', out])
  expect(other).toMatchObject({
    code: 78,
    stderr: expect.stringContaining('holds the results of another sweep'),
  })
})

test('a sweep counts rebates and leverage as a backtest does', async () => {
  using folder = temporaryFolder()
  const words = ['--market', marketFile(folder.file('four-hours.csv')), '--vary', 'ladder.grid.levels=21']
  const setting = ['--fees', '-0.01%,0.05%', '--leverage', '5', '--workers', '1', '--json']
  const { code, stdout, stderr } = await rungsHere(['sweep', grid, ...words, ...setting])
  expect(code, stderr).toBe(0)
  // All orders of the grid are maker orders.
  expect(JSON.parse(stdout.split('\n')[0] ?? '')).toMatchObject({
    learned: { summary: { fees: expect.stringMatching(/^-0\.\d+$/) } },
  })
})

test('walk-forward optimizes and validates step by step, and prints the result for people', async () => {
  using folder = temporaryFolder()
  const market = marketFile(folder.file('four-hours.csv'))
  const words = [
    'sweep',
    grid,
    '--market',
    market,
    ...vary.slice(0, 2),
    '--search',
    'walk-forward',
    '--steps',
    '2',
  ]
  const { code, stdout, stderr } = await rungsHere(words)
  expect(code, stderr).toBe(0)
  expect(stdout).toMatch(
    /^Step 1\nRanked by net profit, 2026-01-05 00:00 to 2026-01-05 02:24. Out-of-sample \(OOS\): /,
  )
  expect(stdout).toMatch(/^Step 2$/m)
  expect(stdout).toMatch(/^1 +[12]000 quote +-?\d+\.\d\d/m)
})

test.for<[string[], number, string]>([
  [['--vary', 'ladder.grid.levls=1,2'], 64, 'did you mean "ladder.grid.levels"?'],
  [
    ['--vary', 'ladder.grid.levels=11', '--vary', 'ladder.grid.levels=12'],
    64,
    'names ladder.grid.levels twice',
  ],
  [['--vary', 'ladder.grid.levels=200,201'], 65, 'no variant is a valid strategy; first error:'],
  [['--vary', 'ladder.grid.levels=11', '--workers', 'many'], 64, '"many" is not a count'],
  [
    ['--vary', 'ladder.grid.levels=11', '--workers', '5000'],
    64,
    '5000 parallel backtests are more than the maximum of 256',
  ],
  [['--vary', 'ladder.grid.levels=11', '--from', '2030-01-01'], 64, 'no data to trade'],
  [['--vary', 'ladder.grid.levels=10..50'], 64, 'a range without a step, such as 10..50:1'],
  [['--vary', 'ladder.grid.levels=11', '--tries', '5'], 64, '--tries has no effect with --search grid'],
  [
    ['--vary', 'ladder.grid.levels=11', '--steps', '5', '--search', 'random'],
    64,
    '--steps has no effect with --search random',
  ],
])('%j is refused with %i: %s', async ([words, code, said]) => {
  using folder = temporaryFolder()
  const ended = await rungsHere([
    'sweep',
    grid,
    '--market',
    marketFile(folder.file('four-hours.csv')),
    ...words,
  ])
  expect(ended).toMatchObject({ code, stdout: '', stderr: expect.stringContaining(said) })
})

test('each backtest pays the funding of the file, which is part of the inputs', async () => {
  using folder = temporaryFolder()
  const [strategy, rates, out] = ['perpetual.yaml', 'rates.csv', 'found.ndjson'].map((name) =>
    folder.file(name),
  )
  if (!strategy || !rates || !out) throw new Error('three files')
  const text = readFileSync(grid, 'utf8').replace('BTC_USDT', 'BTC_PERP')
  writeFileSync(strategy, text.replace(/^tests:[^]*/m, ''))
  const market = `BTC_PERP=${marketFile(folder.file('four-hours.csv'))}`
  writeFileSync(rates, 'timestamp,rate\n1767578400,0.001\n')
  const varied = ['--vary', 'ladder.grid.size.total=1500 quote,2000 quote', '--workers', '1', '--out', out]
  const words = ['sweep', strategy, '--market', market, ...varied, '--json']
  const told = await rungsHere([...words, '--funding', rates])
  expect(told.stderr).toMatch(/BTC_PERP pay and receive funding .* once, by the rates of rates\.csv/)
  expect(told.stdout.match(/"learned":\{"summary":\{.*?"funding":"-?0\.\d+"/g)).toHaveLength(2)
  const without = await rungsHere(words)
  expect(without.stderr).toMatch(/BTC_PERP pay and receive no funding[^]*results of another sweep/)
})
