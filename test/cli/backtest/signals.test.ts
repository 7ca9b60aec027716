import { readFileSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { rungsHere } from '#test/cli/support/in-process.ts'
import { temporaryFolder } from '#test/cli/support/process.ts'

const strategy = 'strategies/09-signal-entry.yaml'
const market = 'config/markets/BTC_PERP.csv.zst'
const to = '2026-01-05T08:00Z'
const header = 'time,name,value'
const at = (time: string) => Date.parse(`2026-01-05T${time}Z`)

const run = (file: string | undefined, ...more: string[]) => {
  const words = ['backtest', strategy, '--market', market, '--to', to, '--json', ...more]
  return rungsHere(file === undefined ? words : [...words, '--signals', file])
}

async function played(file: string, ...more: string[]) {
  const { code, stdout, stderr } = await run(file, ...more)
  expect(code, stderr).toBe(0)
  const lines: Record<string, unknown>[] = stdout
    .trim()
    .split('\n')
    .map((line): Record<string, unknown> => JSON.parse(line))
  const result = lines.at(-1)
  return { result, firsts: firstsOf(result?.['rules']), orders: Number(result?.['orders']) }
}

describe('rungs backtest --signals', () => {
  let folder: ReturnType<typeof temporaryFolder>
  beforeAll(() => {
    folder = temporaryFolder()
  })
  afterAll(() => folder[Symbol.dispose]())

  function fileOf(...rows: string[]): string {
    const path = folder.file('signals.csv')
    writeFileSync(path, `${[header, ...rows].join('\n')}\n`)
    return path
  }
  test('a rule acts at the time of its signal, and the result says where signals come from', async () => {
    const rows = ['2026-01-05T00:30:00.250Z,trend,long', '2026-01-05T02:00:00Z,sigent.trend,flat']
    const { result, firsts, orders } = await played(fileOf(...rows))
    expect(firsts).toMatchObject({ enter: at('00:30:00.250'), leave: at('02:00:00') })
    expect(orders).toBeGreaterThan(0)
    expect(result?.['assumptions']).toContain('Signals arrive at the times of their file, without latency.')
  })

  test('a later start knows the last signal before it, with its age', async () => {
    const rows = ['2026-01-05T00:10:00Z,trend,flat', '2026-01-05T00:30:00Z,trend,long']
    const known = await played(fileOf(...rows), '--from', '2026-01-05T04:00Z')
    expect(known.firsts).toMatchObject({ enter: at('04:00:00'), leave: null })
    const stale = await played(fileOf(...rows), '--from', '2026-01-05T04:31Z')
    expect(stale.firsts).toMatchObject({ enter: null, leave: null })
    expect(stale.orders).toBe(0)
  })

  test.each<[string, string[], string]>([
    ['a name', ['2026-01-05T00:30Z,trent,long'], 'signals.csv:2 no running strategy has a signal "trent"'],
    [
      'a value',
      ['2026-01-05T00:30Z,trend,up'],
      'signals.csv:2 "up" is no value of the signal trend of sigent',
    ],
    ['a time', ['2026-01-05T00:30Z,trend,long', 'noon,trend,flat'], 'signals.csv:3 "noon" is not a time'],
    [
      'the order',
      ['2026-01-05T00:30Z,trend,long', '2026-01-05T00:29Z,trend,flat'],
      'signals.csv:3 is earlier than the row before it',
    ],
    ['the columns', ['trend long'], 'signals.csv:2 is not a row of signals'],
    ['an empty file', [], 'signals.csv holds no signals'],
  ])('refuses a mistake in %s, with its line and the fix', async (_, rows, message) => {
    const { code, stderr } = await run(fileOf(...rows))
    expect(code).toBe(65)
    expect(stderr).toContain(message)
    expect(stderr).toContain('fix: ')
  })

  test('a strategy with signals needs the file, and a file needs a strategy with signals', async () => {
    expect(await run(undefined)).toMatchObject({
      code: 64,
      stderr: expect.stringContaining('sigent reads the signal trend, and there is no file of signals'),
    })
    const words = ['backtest', 'strategies/01-static-grid.yaml', '--market', 'config/markets/BTC_USDT.csv']
    const file = fileOf('2026-01-05T00:30Z,trend,long')
    expect((await rungsHere([...words, '--signals', file])).stderr).toContain(
      'no running strategy has a signal',
    )
    expect((await run(folder.file('none.csv'))).code).toBe(78)
  })

  test('a sweep reads the same file, and does not take results of other signals from its results file', async () => {
    const out = folder.file('results.ndjson')
    const sweep = async (file: string) => {
      const words = ['sweep', strategy, '--market', market, '--to', to, '--signals', file, '--out', out]
      const vary = ['--vary', 'ladder.entry.levels=3,4', '--workers', '1', '--json']
      const { code, stdout, stderr } = await rungsHere([...words, ...vary])
      expect(code, stderr).toBe(0)
      return stdout.replace(/"elapsedMs":\d+/, '')
    }
    const long = await sweep(fileOf('2026-01-05T00:30Z,trend,long'))
    const stored = readFileSync(out, 'utf8').split('\n').length
    expect(await sweep(fileOf('2026-01-05T00:30Z,trend,long'))).toBe(long)
    expect(readFileSync(out, 'utf8').split('\n')).toHaveLength(stored)
    expect(await sweep(fileOf('2026-01-05T00:30Z,trend,flat'))).not.toBe(long)
    expect(readFileSync(out, 'utf8').split('\n').length).toBeGreaterThan(stored)
  })
})

/** When each rule has first fired. */
function firstsOf(rules: unknown): Record<string, unknown> {
  const rows: { rule: string; first: number | null }[] = Array.isArray(rules) ? rules : []
  return Object.fromEntries(rows.map(({ rule, first }) => [rule, first]))
}
