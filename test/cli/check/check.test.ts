import { writeFileSync } from 'node:fs'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, test } from 'vitest'
import { gridWith, strategyFiles } from '#test/strategy/strategy-files.ts'
import { check, report } from '#test/cli/support/check-report.ts'
import { documentsText } from '#test/docs/documents.ts'
import { rungsHere } from '#test/cli/support/in-process.ts'
import { rungs, temporaryFolder } from '#test/cli/support/process.ts'

const folder = temporaryFolder()
afterAll(() => folder[Symbol.dispose]())

describe('rungs check', () => {
  test.concurrent.each(strategyFiles)('accepts $name with its tests', async ({ text }) => {
    const { ok, problems, rungs } = await check(folder, text)
    expect({ ok, problems }).toEqual({ ok: true, problems: [] })
    expect(rungs.length).toBeGreaterThan(0)
    expect(text).toMatch(/^tests:$/m)
  })

  test.concurrent('prints each rung with all its fields', async () => {
    const { rungs } = await check(folder, gridWith())
    expect(rungs).toHaveLength(20)
    expect(rungs[0]).toEqual({
      ladder: 'grid',
      market: 'btc',
      level: 'b1',
      side: 'buy',
      price: '59500',
      amount: '0.001764',
      notional: '104.958',
      resting: true,
      edge: '0.64%',
    })
    expect(rungs.filter(({ resting }) => resting)).toHaveLength(12)
  })

  test.concurrent('prints the parameters, their values and whether they are used', async () => {
    const path = folder.file('parameters.yaml')
    const section = 'parameters: { lines: 11..31:10, capital: 2100, free: [a, b] }\n\nmarkets:\n'
    const uses = [
      ['levels: 21', 'levels: $lines'],
      ['2100 quote', '$capital quote'],
    ] as const
    writeFileSync(path, gridWith(['markets:\n', section], ...uses))
    const { stdout } = await rungsHere(['check', path])
    expect(stdout).toMatch(/^ {2}lines +21 +3 values, 11 to 31$/m)
    expect(stdout).toMatch(/^ {2}capital +2100 +fixed$/m)
    expect(stdout).toMatch(/^ {2}free +a +2 values, a to b, not used$/m)
    const { parameters } = JSON.parse((await rungsHere(['check', path, '--json'])).stdout)
    expect(parameters).toContainEqual({
      name: 'lines',
      default: '21',
      values: 3,
      first: '11',
      last: '31',
      used: true,
    })
    expect(parameters).toHaveLength(3)
    expect((await rungsHere(['check', 'strategies/01-static-grid.yaml', '--json'])).stdout).not.toContain(
      'parameters',
    )
  })

  test.concurrent('prints the rungs as a table with sums', async () => {
    const path = folder.file('table.yaml')
    writeFileSync(path, gridWith(['2100 quote', '2100 quote, leftover: spread'], ['0.001764', '0.001765']))
    const { code, stdout, stderr } = await rungsHere(['check', path])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(
      / 60500 ● sell .*\n +60000 ▶ anchor ─+\n +59500 ● buy +0\.001765 ━+ +-0\.83% +b1\n/,
    )
    expect(stdout).toMatch(/^ {2}65000 · sell 0\.001615 ╌+ +\+8\.33% +s10$/m)
    expect(stdout).toMatch(/^ {2}b1 +buy +59500\.00 +0\.001765 +105\.01 +yes +0\.64% +21\.0 x$/m)
    expect(stdout).toMatch(/^ {2}budget 2100 quote, unused 0\.00 \(0%\), remaining lots are distributed$/m)
    expect(stdout).toMatch(/^ {2}place +true +when between\(price, 55000, 65000\)\n +do ensure grid$/m)
    expect(stdout).toMatch(/^ {2}exits {2}each fill places an order on the other side, a level away$/m)
    expect(stdout).toMatch(
      /^drawdown +pause at 6% \(132\) for 1d, halt at 10% \(220\), of the 2200 of max_notional$/m,
    )
    expect(stdout).toMatch(/^open orders +12 +of 24$/m)
    expect(stdout).toMatch(/^requests per second +8 +of 1000, plus the same for exits$/m)
    expect(stdout).toMatch(
      /^maximum loss if the price moves -30% +343\.\d+ +of 350, from the worst price of its range$/m,
    )
    // A move begins at the end of the range, so each percent affects the whole position.
    expect(stdout).toMatch(
      /^maximum loss of other moves +147\.\d at 10%, 364\.\d at 30%, 582\.\d at 50%, up or\s+down$/m,
    )
  })

  test.concurrent.each([
    ['side: buy', 'down'],
    ['side: sell', 'up'],
  ])('names the direction in which a ladder with %s loses', async (side, direction) => {
    const path = folder.file(`${direction}.yaml`)
    const [text = ''] = gridWith(['side: both', side], ['exit: { mirror: 1 }', '']).split('\ntests:')
    writeFileSync(path, text)
    const { stdout } = await rungsHere(['check', path])
    expect(stdout).toMatch(
      new RegExp(
        `^maximum loss of other moves +[\\d.]+ at 10%, [\\d.]+ at 30%, [\\d.]+ at 50%, ${direction}$`,
        'm',
      ),
    )
  })

  test.concurrent('prints the worst case of a ladder that a schedule places again and again', async () => {
    const path = folder.file('daily.yaml')
    const changes = [
      ['side: both', 'side: buy'],
      ['exit: { mirror: 1 }', ''],
      ['max_loss: 350', 'max_loss: 700'],
      ['when: between(price, 55000, 65000)', 'schedule: daily 12:00 UTC'],
    ] as const
    const [text = ''] = gridWith(...changes).split('\ntests:')
    writeFileSync(path, text)
    const { stdout } = await rungsHere(['check', path])
    expect(stdout).toMatch(
      /^maximum loss after all scheduled times +\d+\.?\d* +of 700; grid grows at each scheduled time, up to\s+max_notional$/m,
    )
  })

  test.concurrent('prints at most 100 columns', async () => {
    const path = folder.file('wide.yaml')
    const long = Array.from({ length: 12 }, (_, index) => `price > ${50_000 + index}`).join(' && ')
    const all = 'bulk, history, balance, cancel, open_orders, market_data, streams, flex, position_side_short'
    const text = gridWith(
      ['bulk, history, balance', all],
      [
        'when: between(price, 55000, 65000)',
        `when: { all: [${long}, { falls: { of: price, candles: 3 } }] }`,
      ],
      ['the price has left the grid', `the price ${'has left '.repeat(15)}the grid`],
    ).replace(/^tests:[^]*/m, '')
    writeFileSync(path, text)
    const { code, stdout } = await rungsHere(['check', path])
    expect(code).toBe(0)
    expect(stdout).toContain('price > 50011) and price falls over 3 candles')
    expect(stdout.split('\n').filter((line) => line.length > 100)).toEqual([])
  })

  test.concurrent('marks a mistake and prints the fix', async () => {
    const path = folder.file('mistake.yaml')
    writeFileSync(path, gridWith(['resting:', 'restign:']))
    const { code, stdout, stderr } = await rungsHere(['check', path])
    expect({ code, stdout }).toEqual({ code: 65, stdout: '' })
    expect(stderr.split('\n')).toEqual([
      '1 problem',
      `${path}:29:5 unknown key "restign"`,
      '  29 |     restign: { max: 12, within: 5% } # only the nearest lines rest at the venue',
      '           ^',
      '  fix: did you mean "resting"?',
      '',
    ])
  })

  test.concurrent('shows a mistake of an extended file in that file', async () => {
    const path = folder.file('eth.yaml')
    writeFileSync(path, gridWith(['name: sgrid', 'name: eth\nextends: house.yaml']))
    writeFileSync(folder.file('house.yaml'), 'version: 1\nlet:\n  far: lst(px)\n')
    const { code, stderr } = await rungsHere(['check', path])
    expect(code).toBe(65)
    expect(stderr.split('\n').slice(1, 4)).toEqual([
      `${folder.file('house.yaml')}:3:8 unknown function lst()`,
      '  3 |   far: lst(px)',
      '             ^',
    ])
  })

  test.concurrent('prints a mistake as in the documents', async () => {
    writeFileSync(folder.file('grid.yaml'), gridWith(['anchor: 60000', 'anchor: 2 * prize']))
    const { stderr } = await rungsHere(['check', folder.file('grid.yaml')])
    const said = stderr.replaceAll(`${folder.path}/`, '').replace(/^.*\n/, '')
    expect(documentsText).toContain(`\`\`\`\n${said}\`\`\`\n`)
  })

  test.concurrent('uses the initial prices of the exchange if the file has none', async () => {
    const text = gridWith(['anchor: 60000', 'anchor: price'], ['to: 65000', 'to: 75000']).replace(
      /^tests:[^]*/m,
      '',
    )
    const { rungs } = await check(folder, text)
    // The steps are 1000, and BTC starts there in config/exchange.yaml.
    expect(rungs.find(({ level }) => level === 'b1')?.price).toBe('59000')
    expect(rungs.find(({ level }) => level === 's1')?.price).toBe('61000')
  })

  test.concurrent('uses the market rules of another world', async () => {
    const world = folder.file('world.yaml')
    writeFileSync(
      world,
      `switches: { batchMax: 10 }
assets: { BTC: { networks: [BTC] }, USDT: { networks: [TRC20] } }
accounts: {}
markets:
  BTC_USDT:
    { kind: spot, base: BTC, money: USDT, priceDigits: 0, amountDigits: 3, minAmount: 0.001, minTotal: 5,
      maxTotal: 100000, makerFee: 0.4, takerFee: 0.4 }
`,
    )
    const { problems, rungs } = await check(folder, gridWith(), '--world', world)
    expect(rungs[0]).toMatchObject({ price: '59500', amount: '0.001' })
    expect(problems.map(({ message }) => message)).toEqual(
      expect.arrayContaining([
        'the venue takes 10 orders per request',
        'level b1 of grid earns 0.84% before fees, less than 0.88%',
      ]),
    )
  })

  test.concurrent('finds rungs that the market would refuse, and prints a fix', async () => {
    const { problems, rungs } = await check(folder, gridWith(['2100 quote', '60 quote']))
    expect(rungs).toEqual([])
    expect(problems[0]).toEqual({
      line: 28,
      column: 20,
      message: 'grid: level b1 has a notional of 2.975, below the minimum of 5',
      hint: 'below_min: merge or drop places the other rungs',
    })
  })

  test.concurrent('reports an unreadable file like any other problem', async () => {
    const { code, stdout } = await rungsHere(['check', folder.file('nowhere.yaml'), '--json'])
    expect(code).toBe(78)
    expect(report.parse(JSON.parse(stdout)).problems).toMatchObject([
      { line: 1, column: 1, message: expect.stringMatching(/ENOENT/) },
    ])
    const { stderr } = await rungsHere(['check', folder.file('nowhere.yaml')])
    expect(stderr).toMatch(
      /^1 problem\n\S+nowhere\.yaml: the file cannot be read: ENOENT, no such file or folder\n {2}fix: check the path/,
    )
  })

  test.concurrent('says where a file of the package is that is not in the current folder', async () => {
    const strategy = 'strategies/01-static-grid.yaml'
    const packaged = (path: string) =>
      `it is packaged: ${relative(folder.path, fileURLToPath(new URL(`../../../${path}`, import.meta.url)))}`
    const { code, stderr } = await rungs(['check', strategy], {}, folder.path)
    expect(code).toBe(78)
    expect(stderr).toContain(`fix: ${packaged(strategy)}\n`)
    writeFileSync(folder.file('packaged.yaml'), gridWith())
    for (const [flag, path] of [
      ['--market', 'config/markets/BTC_USDT.csv'],
      ['--world', 'config/exchange.yaml'],
    ] as const) {
      const words = [flag === '--market' ? 'backtest' : 'check', 'packaged.yaml', flag, path]
      expect((await rungs(words, {}, folder.path)).stderr).toContain(`fix: ${packaged(path)}\n`)
    }
  })

  test.concurrent('reports a folder in place of a file, and a missing argument', async () => {
    expect(await rungsHere(['check', folder.path])).toMatchObject({
      code: 78,
      stderr: expect.stringMatching(/EISDIR/),
    })
    expect(await rungsHere(['check'])).toMatchObject({ code: 64, stderr: expect.stringMatching(/^USAGE: /) })
  })
})
