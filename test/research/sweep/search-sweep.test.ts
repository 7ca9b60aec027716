import { readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { rungsHere } from '#test/cli/support/in-process.ts'
import { temporaryFolder } from '#test/cli/support/process.ts'
import { minuteBars } from './minute-bars.ts'
import { isSlowRun } from '#test/properties/runs.ts'
import { grid, lastLine, told, vary } from './sweep-output.ts'

const rowLine = z.looseObject({
  front: z.boolean(),
  learned: z.object({
    summary: z.looseObject({ netProfit: z.coerce.number(), maxDrawdown: z.coerce.number() }),
  }),
})
type Scored = z.output<typeof rowLine>['learned']['summary']

function isBetter(one: Scored, other: Scored): boolean {
  const [more, less] = [one.netProfit - other.netProfit, other.maxDrawdown - one.maxDrawdown]
  return more >= 0 && less >= 0 && more + less > 0
}

/** Variants of the search, of which ten are drawn before the first is scored, and lines of its file that a later search finds. */
const [tries, linesKept] = isSlowRun ? [24, 30] : [12, 16]

test('a search has the same bytes with any number of workers, and continues from its file', async () => {
  using folder = temporaryFolder()
  const [market, out] = [minuteBars(folder.file('four-hours.csv')), folder.file('found.ndjson')]
  const search = ['--search', 'tpe', '--tries', String(tries), '--rank', 'profit,drawdown', '--json']
  const varied = [
    '--vary',
    'ladder.grid.levels=11..41:2',
    '--vary',
    'ladder.grid.size.total=1000 quote..2000 quote:20 quote',
  ]
  const words = ['sweep', grid, '--market', market, ...varied, ...search]
  const one = await rungsHere([...words, '--workers', '1', '--out', out])
  expect(one.code, one.stderr).toBe(0)
  const two = await rungsHere([...words, '--workers', '2'])
  expect(told(two.stdout)).toBe(told(one.stdout))
  const kept = readFileSync(out, 'utf8').split('\n')
  expect(kept).toHaveLength(2 * tries + 2)
  writeFileSync(out, `${kept.slice(0, linesKept).join('\n')}\n`)
  const again = await rungsHere([...words, '--workers', '1', '--out', out])
  expect(told(again.stdout)).toBe(told(one.stdout))
  expect(again.stderr.split('\n')).toContain(`10 of ${2 * tries} backtests are known from earlier sweeps`)
  expect(readFileSync(out, 'utf8').split('\n')).toHaveLength(2 * tries + 2)
  const rows = one.stdout
    .trim()
    .split('\n')
    .slice(0, -1)
    .map((line) => rowLine.parse(JSON.parse(line)))
  expect(rows).toHaveLength(tries)
  const fronts = rows.map(({ front }) => front)
  expect(fronts).toEqual(fronts.toSorted((a, b) => Number(b) - Number(a)))
  for (const row of rows)
    expect(rows.some((other) => isBetter(other.learned.summary, row.learned.summary))).toBe(!row.front)
  expect(lastLine.parse(JSON.parse(one.stdout.trim().split('\n').at(-1) ?? '')).rankedBy).toBe(
    'net profit and maximum drawdown',
  )
})

test('a search with few combinations tries them all, and --steps makes any search walk forward', async () => {
  using folder = temporaryFolder()
  const words = ['sweep', grid, '--market', minuteBars(folder.file('four-hours.csv')), ...vary.slice(0, 2)]
  const { stdout, stderr } = await rungsHere([
    ...words,
    '--search',
    'tpe',
    '--steps',
    '2',
    '--rank',
    'drawdown,profit',
  ])
  expect(stderr).toContain('8 of 8 backtests')
  expect(stdout).toMatch(/^Step 2\nRanked by maximum drawdown and net profit, /m)
  expect(stdout).toMatch(
    /^Pareto front: the first [12] variants?; no other variant is better in each measure\.$/m,
  )
})

test('random runs of the best variant are backtests like others: stored, and found by the next sweep', async () => {
  using folder = temporaryFolder()
  const [market, out] = [minuteBars(folder.file('four-hours.csv')), folder.file('found.ndjson')]
  const words = ['sweep', grid, '--market', market, ...vary.slice(0, 2), '--monte-carlo', '4', '--json']
  const one = await rungsHere([...words, '--workers', '1', '--out', out])
  expect(one.code, one.stderr).toBe(0)
  // Each thread compiles the program for seconds; other tests of `npm test` compare numbers of workers.
  if (isSlowRun) expect(told((await rungsHere([...words, '--workers', '2'])).stdout)).toBe(told(one.stdout))
  const again = await rungsHere([...words, '--out', out])
  expect(told(again.stdout)).toBe(told(one.stdout))
  expect(again.stderr).toMatch(/^4 of 16 backtests are known from earlier sweeps$/m)
  expect(again.stderr).not.toContain('No worker')
  const last = lastLine.parse(JSON.parse(one.stdout.trim().split('\n').at(-1) ?? ''))
  expect(last.backtests).toBe(16)
  const [{ luck, monteCarlo } = {}] = last.steps
  expect(luck).toMatchObject({ variants: 2, probability: expect.any(Number) })
  expect(monteCarlo).toMatchObject({ runs: 4, paths: { losses: expect.any(Number) } })
  expect(one.stdout).not.toContain('returns')
  const text = await rungsHere([...words.slice(0, -1), '--out', out])
  expect(text.stdout).toMatch(/^The best result (?:may be luck|shows no edge|is probably)/m)
  expect(text.stdout).toMatch(/^On 4 shuffled paths of the market, it is as good in \d+\.\d%\./m)
  // A path is another market than that of the file.
  const kept = readFileSync(out, 'utf8').trim().split('\n').slice(1)
  expect(new Set(kept.map((line) => line.replace(/"key":"\w+"/, ''))).size).toBe(16)
})

test('with an embargo, the in-sample part ends early, by the embargo and by the time that the strategy looks back', async () => {
  using folder = temporaryFolder()
  const strategy = folder.file('average.yaml')
  const text = readFileSync(grid, 'utf8').replace('price: last(px)', 'price: sma(px, 12)')
  writeFileSync(strategy, text.replace(/^tests:[^]*/m, ''))
  const words = ['sweep', strategy, '--market', minuteBars(folder.file('four-hours.csv')), '--json']
  const stepOf = async (more: readonly string[]) => {
    const { stdout } = await rungsHere([...words, ...more])
    return lastLine.parse(JSON.parse(stdout.trim().split('\n').at(-1) ?? '')).steps[0]
  }
  const varied = ['--vary', 'let.price="sma(px, 12)","sma(px, 30)"']
  const levels = ['--vary', 'ladder.grid.levels=11']
  const plain = await stepOf(levels)
  const minute = 60_000
  expect(plain?.learn.to).toBe(plain?.prove.from)
  const purged = await stepOf([...levels, '--embargo', '0'])
  expect((purged?.prove.from ?? 0) - (purged?.learn.to ?? 0)).toBe(12 * minute)
  const apart = await stepOf([...varied, '--embargo', '10m'])
  expect((apart?.prove.from ?? 0) - (apart?.learn.to ?? 0)).toBe(40 * minute)
  const none = await rungsHere([...words, ...levels, '--embargo', '4h'])
  expect(none).toMatchObject({
    code: 64,
    stderr: expect.stringContaining('leaves less than a minute in-sample'),
  })
})
