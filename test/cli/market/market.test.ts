import { writeFileSync } from 'node:fs'
import { afterAll, describe, expect, test } from 'vitest'
import { rungsHere } from '#test/cli/support/in-process.ts'
import { rungs, temporaryFolder } from '#test/cli/support/process.ts'

const folder = temporaryFolder()
afterAll(() => folder[Symbol.dispose]())

const bars = folder.file('bars.csv')
const rows = ['1700000000,100,110,95,105,1', '1700000060,105,106,90,91.5,2', '1700000360,91,92,91,91,0']
writeFileSync(
  bars,
  `# market: BTC_PERP\ntimestamp,open,high,low,close,volume\n${[...rows, rows[2]].join('\n')}\n170000`,
)

describe('rungs market', () => {
  test('prints the contents of a file, its anomalies and their treatment', async () => {
    const { code, stdout } = await rungs(['market', bars])
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: `${bars}
  what    bars of 1 min, BTC_PERP
  rows    4
  from    2023-11-14T22:13:20Z
  to      2023-11-14T22:20:19.999Z, 7 min later
  prices  90 to 110
  gaps    4 min from 2023-11-14T22:15:20Z, before line 5
  note    Line 7 is incomplete: it has no line break, and "170000" is not a row. The line is ignored.
  note    1 row says the same as the row before, and is ignored.
`,
    })
  })

  test('one day is singular', async () => {
    const days = folder.file('days.csv')
    const rows = ['1700006400,100,110,95,105,1', '1700092800,105,106,90,91,2', '1700179200,91,92,91,91,0']
    writeFileSync(days, `# market: BTC_PERP\ntimestamp,open,high,low,close,volume\n${rows.join('\n')}\n`)
    const { stdout } = await rungsHere(['market', days])
    expect(stdout).toContain('  what    bars of 1 day, BTC_PERP\n')
    expect(stdout).toContain(', 3 days later\n')
    writeFileSync(days, `# market: BTC_PERP\ntimestamp,open,high,low,close,volume\n${rows[0]}\n${rows[1]}\n`)
    expect((await rungsHere(['market', days])).stdout).toContain(', 2 days later\n')
  })

  test('converts it to its own format with the same contents', async () => {
    const written = folder.file('bars.rungs')
    const first = await rungsHere(['market', bars, '--write', written, '--json'])
    expect(JSON.parse(first.stdout)).toMatchObject({ file: bars, written: { file: written } })
    const { file: _, written: __, ...facts } = JSON.parse(first.stdout)
    const again = await rungsHere(['market', written, '--json'])
    expect(JSON.parse(again.stdout)).toEqual({ file: written, ...facts })
    expect(facts).toEqual({
      market: 'BTC_PERP',
      kind: 'bars',
      barMs: 60_000,
      rows: 4,
      points: 12,
      from: 1_700_000_000_000,
      to: 1_700_000_419_999,
      low: '90',
      high: '110',
      gaps: 1,
      gapPlaces: [{ line: 5, at: 1_700_000_120_000, ms: 240_000 }],
      duplicates: 1,
      notes: [expect.stringContaining('incomplete'), expect.stringContaining('the same')],
    })
    const { code, stderr } = await rungsHere(['market', bars, '--write', written])
    expect(code).toBe(64)
    expect(stderr).toMatch(/exists\nfix: Name a new file/)
  })

  test('reads the answer of a venue, which is no tape', async () => {
    const path = folder.file('answer.json')
    const result = [[1_700_000_000, '100', '105', '110', '95', '1', '100']]
    for (const answer of [{ success: true, message: null, result }, result]) {
      writeFileSync(path, JSON.stringify(answer))
      const { stdout } = await rungsHere(['market', path, '--json'])
      expect(JSON.parse(stdout)).toMatchObject({ kind: 'bars', rows: 1, low: '95', high: '110' })
    }
  })

  test('reports a mistake and its place', async () => {
    const path = folder.file('unsorted.csv')
    writeFileSync(path, `${rows[1]}\n${rows[0]}\n`.replace(/^/, 'timestamp,open,high,low,close,volume\n'))
    const { code, stdout, stderr } = await rungsHere(['market', path])
    expect({ code, stdout }).toEqual({ code: 65, stdout: '' })
    expect(stderr).toContain(
      `${path}:3 is 60 s older than the row before it\nfix: Sort the rows below the header`,
    )
  })

  test('generates a market from a seed, deterministically, in bars of any length', async () => {
    const [one, same, other] = [folder.file('one.csv'), folder.file('same.csv.gz'), folder.file('other.csv')]
    const words = ['market', '--seeded', 'ETH_PERP', '--for', '30m', '--bars', '5m', '--json', '--write']
    for (const file of [one, same, other]) {
      const seed = file === other ? ['--seed', 'another'] : []
      const { code, stdout, stderr } = await rungsHere([...words, file, ...seed])
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      expect(JSON.parse(stdout)).toMatchObject({ market: 'ETH_PERP', kind: 'trades', written: { file } })
    }
    const facts = await Promise.all(
      [one, same, other].map(async (file) => {
        const { stdout } = await rungsHere(['market', file, '--json'])
        const { file: _, ...rest } = JSON.parse(stdout)
        return rest
      }),
    )
    expect(facts[0]).toMatchObject({ market: 'ETH_PERP', kind: 'bars', barMs: 300_000, rows: 6, gaps: 0 })
    expect(facts[1]).toEqual(facts[0])
    expect(facts[2]).not.toEqual(facts[0])
  })

  test.each([
    [['market'], 'needs a file, or --seeded with a market'],
    [['market', bars, '--seeded', 'BTC_PERP'], 'needs a file, or --seeded with a market'],
    [['market', bars, '--seed', 'x'], '--seed and --for need --seeded'],
    [['market', bars, '--bars', '5m'], '--bars needs --write with a name that ends in .csv'],
    [['market', bars, '--bars', '7m', '--write', 'x.csv'], '"7m" is not an interval of bars'],
    [['market', bars, '--bars', '30s', '--write', 'none.csv'], 'bars of 30s cannot be made of bars of 60 s'],
    [['market', '--seeded', 'BTC_PERB'], '"BTC_PERB" is not a market'],
  ])('%s is refused', async (words, expected) => {
    const { code, stderr } = await rungsHere(words)
    expect({ code, stderr }).toEqual({ code: 64, stderr: expect.stringContaining(expected) })
  })
})
