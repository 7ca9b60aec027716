import { writeFileSync } from 'node:fs'
import { afterAll, describe, expect, test } from 'vitest'
import { hedgeText } from '#test/engine/support/hedge.ts'
import { strategyFiles } from '#test/strategy/strategy-files.ts'
import { check } from '#test/cli/support/check-report.ts'
import { rungsHere } from '#test/cli/support/in-process.ts'
import { temporaryFolder } from '#test/cli/support/process.ts'

const folder = temporaryFolder()
afterAll(() => folder[Symbol.dispose]())

type Changes = readonly (readonly [string, string])[]

/** A packaged strategy with changes and without its tests, which expect the original values. */
function fileWith(number: string, changes: Changes): string {
  let text = strategyFiles.find(({ name }) => name.startsWith(number))?.text.split('\ntests:')[0] ?? ''
  for (const [from, to] of changes) {
    if (!text.includes(from)) throw new Error(`${number} does not say ${from}`)
    text = text.replaceAll(from, () => to)
  }
  return text
}

/** The warning of a bid and an ask whose round trip does not pay its fees. */
function lossOf(bid: string, ask: string, distance: string, fees: string): string {
  return (
    `spacing: level 1 of bids buys at ${bid} and level 1 of asks sells at ${ask}, ${distance} apart, and the fees of both ` +
    `trades are ${fees}: each round trip loses money; increase the distance of the first levels`
  )
}

/** The warnings of a valid file, each with the marked word. */
async function warned(text: string, ...words: string[]): Promise<string[]> {
  const { ok, problems, warnings } = await check(folder, text, ...words)
  expect({ ok, problems }).toEqual({ ok: true, problems: [] })
  return warnings.map(({ line, column, message, hint }) => {
    const [word] = (text.split('\n')[line - 1] ?? '').slice(column - 1).split(/[:,]? /)
    return `${word}: ${message}; ${hint}`
  })
}

const gridWithStop = (pct: string, side = 'both') =>
  fileWith('01', [
    ['side: both', `side: ${side}`],
    ['max_loss: 350', 'max_loss: 600'],
    ['exit: { mirror: 1 }', `exit: { stop: { pct: ${pct} }, cooldown: 10m }`],
    ['    min_edge: 2.2 x fee # check refuses a step that does not pay both fees\n', ''],
  ])

const takingProfit = (text: string) =>
  fileWith('04', [
    ['tp: { pct: 1.2% }', `tp: { ${text} }`],
    ['needs: [', 'needs: [cancel, '],
  ])

const gridOfLines = (levels: number, more: Changes = []) =>
  fileWith('01', [
    ['levels: 21', `levels: ${levels}`],
    ['min_edge: 2.2 x fee', 'min_edge: 0.1 x fee'],
    ...more,
  ])

const bothSides = (step: string) =>
  fileWith('01', [
    [
      'spacing: { kind: range, from: 55000, to: 65000 }',
      `spacing: { kind: arithmetic, first: ${step}, step: 0.5% }`,
    ],
    ['levels: 21', 'levels: 10'],
    ['    exit: { mirror: 1 }\n', ''],
    ['    min_edge: 2.2 x fee # check refuses a step that does not pay both fees\n', ''],
  ])

const grid = (...changes: Changes) => fileWith('01', changes)

const wideGrid = (more: Changes = []) =>
  fileWith('01', [
    ['from: 55000', 'from: 25000'],
    ['max_loss: 350', 'max_loss: 2000'],
    ['resting: { max: 12, within: 5% }', 'resting: { max: 21 }'],
    ...more,
  ])

const following = (drift: string, hysteresis: string) =>
  fileWith('03', [
    [
      'drift: 1 step, min_gap: 10m, hysteresis: 0.5 step',
      `drift: ${drift}, min_gap: 10m, hysteresis: ${hysteresis}`,
    ],
  ])

describe('check warns of a stop inside its own ladder', () => {
  test('and names the first unreachable level, and the loss there', async () => {
    expect(await warned(gridWithStop('5%'))).toEqual([])
    expect(await warned(gridWithStop('2%'))).toEqual([
      '2%: after levels b1 to b4 of grid, the stop at 57569.75 (2%) comes before level b5 at 57500: it ' +
        'loses 8.4 before fees, and levels b5 to b10 can fill only if the price jumps past the stop; ' +
        'widen the stop, or use fewer levels or smaller steps',
      expect.stringMatching(/^2%: after levels s1 to s4 of grid, .* comes before level s5 at 62500: /),
    ])
  })

  test('that is before the second level', async () => {
    const [warning] = await warned(gridWithStop('0.5%', 'buy'))
    expect(warning).toMatch(
      /^0\.5%: after level 1 of grid, the stop at 59202\.5 \(0\.5%\) comes before level 2 at 59000: /,
    )
  })
})

describe('check warns of exits nearer than the fees of both sides', () => {
  test('a take profit: taker fee on touch, maker fee if resting', async () => {
    expect(await warned(takingProfit('pct: 0.05%'))).toEqual([])
    expect(await warned(takingProfit('pct: 0.04%, mode: resting'))).toEqual([])
    expect(await warned(takingProfit('pct: 0.04%'))).toEqual([
      '0.04%: level 1 of safety earns 0.04% before fees, and the fees of both sides are 0.045%: ' +
        'each round trip loses money; raise tp.pct',
    ])
  })

  test('a mirror', async () => {
    expect(await warned(gridOfLines(51))).toEqual([])
    expect(await warned(gridOfLines(101))).toEqual([
      '1: level s50 of grid earns 0.153% before fees, and the fees of both sides are 0.2%: ' +
        'each round trip loses money; use wider steps, fewer levels or a larger mirror',
    ])
    expect(await warned(gridOfLines(101, [['mirror: 1', 'mirror: 2']]))).toEqual([])
  })

  test('a buy ladder and a sell ladder that quote one market', async () => {
    const apart = (away: string, more: Changes = []) =>
      fileWith('05', [['first: 0.07%', `first: ${away}`], ...more])
    expect(await warned(apart('0.011%'))).toEqual([])
    expect(await warned(apart('0.008%'))).toEqual([lossOf('59995.2', '60004.8', '0.016%', '0.02%')])
    const spot = ['BTC_PERP', 'BTC_USDT'] as const
    expect(await warned(apart('0.11%', [spot]))).toEqual([])
    expect(await warned(apart('0.07%', [spot]))).toEqual([lossOf('59958', '60042', '0.14%', '0.2%')])
    // Ensuring one retires the other: both are never active.
    const apartInTime: Changes = [
      ['do: [ensure: bids, ensure: asks]', 'do: [ensure: bids, retire: asks]'],
      ['do: [retire: asks, ensure: bids]', 'do: [retire: asks]'],
    ]
    expect(await warned(apart('0.008%', apartInTime))).toEqual([])
  })

  test('one ladder that quotes both sides', async () => {
    expect(await warned(bothSides('0.5%'))).toEqual([])
    expect(await warned(bothSides('0.05%'))).toEqual([
      expect.stringMatching(
        /^spacing: level b1 of grid buys at 59970 and level s1 of grid sells at 60030, 0\.1% apart, /,
      ),
    ])
  })

  test.each(strategyFiles)('no such warning for $name', async ({ text }) => {
    expect(await warned(text)).toEqual([])
  })
})

describe('check names unchecked parts', () => {
  const given = 'add the missing values to "given" of the first test'

  test('if the sample lacks a value, and how to add it', async () => {
    expect(await warned(grid(['anchor: 60000', 'anchor: avg_entry(btc)']))).toEqual([
      'avg_entry(btc): the rungs of grid, their edges and their share of the limits are not checked with sample values: ' +
        `anchor: the average entry without a position is unknown; ${given}`,
    ])
    const scaled = ['2100 quote }', '2100 quote, scale_by: "balance(account, \\"USDT\\") / 1000" }'] as const
    expect(await warned(grid(scaled))).toEqual([
      expect.stringMatching(
        /^"balance\(account: the rungs of grid, .* size: scale_by: the balance of USDT is unknown; /,
      ),
    ])
  })

  test('and in text does not call such a file valid', async () => {
    const path = folder.file('unknown.yaml')
    writeFileSync(path, grid(['anchor: 60000', 'anchor: avg_entry(btc)']))
    const { code, stdout, stderr } = await rungsHere(['check', path])
    expect(code).toBe(0)
    expect(stdout).toContain(`${path} is valid, except for unchecked ladders: grid.`)
    expect(stderr).toContain(
      'the rungs of grid, their edges and their share of the limits are not checked with sample values: anchor',
    )
  })

  test('but none if the first test has the value', async () => {
    const text = grid(['anchor: 60000', 'anchor: avg_entry(btc)'])
    const sample =
      'tests:\n  - name: long\n    given: { feeds: { px: 60000 }, position: { btc: 0.01 }, avg_entry: { btc: 60000 } }\n' +
      '    expect: { rules: { place: true } }\n'
    expect(await warned(`${text}\n${sample}`)).toEqual([])
  })

  test('if every level is too small and is dropped', async () => {
    expect(await warned(grid(['2100 quote', '60 quote'], ['flags:', 'below_min: drop\n    flags:']))).toEqual(
      [
        '60: grid has no rungs: all of its 20 levels are below the minimum of the market; use a larger size or fewer levels',
      ],
    )
  })
})

describe('check warns of levels that the price band of the venue refuses', () => {
  test('among the levels that rest at once, if the exchange has such a band', async () => {
    expect(await warned(wideGrid())).toEqual([
      'spacing: level b16 of grid at 29000 is 51.666% from the price of 60000, and the venue refuses orders ' +
        'in BTC_USDT farther away than 50%; add resting: { within: 50% }, or use fewer levels or smaller steps',
    ])
    expect(await warned(wideGrid([['{ max: 21 }', '{ within: 50% }']]))).toEqual([])
    // With a book the price is its middle.
    const maker: Changes = [
      ['first: 0.07%', 'first: 51%'],
      ['  price_band: 1%\n', ''],
    ]
    expect(await warned(fileWith('05', maker))).toEqual([
      expect.stringMatching(/^spacing: level 1 of bids at 29400 is 51% from the price of 60000, /),
      expect.stringMatching(/^spacing: level 1 of asks at 90600 is 51% from the price of 60000, /),
    ])
    // Only the profile "full" of the exchange has the band.
    expect(await warned(wideGrid(), '--profile', 'spec')).toEqual([])
  })
})

describe('check warns of a hysteresis that keeps rungs from following', () => {
  test('if it is above the drift or above the step', async () => {
    expect(await warned(following('1 step', '1 step'))).toEqual([])
    expect(await warned(following('0.5 step', '0.8 step'))).toEqual([
      expect.stringMatching(
        /^0\.8: rungs of trail that would move less than 76\.8 stay, and the drift is 48: .*; write at most the drift$/,
      ),
    ])
    expect(await warned(following('2 step', '1.5 step'))).toEqual([
      expect.stringMatching(
        /^1\.5: rungs of trail that would move less than 144 stay, and its step is 96: .*; write at most 1 step$/,
      ),
    ])
    expect(await warned(following('1%', '0.9%'))).toEqual([expect.stringMatching(/and its step is/)])
    expect(await warned(following('0.1%', '0.15%'))).toEqual([expect.stringMatching(/and the drift is/)])
  })
})

test('a size of zero is no mistake: check warns that the rungs are not checked, and a test can expect none', async () => {
  const anchored = hedgeText(['anchor: bid(p)', 'anchor: 60000'])
  const test = (given: string, rungs: string) =>
    `${anchored}tests:\n  - { name: legs, given: ${given}, expect: { rungs: { short: ${rungs} } } }\n`
  const word =
    'total: the rungs of short, their edges and their share of the limits are not checked with sample values: ' +
    'its size is 0 base, and zero or less places no rung; add the missing values to "given" of the first test'
  expect(await warned(test('{ equity: 1000 }', '[]'))).toEqual([expect.stringContaining(word.slice(7))])
  expect(await warned(test('{ position: { spot: 0.1, perp: -0.02 } }', '[sell 0.08 at 60000]'))).toEqual([])
  const { problems } = await check(folder, test('{ position: { spot: 0.1 } }', '{ count: 0 }'))
  expect(problems.map(({ message }) => message)).toEqual(['the test "legs" fails: 1 rungs'])
})
