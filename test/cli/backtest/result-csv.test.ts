import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { rungsHere } from '#test/cli/support/in-process.ts'
import { temporaryFolder } from '#test/cli/support/process.ts'

const folder = temporaryFolder()
afterAll(() => folder[Symbol.dispose]())

const market = ['--market', 'config/markets/BTC_USDT.csv', '--to', '2026-01-06']
const words = (out: string) => [
  'backtest',
  'strategies/01-static-grid.yaml',
  ...market,
  '--json',
  '--csv',
  out,
]

/** Rows of a table without quoted cells, by the names of the columns. */
function rowsOf(path: string): Record<string, string>[] {
  const [header = '', ...lines] = readFileSync(path, 'utf8').trimEnd().split('\n')
  const names = header.split(',')
  return lines.map((line) => {
    const cells = line.split(',')
    expect(cells).toHaveLength(names.length)
    return Object.fromEntries(names.map((name, place) => [name, cells[place] ?? '']))
  })
}

const timeOf = (at: number) => new Date(at).toISOString()

test('the CSV files of a backtest have the numbers of --json', async () => {
  const out = folder.file('result')
  const { code, stdout, stderr } = await rungsHere(words(out))
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const lines = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  const result = lines.pop()
  expect(readdirSync(out).toSorted()).toEqual(['equity.csv', 'fills.csv', 'rungs.csv', 'summary.csv'])
  const fills = rowsOf(join(out, 'fills.csv'))
  expect(fills.length).toBeGreaterThan(5)
  expect(fills).toEqual(
    lines.map(({ at, maker, ...fill }) => Object.assign(fill, { time: timeOf(at), maker: String(maker) })),
  )
  const equity = rowsOf(join(out, 'equity.csv'))
  expect(equity.map(({ time }) => time)).toEqual(result.equity.at.map(timeOf))
  expect(equity.map((row) => Number(row['equity']))).toEqual(result.equity.value)
  expect(equity.map((row) => Number(row['position']))).toEqual(result.equity.position)
  expect(equity.map((row) => Number(row['hold']))).toEqual(result.equity.hold)
  const rungs = rowsOf(join(out, 'rungs.csv'))
  expect(rungs.map(({ id, profit, fills: count }) => ({ id, profit, fills: Number(count) }))).toEqual(
    result.rungs.map(({ id, profit, fills: count }: Record<string, unknown>) => ({
      id,
      profit,
      fills: count,
    })),
  )
  expect(rowsOf(join(out, 'summary.csv'))).toMatchObject([
    {
      from: timeOf(result.from),
      netProfit: result.netProfit,
      orders: String(result.orders),
      sharpe: '',
      bestDayAt: timeOf(result.bestDayAt),
    },
  ])
})

test('a table that exists is not overwritten, and a folder that cannot be made is named', async () => {
  const out = folder.file('result')
  rmSync(join(out, 'fills.csv'), { force: true })
  const again = await rungsHere(words(out))
  expect(again).toMatchObject({
    code: 64,
    stdout: '',
    stderr: expect.stringMatching(/equity\.csv exists\nfix: Name/),
  })
  const file = folder.file('a-file')
  writeFileSync(file, '')
  const refused = await rungsHere(words(join(file, 'below')))
  expect(refused).toMatchObject({ stdout: '', stderr: expect.stringContaining('a-file/below') })
  expect(refused.code).not.toBe(0)
})
