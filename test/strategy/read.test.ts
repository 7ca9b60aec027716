import { describe, expect, test } from 'vitest'
import { strategyBytesMax } from '#src/strategy/file/base-files.ts'
import { gridWith, problemsIn, strategyFiles, strategyIn, told } from './strategy-files.ts'

test.each(strategyFiles)('$name is read without problems', ({ text }) => {
  expect(told(text)).toEqual([])
})

test('numbers keep every digit of the file', () => {
  const { strategy } = strategyIn(gridWith(['2100 quote', '123456789012345678.123456789012345678 quote']))
  const { total } = strategy.ladder['grid']!.size
  expect(total && 'amount' in total && total.amount.toFixed()).toBe('123456789012345678.123456789012345678')
})

test('mistakes of form, reference and expressions are all reported at once, in the order of the file', () => {
  const text = gridWith(
    ['market: btc, interval', 'market: btcc, interval'],
    ['price: last(px)', 'price: lst(px)'],
    ['resting:', 'restign:'],
    ['when: between(price, 55000, 65000)', 'when: "prise + 1"'],
    ['ensure: grid', 'ensure: gird'],
  )
  expect(problemsIn(text).map(({ line, message, hint }) => [line, message, hint])).toEqual([
    [16, '"btcc" does not exist', 'did you mean "btc"?'],
    [19, 'unknown function lst()', 'did you mean "last"?'],
    [29, 'unknown key "restign"', 'did you mean "resting"?'],
    [36, 'unknown name "prise"', 'did you mean "price"?'],
    [37, '"gird" does not exist', 'did you mean "grid"?'],
  ])
})

test('a negative number is called negative, whatever its unit', () => {
  const text = gridWith(
    ['levels: 21', 'levels: -5'],
    ['total: 2100 quote', 'total: -2100 quote'],
    ['pause: 6%', 'pause: -6%'],
    ['max_open_orders: 24', 'max_open_orders: --1'],
  )
  expect(problemsIn(text).map(({ message }) => message)).toEqual([
    'ladder.grid.levels: must not be negative',
    'ladder.grid.size.total: must not be negative',
    'risk.max_open_orders: must be a whole number from 1',
    'risk.drawdown.pause: must not be negative',
  ])
})

test('the place is the exact character, in quotes and without', () => {
  expect(told(gridWith(['anchor: 60000', 'anchor: 2 * prize']))).toEqual(['25:17 unknown name "prize"'])
  expect(told(gridWith(['anchor: 60000', 'anchor: "2 * prize"']))).toEqual(['25:18 unknown name "prize"'])
  // With an escape the characters of the value differ from those of the file, so the place is the whole value.
  expect(told(gridWith(['anchor: 60000', String.raw`anchor: "2\u0020* prize"`]))).toEqual([
    '25:13 unknown name "prize"',
  ])
})

const unitSpacing = '{ kind: volatility, unit: "600", first: 0.5 x unit, step: 1 }'

describe('a quantity of the wrong kind is reported with an example', () => {
  test.each([
    [
      'total: 2100 quote',
      'total: 2100',
      'write it like 2100 quote, 0.05 base, 25% equity or 0.001 * equity(account) quote',
    ],
    ['within: 5%', 'within: 5', 'write it like 1.5%'],
    ['stale_after: 90s', 'stale_after: 90', 'write it like 10m'],
    ['2.2 x fee', '2.2', 'write it like 2.2 x fee'],
    ['from: 55000', 'from: 5.5e4', 'write it like 60000'],
    ['from: 55000', 'from: 0x10', 'write it like 60000'],
    ['max_loss: 350', 'max_loss: 3%', 'write it like 40 or 50% equity'],
    ['max_loss: 350 }', 'max_loss: 350 }\n  daily_loss: 3%', 'write it like 40 or 50% equity'],
    ['max_notional: {', 'max_position: { btc: 1 base }\n  max_notional: {', 'write it like 0.05'],
    ['{ kind: range, from: 55000, to: 65000 }', unitSpacing, 'write it like 0.5'],
    ['move: -30%', 'move: -30', 'write it like -30%'],
    ['250ms..8s', '250ms', 'write it like 250ms..8s'],
    ['name: sgrid', 'name: Static Grid', 'write it like btc_dip'],
    ['levels: 21', 'levels: 21.5', 'write it like 12'],
  ])('%s written as %s', (from, to, hint) => {
    expect(problemsIn(gridWith([from, to])).map((problem) => problem.hint)).toEqual([hint])
  })
})

const exit = (text: string) => ['exit: { mirror: 1 }', `exit: { ${text} }`] as const

describe('a percentage that is impossible or without effect is reported', () => {
  const buys = ['side: both', 'side: buy'] as const
  const sells = ['side: both', 'side: sell'] as const
  test.each<[readonly (readonly [string, string])[], string[]]>([
    [[buys, exit('stop: { pct: 150% }')], ['30:26 a price cannot fall by 150%']],
    [[exit('stop: { pct: 100% }')], ['30:26 a price cannot fall by 100%']],
    [[sells, exit('stop: { pct: 150% }')], []],
    [[sells, exit('tp: { pct: 60%, split: [0.5, 0.5], gap: 40% }')], ['30:24 a price cannot fall by 100%']],
    [[buys, exit('tp: { pct: 150% }')], []],
    [[buys, exit('stop: { pct: 99.9% }')], []],
    [[buys, exit('stop: { pct: 0% }')], ['30:26 ladder.grid.exit.stop.pct: must be above zero']],
    [[['pause: 6%', 'pause: 0%']], ['48:22 risk.drawdown.pause: must be above zero']],
    [[['move: -30%', 'move: 0%']], ['47:23 risk.worst_case.move: must not be zero']],
    [[['move: -30%', 'move: 101%']], ['47:23 risk.worst_case.move: a price cannot fall by more than 100%']],
    [[['move: -30%', 'move: +150%']], []],
    [[['move: -30%', 'move: -100%']], []],
  ])('%j', (changes, expected) => {
    expect(told(gridWith(...changes))).toEqual(expected)
  })
})

describe('a strategy that contradicts itself is reported', () => {
  test.each<[string, [string, string][], string]>([
    [
      'a name twice',
      [['price: last(px)', 'grid: last(px)']],
      'the name "grid" is already used: it is in ladder',
    ],
    [
      'a word of the language',
      [['price: last(px)', 'loop: last(px)']],
      'the name "loop" is already used: it is a reserved word',
    ],
    [
      'an id too long',
      [
        ['name: sgrid', 'name: static_btc_grid1'],
        ['  grid:', '  main_levels_btc:'],
      ],
      'are longer than 32',
    ],
    [
      'an id that is too long for a mirror after years',
      [['name: sgrid', 'name: static_btc_grids']],
      'such as static_btc_grids.grid.mb21.9999999 are longer than 32',
    ],
    [
      'a ladder that leaves as a whole and is never laid anew',
      [['exit: { mirror: 1 }', 'exit: { mirror: 1, stop: { pct: 5% } }\n    rebase: never']],
      'an exit that closes the position also recomputes the ladder',
    ],
    ['both flags', [['postOnly: true', 'postOnly: true, rpi: true']], 'rpi and postOnly exclude each other'],
    ['a range upside down', [['from: 55000', 'from: 75000']], 'must be above from'],
    [
      'no step',
      [['{ kind: range, from: 55000, to: 65000 }', '{ kind: arithmetic, first: 1%, step: 0% }']],
      'all rungs would',
    ],
    [
      'offsets that fall',
      [
        ['{ kind: range, from: 55000, to: 65000 }', '{ kind: offsets, at: [2%, 1%] }'],
        ['levels: 21', 'levels: 2'],
      ],
      'each distance must be larger',
    ],
    [
      'weights for other levels',
      [['2100 quote }', '2100 quote, shape: { list: [1, 2] } }']],
      'has 2 weights for 21 levels',
    ],
    [
      'two sizes',
      [['2100 quote }', '2100 quote, first: 1 quote }']],
      'takes exactly one of total, first and risk',
    ],
    ['a cap of another kind', [['2100 quote }', '2100 quote, cap: 1 base }']], 'must have the same unit'],
    [
      'a drift without cancel',
      [['levels: 21', 'levels: 21\n    rebase: { drift: 1 step, min_gap: 1m }']],
      'needs the capability cancel',
    ],
    [
      'taking back without cancel',
      [['freeze: grid', 'retire: grid']],
      'cancelling orders needs the capability cancel',
    ],
    [
      'a short side without it',
      [['symbol: BTC_USDT', 'symbol: BTC_USDT, positionSide: short']],
      'needs the capability position_side_short',
    ],
    [
      'an exit that cannot be',
      [['exit: { mirror: 1 }', 'exit: { tp: { pct: 1% } }']],
      'a ladder on both sides has no single average entry',
    ],
    [
      'parts of more than all',
      [
        ['exit: { mirror: 1 }', 'exit: { tp: { pct: 1%, split: [0.5, 0.6] } }'],
        ['side: both', 'side: buy'],
      ],
      'the parts add up to 1.1, not to 1',
    ],
    [
      'two exits that sell the same',
      [['exit: { mirror: 1 }', 'exit: { mirror: 1, at: 61000 }']],
      'cannot be combined with mirror, which sells all that was bought',
    ],
    [
      'a trail without unit',
      [['exit: { mirror: 1 }', 'exit: { trail: { activate: 1 x unit, retrace: 1 x unit } }']],
      'has no unit for a trail',
    ],
    [
      'a drawdown of no caps',
      [['max_notional: { total: 2200 }', 'max_notional: {}']],
      '45:17 "btc" has no max_notional, and drawdown is a share of max_notional',
    ],
    [
      'a market that only its net caps',
      [['max_notional: { total: 2200 }', 'max_notional: { net: 2200 }']],
      '45:17 "btc" has no max_notional',
    ],
    [
      'a cap for another market than is traded',
      [
        ['max_notional: { total: 2200 }', 'max_notional: { eth: 2200 }'],
        ['markets:\n', 'markets:\n  eth: { symbol: ETH_USDT }\n'],
      ],
      '46:17 "btc" has no max_notional',
    ],
    [
      'a rule without reason',
      [['    when: between(price, 55000, 65000)\n', '']],
      'needs when, schedule or both',
    ],
    [
      'a time without a reason to count from',
      [['when: between(price, 55000, 65000)', 'schedule: daily 12:00 UTC\n    for: 10m']],
      '37:10 for has no effect without when',
    ],
    [
      'a past that nobody knows',
      [['when: between(price, 55000, 65000)', 'when: { rises: position(btc) }']],
      '36:20 "btc" has only a current value and no value at the previous close',
    ],
    [
      'a past of what never changes',
      [['when: between(price, 55000, 65000)', 'when: { crosses_above: [1, 2] }']],
      'this reads no candles',
    ],
    ['two goals in one', [['[ensure: grid]', '[{ ensure: grid, alert: x }]']], 'needs exactly one action'],
    ['a ladder left out', [['stopOnFail: false', 'stopOnFail: {}']], 'the ladder "grid" is missing'],
    ['a book for candles', [['{ px: 60000 }', '{ px: { bid: 1, ask: 2 } }']], '"px" is a feed of candles'],
    ['the same rule twice', [['id: out', 'id: place']], 'this id is used twice'],
  ])('%s', (_, changes, expected) => {
    expect(told(gridWith(...changes)).join('\n')).toContain(expected)
  })
})

describe('a file that is not a strategy is reported with a place', () => {
  test.each([
    ['nothing', '', /1:1 the file must be a mapping/],
    ['a list', '[1, 2]', /1:1 the file must be a mapping/],
    ['an alias', 'a: &x 1\nb: *x\n', /2:4 aliases are not allowed/],
    ['bytes', 'version: 1\nname: \u0000\n', /2:7 this character is invisible/],
    ['an open bracket', 'version: [1\n', /\d+:\d+ /],
  ])('%s', (_, text, expected) => {
    expect(told(text).join('\n')).toMatch(expected)
  })
  test('a mistake at every character is reported up to a maximum', () => {
    expect(told('"'.repeat(2000))).toHaveLength(50)
  })
  test('more levels than a running bot can compute after a file change are refused', () => {
    const ladder = /^  grid:\n(?: {4}.*\n)+/m.exec(gridWith(['levels: 21', 'levels: 1000']))?.[0] ?? ''
    const more = Array.from({ length: 10 }, (_, index) => ladder.replace('grid:', `more${index}:`)).join('')
    const text = gridWith().replace(/^ladder:\n/m, `ladder:\n${more}`)
    expect(told(text).join('\n')).toContain('all ladders together have 10021 levels, more than 10000')
  })
  test('a file that is too large is refused', () => {
    expect(told(' '.repeat(strategyBytesMax + 1))).toEqual([
      `1:1 the file has ${strategyBytesMax + 1} bytes, more than ${strategyBytesMax}`,
    ])
  })
})
