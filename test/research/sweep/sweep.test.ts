import { readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { rungsHere } from '#test/cli/support/in-process.ts'
import { rungs, temporaryFolder } from '#test/cli/support/process.ts'
import { minuteBars } from './minute-bars.ts'
import { grid, lastLine, told, vary } from './sweep-output.ts'

test('the result does not depend on the number of workers, and the next sweep reuses it', async () => {
  using folder = temporaryFolder()
  const words = ['sweep', grid, '--market', minuteBars(folder.file('four-hours.csv')), ...vary, '--json']
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

  const whole = readFileSync(out, 'utf8')
  const repeated = await rungsHere([...words, '--out', out])
  expect(told(repeated.stdout)).toBe(told(one.stdout))
  expect(repeated.stderr).toMatch(/^12 of 12 backtests are known from earlier sweeps$/m)
  expect(readFileSync(out, 'utf8')).toBe(whole)
})

test('a wider sweep with the file of another one computes only what is new', async () => {
  using folder = temporaryFolder()
  const [market, out] = [minuteBars(folder.file('four-hours.csv')), folder.file('found.ndjson')]
  const words = (levels: string) => ['sweep', grid, '--market', market, '--vary', levels, '--json']
  await rungsHere([...words('ladder.grid.levels=11,21'), '--out', out])
  const wider = await rungsHere([...words('ladder.grid.levels=11,21,31'), '--out', out])
  expect(wider.stderr).toMatch(/^4 of 6 backtests are known from earlier sweeps$/m)
  const alone = await rungsHere(words('ladder.grid.levels=11,21,31'))
  expect(told(wider.stdout)).toBe(told(alone.stdout))
  const lines = () => readFileSync(out, 'utf8').trim().split('\n').length
  expect(lines()).toBe(7)
  // Any other flag of the market model, and any other price, makes other backtests.
  const later = await rungsHere([...words('ladder.grid.levels=11'), '--latency', '1s', '--out', out])
  expect(later.stderr).not.toContain('known from earlier sweeps')
  expect(lines()).toBe(9)
  writeFileSync(market, readFileSync(market, 'utf8').replace(/,12\.5\n$/, ',12.6\n'))
  await rungsHere([...words('ladder.grid.levels=11'), '--out', out])
  expect(lines()).toBe(11)
})

test('a variant whose market has no file is reported with the reason', async () => {
  using folder = temporaryFolder()
  const words = ['sweep', grid, '--market', minuteBars(folder.file('four-hours.csv'))]
  const some = await rungsHere([...words, '--vary', 'markets.btc.symbol=BTC_USDT,ETH_USDT'])
  expect(some.code, some.stderr).toBe(0)
  expect(some.stdout).toMatch(/- 1 of 2: the strategies trade ETH_USDT, and there is no market file for it/)
  const none = await rungsHere([...words, '--vary', 'markets.btc.symbol=ETH_USDT'])
  expect(none).toMatchObject({
    code: 65,
    stderr: expect.stringContaining('no variant is a valid strategy; first error: the strategies trade'),
  })
})

test('a sweep counts rebates and leverage as a backtest does', async () => {
  using folder = temporaryFolder()
  const words = ['--market', minuteBars(folder.file('four-hours.csv')), '--vary', 'ladder.grid.levels=21']
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
  const market = minuteBars(folder.file('four-hours.csv'))
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

test('without --vary, a sweep varies the parameters of the file that are used', async () => {
  using folder = temporaryFolder()
  const strategy = folder.file('parameters.yaml')
  const section =
    'parameters: { lines: 11..21:10, capital: [1000, 2000], fixed: 1, free: 1..9 }\n\nmarkets:\n'
  const text = readFileSync(grid, 'utf8')
    .replace('markets:\n', section)
    .replace('levels: 21', 'levels: $lines')
    .replace('total: 2100 quote', 'total: $capital quote')
  writeFileSync(strategy, text.replace(/^tests:[^]*/m, ''))
  const market = ['--market', minuteBars(folder.file('four-hours.csv')), '--json']
  const declared = await rungsHere(['sweep', strategy, ...market])
  expect(declared.code, declared.stderr).toBe(0)
  const named = [
    '--vary',
    'ladder.grid.levels=11,21',
    '--vary',
    'ladder.grid.size.total=1000 quote,2000 quote',
  ]
  const same = (await rungsHere(['sweep', grid, ...market, ...named])).stdout
    .replaceAll('ladder.grid.levels', 'parameters.lines')
    .replaceAll(/"ladder\.grid\.size\.total":"(\d+) quote"/g, '"parameters.capital":"$1"')
  expect(told(declared.stdout)).toBe(told(same))
})

test.for<[string[], number, string]>([
  [['--vary', 'ladder.grid.levls=1,2'], 64, 'did you mean "ladder.grid.levels"?'],
  [
    ['--vary', 'ladder.grid.levels=11', '--vary', 'ladder.grid.levels=12'],
    64,
    'names ladder.grid.levels twice',
  ],
  [[], 64, 'the strategy has no parameters with several values'],
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
  [['--rank', 'profit,loss'], 64, '"loss" is not a measure'],
  [['--rank', 'profit,profit'], 64, 'profit is there twice'],
])('%j is refused with %i: %s', async ([words, code, said]) => {
  using folder = temporaryFolder()
  const ended = await rungsHere([
    'sweep',
    grid,
    '--market',
    minuteBars(folder.file('four-hours.csv')),
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
  const market = `BTC_PERP=${minuteBars(folder.file('four-hours.csv'))}`
  writeFileSync(rates, 'timestamp,rate\n1767578400,0.001\n')
  const varied = ['--vary', 'ladder.grid.size.total=1500 quote,2000 quote', '--workers', '1', '--out', out]
  const words = ['sweep', strategy, '--market', market, ...varied, '--json']
  const told = await rungsHere([...words, '--funding', rates])
  expect(told.stderr).toMatch(/BTC_PERP pay and receive funding .* once, by the rates of rates\.csv/)
  expect(told.stdout.match(/"learned":\{"summary":\{.*?"funding":"-?0\.\d+"/g)).toHaveLength(2)
  const without = await rungsHere(words)
  expect(without.stderr).toMatch(/BTC_PERP pay and receive no funding/)
  expect(without.stderr).not.toContain('known from earlier sweeps')
})
