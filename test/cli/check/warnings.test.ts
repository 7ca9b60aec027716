import { afterAll, expect, test } from 'vitest'
import { gridWith } from '#test/strategy/strategy-files.ts'
import { check } from '#test/cli/support/check-report.ts'
import { temporaryFolder } from '#test/cli/support/process.ts'

const folder = temporaryFolder()
afterAll(() => folder[Symbol.dispose]())

async function warned(...changes: (readonly [string, string])[]): Promise<string[]> {
  // The tests of the file expect the original grid.
  const [text = ''] = gridWith(...changes).split('\ntests:')
  const { ok, problems, warnings } = await check(folder, text)
  expect({ ok, problems }).toEqual({ ok: true, problems: [] })
  return warnings.map(({ message, hint }) => `${message}; ${hint}`)
}

const stop = (more = '') => ['exit: { mirror: 1 }', `exit: { mirror: 1, stop: { pct: 5% }${more} }`] as const

test('check warns of a stop without a cooldown if the ladder may enter again', async () => {
  expect(await warned()).toEqual([])
  expect(await warned(stop())).toEqual([
    'grid may enter again at once after its stop, trail, break_even or max_age, while place is true; ' +
      'add a cooldown, such as cooldown: 10m',
  ])
  expect(await warned(stop(', cooldown: 10m'))).toEqual([])
  const once = ['do: [ensure: grid]', 'once: ever\n    do: [ensure: grid]'] as const
  expect(await warned(stop(), once)).toEqual([])
  const daily = ['when: between(price, 55000, 65000)', 'schedule: daily 12:00 UTC'] as const
  expect(await warned(stop(), daily, ['max_loss: 350', 'max_loss: 900'])).toEqual([])
})

const trailing = (more = '') =>
  [
    ['side: both', 'side: buy'],
    [
      'spacing: { kind: range, from: 55000, to: 65000 }',
      'spacing: { kind: volatility, unit: "60", first: 1, step: 1 }',
    ],
    [
      'exit: { mirror: 1 }\n    min_edge: 2.2 x fee',
      `exit: { trail: { activate: 0.5 x unit, retrace: 0.2 x unit }, cooldown: 10m${more} }`,
    ],
    ['max_loss: 350', 'max_loss: 700'],
    ['halt: 10% }', 'halt: 30% }'],
  ] as const

test('check warns of a trailing stop without a stop: no exit limits the loss before it is active', async () => {
  expect(await warned(...trailing())).toEqual([
    'until the trailing stop of grid is active, at 0.5 x unit of profit, no exit limits the loss; ' +
      'add a stop, such as stop: { pct: 5% }',
  ])
  expect(await warned(...trailing(', max_age: 2d'))).toEqual([
    'until the trailing stop of grid is active, at 0.5 x unit of profit, only max_age limits the loss; ' +
      'add a stop, such as stop: { pct: 5% }',
  ])
  expect(await warned(...trailing(', stop: { pct: 20% }'))).toEqual([])
})

const exit = (at: string) => ['exit: { mirror: 1 }\n    min_edge: 2.2 x fee', `exit: { at: ${at} }`] as const

test('the warning of a stop without a cooldown is at its ladder', async () => {
  const [text = ''] = gridWith(stop()).split('\ntests:')
  const { warnings } = await check(folder, text)
  const line = text.split('\n').indexOf('  grid:') + 1
  expect(warnings).toMatchObject([{ line, column: 3 }])
})

test('check warns of an exit at a price that the market refuses', async () => {
  expect(await warned(exit('70000'))).toEqual([])
  expect(await warned(exit('1'))).toEqual([
    expect.stringMatching(
      /^exit\.at is 1: all rungs of grid have a notional of 0\.01\d+ there, less than the minimum of 5 of the market; /,
    ),
  ])
})

const net = (most: string) => ['total: 2200', `total: 2200, net: ${most}`] as const

test('check warns of a net that the entries of one side exceed', async () => {
  // Each side of the grid costs about 1050.
  expect(await warned(net('1100'))).toEqual([])
  expect(await warned(net('1000'))).toEqual([
    expect.stringMatching(
      /^all rungs of one side cost 10\d\d\.\d+, more than the net of 1000: the entries beyond/,
    ),
  ])
})

const group = (limit: string) =>
  ['total: 2200 }', `total: 2200 }\n  groups: { all: { markets: [btc], ${limit} } }`] as const

test('check warns of a group whose limit the entries of one side exceed', async () => {
  expect(await warned(group('net: 1100'))).toEqual([])
  expect(await warned(group('net: 1000'))).toEqual([
    expect.stringMatching(
      /^all rungs of one side of the group all cost 10\d\d\.\d+, more than the net of 1000: the entries beyond/,
    ),
  ])
})

const shorts = (move: string) =>
  [
    ['side: both', 'side: sell'],
    ['exit: { mirror: 1 }\n    min_edge: 2.2 x fee', 'exit: { tp: { pct: 1% } }'],
    ['{ symbol: BTC_USDT }', '{ symbol: BTC_PERP, positionSide: short }'],
    ['needs: [bulk, history, balance]\n', ''],
    ['move: -30%, max_loss: 350', `move: ${move}, max_loss: 3500`],
  ] as const

test('check warns of a worst case in the direction in which the strategy earns', async () => {
  // 2100 are sold at 62500 on average and bought back at 78000: the lots of the futures market make it about 25 % of that.
  expect(await warned(...shorts('-30%'))).toEqual([
    expect.stringMatching(
      /^a move of -30% causes no loss, so this limit blocks nothing; a move of 50% in the other direction loses \d+\.\d+; write/,
    ),
  ])
  expect(await warned(...shorts('+30%'))).toEqual([])
})

const cutting = (daily: string) =>
  [
    ['side: both', 'side: buy'],
    ['exit: { mirror: 1 }\n    min_edge: 2.2 x fee', 'exit: { tp: { pct: 1% } }'],
    [
      'rules:\n',
      `rules:\n  - { id: cut, when: price < 50000, do: [close: { of: grid, share: 9%, daily_loss: ${daily} }] }\n`,
    ],
    ['needs: [bulk, history, balance]', 'needs: [bulk, history, balance, cancel]'],
    ['max_loss: 350', 'max_loss: 900'],
  ] as const

test('check warns of a daily_loss of closes that the smallest order exceeds after the worst move', async () => {
  expect(await warned(...cutting('0.05'))).toEqual([
    'after a move of -30%, the smallest order of grid (0.00012 at 42000) loses 1.826, more than 0.05: ' +
      'then the rule closes nothing; raise daily_loss',
  ])
  expect(await warned(...cutting('5'))).toEqual([])
  expect(await warned(...cutting('1% equity'))).toEqual([])
})

const oneLevel = (capital: string) =>
  [
    ['side: both', 'side: buy'],
    ['exit: { mirror: 1 }\n    min_edge: 2.2 x fee', 'exit: { tp: { pct: 1% } }'],
    ['spacing: { kind: range, from: 55000, to: 65000 }', 'spacing: { kind: offsets, at: [0%] }'],
    ['levels: 21', 'levels: 1'],
    ['resting: { max: 12, within: 5% }', ''],
    ['total: 2100 quote', `total: ${capital} quote`],
  ] as const

const daily = (more: string) =>
  [...oneLevel('120'), ['when: between(price, 55000, 65000)', `schedule: daily 12:00 UTC${more}`]] as const

test('check warns of a worst case that stops a ladder which a schedule places again and again', async () => {
  // 120 a day up to 2200: a fall of 30 % loses 660.
  expect(await warned(...daily(''))).toEqual([
    'grid: a schedule places the rungs again and again; at max_notional the worst case loses about 660, more than 350: ' +
      'the entries beyond the limit wait; raise the limit, or lower max_notional',
  ])
  expect(
    await warned(...daily(''), ['max_notional: { total: 2200 }', 'max_notional: { total: 1000 }']),
  ).toEqual([])
  expect(await warned(...daily('\n    once: ever'))).toEqual([])
})

/** A ladder of one buy beside the daily one of 120, which a rule without a schedule places. */
const dailyBeside = (offset: string, capital: number, limits: string) =>
  [
    ...daily(''),
    [
      'rules:\n',
      `  deep:
    market: btc
    side: buy
    anchor: price
    levels: 1
    spacing: { kind: offsets, at: [${offset}] }
    size: { total: ${capital} quote }
    exit: { tp: { pct: 5% } }

rules:
  - { id: deep, when: price < 1, once: ever, do: [ensure: deep] }\n`,
    ],
    ['max_notional: { total: 2200 }', `max_notional: { ${limits} }`],
  ] as const

test.each([
  // (10000 - 1000) x 30 %, and 1000 bought at 72 % and worth 70 %.
  ['in the limit of all markets', '28%', 1000, 'total: 10000', 2727],
  ['in the limit of the market', '28%', 1000, 'btc: 10000', 2727],
  // The fall does not reach it, so its capital counts and its loss does not.
  ['that the move does not reach', '40%', 1000, 'total: 10000', 2700],
])('only the ladders of a schedule grow: %s', async (_, offset, capital, limits, loss) => {
  const warnings = await warned(...dailyBeside(offset, capital, limits))
  const [, found] =
    /at max_notional the worst case loses about (\d+(?:\.\d+)?), more/.exec(warnings.join('\n')) ?? []
  expect(Math.abs(Number(found) - loss)).toBeLessThan(loss / 100)
})

test('check warns of capital that rounding to lots leaves unused', async () => {
  const futures = ['{ symbol: BTC_USDT }', '{ symbol: BTC_PERP }'] as const
  // 105 for each line of about 60000 are 0.00175, and a lot is 0.001: 43 % of each line is lost.
  expect(await warned(futures)).toEqual([
    expect.stringMatching(
      /^4\d(?:\.\d+)?% of the capital of grid is not used: .* lot 0\.001; use fewer levels, more capital or leftover: spread$/,
    ),
  ])
  expect(await warned(futures, ...oneLevel('100'))).toEqual([
    '40% of the capital of grid is not used: amounts are rounded down to the lot 0.001; use more capital',
  ])
  expect(
    await warned(
      futures,
      ['total: 2100 quote', 'total: 2100 quote, leftover: spread'],
      ['max_loss: 350', 'max_loss: 400'],
    ),
  ).toEqual([])
})

test('a cooldown without an exit that starts it is a mistake', async () => {
  const { problems } = await check(
    folder,
    gridWith(['exit: { mirror: 1 }', 'exit: { mirror: 1, cooldown: 10m }']),
  )
  expect(problems.map(({ message }) => message)).toEqual([
    'has no effect without stop, trail, break_even or max_age',
  ])
})

const stopAt = (pct: string) =>
  ['exit: { mirror: 1 }', `exit: { mirror: 1, stop: { pct: ${pct} }, cooldown: 10m }`] as const

test.each([
  ['', 'entries stop at the halt, and the stop still works'],
  [', then: flatten', 'the halt closes all positions before the stop is reached'],
  [', then: freeze', 'the halt freezes the stop: it is not sent'],
])(
  'check warns of a stop that loses more than the halt allows, and of the consequence%s',
  async (then, words) => {
    const halt = ['halt: 10% }', `halt: 10%${then} }`] as const
    expect(await warned(stopAt('20%'), halt)).toEqual([])
    const [warning] = await warned(stopAt('25%'), halt)
    const loss = /^all rungs of grid lose (\d+\.\d+) at the stop, and drawdown halts before that, at 220: /
    expect(warning).toMatch(loss)
    // A quarter of the cost of its ten buys.
    expect(Number(loss.exec(warning ?? '')?.[1])).toBeCloseTo(262.4, 0)
    expect(warning).toContain(`${words}; raise halt, or reduce the loss of the stop or the ladder`)
  },
)

/** The grid with buys worth 525, beside another ladder. */
const beside = (ladder: string, side = 'both', total = 1050) =>
  [
    ['size: { total: 2100 quote }', `size: { total: ${total} quote }`],
    ['side: both', `side: ${side}`],
    stopAt('25%'),
    ['rules:\n', `  ${ladder}\n\nrules:\n`],
    ['do: [ensure: grid]', 'do: [ensure: grid, ensure: more]'],
    ['btc: { symbol: BTC_USDT }', 'btc: { symbol: BTC_USDT }\n  eth: { symbol: ETH_USDT }'],
  ] as const

const more = (market: string, side: string, anchor: number, exit: string) => `more:
    market: ${market}
    side: ${side}
    anchor: ${anchor}
    levels: 10
    spacing: { kind: arithmetic, first: 0.5%, step: 0.5% }
    size: { total: 525 quote }
    ${exit}`
const stopped = 'exit: { stop: { pct: 25% }, cooldown: 10m }'

test.each([
  ['buys beside buys of one market', beside(more('btc', 'buy', 60000, stopped)), 262],
  ['buys of two markets', beside(more('eth', 'buy', 3000, stopped)), 262],
  [
    'buys beside sells of one market, which cannot both lose',
    beside(more('btc', 'sell', 60000, stopped), 'buy', 525),
    0,
  ],
  ['what has no stop', beside(more('btc', 'buy', 60000, 'exit: { mirror: 1 }')), 0],
])('ladders that together lose more at their stops than the halt allows: %s', async (_, changes, loss) => {
  const warnings = (await warned(...changes)).filter((each) => each.includes('drawdown'))
  if (loss === 0) expect(warnings).toEqual([])
  else {
    const [warning = '', ...others] = warnings
    expect(others).toEqual([])
    const told =
      /^all rungs of grid, more lose (\d+\.\d+) at the stop, and drawdown halts before that, at 220: /
    expect(Math.round(Number(told.exec(warning)?.[1]))).toBe(loss)
    expect(warning).toContain('entries stop at the halt, and the stop still works')
  }
})
