import { expect, test } from 'vitest'
import type { TestDifference } from '#src/strategy/check/strategy-tests.ts'
import { withComputedValues } from '#src/strategy/check/update-tests.ts'
import { readStrategy } from '#src/strategy/file/read-strategy.ts'
import { loopedMarkets } from '#test/engine/support/looped-markets.ts'
import { problemsIn, strategyIn, told } from './strategy-files.ts'

const plain = (list: string) => loopedMarkets(list, 2).replace(/, active: 2, rank: .* \}/, ' }')
const both = plain('BTC_PERP, ETH_PERP')
const ladderOf = (name: string) => `
  dip_${name}:
    market: ${name}
    side: buy
    anchor: last(px_${name}) at episode_start
    levels: 2
    spacing: { kind: geometric, first: 1%, step: 1% }
    size: { total: 200 quote }
    exit: { tp: { from: avg_entry, pct: 2% } }`
const byHand = `version: 1
name: many
markets: { btc: BTC_PERP, eth: ETH_PERP }
feeds:
  px_btc: { source: candles, market: btc, interval: 1m }
  px_eth: { source: candles, market: eth, interval: 1m }
ladder:${ladderOf('btc')}${ladderOf('eth')}
rules:
  - { id: place_btc, when: last(px_btc) > 0, do: [ensure: dip_btc] }
  - { id: place_eth, when: last(px_eth) > 0, do: [ensure: dip_eth] }
risk:
  max_notional: { total: 1000 }
  worst_case: { move: -30%, max_loss: 400 }
  drawdown: { pause: 50%, halt: 50% }
`

test('a loop is the file written by hand', () => {
  const { for_each: loops, ...strategy } = strategyIn(both).strategy
  expect(Object.keys(loops)).toEqual(['m'])
  const { for_each: none, ...written } = strategyIn(byHand).strategy
  expect(none).toEqual({})
  expect(strategy).toEqual(written)
})

test('the text that a bot stores gives the same strategy', () => {
  const read = strategyIn(loopedMarkets('BTC_PERP, ETH_PERP', 2))
  expect(strategyIn(read.text()).strategy).toEqual(read.strategy)
})

test('another order of the list, or one more market, changes no name and no entry of the others', () => {
  const { strategy } = strategyIn(both)
  const { strategy: more } = strategyIn(plain('SOL_PERP, ETH_PERP, BTC_PERP'))
  for (const section of ['markets', 'feeds', 'ladder'] as const)
    expect(more[section]).toMatchObject(strategy[section])
})

test('a market can have a name of its own, and a side', () => {
  const list = 'BTC_PERP, spot: BTC_USDT, low: { symbol: ETH_PERP, positionSide: short }'
  const { markets } = strategyIn(plain(list)).strategy
  expect(markets).toEqual({
    btc: { symbol: 'BTC_PERP', positionSide: 'long' },
    spot: { symbol: 'BTC_USDT', positionSide: 'long' },
    low: { symbol: 'ETH_PERP', positionSide: 'short' },
  })
})

test('an item of a list, a limit and a test are written once for each market', () => {
  const text = both
    .replace(
      'when: last(px_$m) > 0, do: [ensure: dip_$m]',
      "when: { all: ['last(px_$m) > 0'] }, do: [ensure: dip_$m]",
    )
    .replace(
      '{ total: 1000 }',
      '{ $m: 400, total: 700 }\n  groups: { all: { markets: [$m], max_notional: 600 } }',
    )
    .replace('risk:\n', "  - { id: stop, when: { any: ['last(px_$m) < 1'] }, do: [close: dip_$m] }\nrisk:\n")
    .concat(
      'tests:\n  - name: cheap $m\n    given: { feeds: { px_$m: 0.5 } }\n    expect: { rules: { stop: true } }\n',
    )
  const { strategy } = strategyIn(text)
  const { risk, rules, tests } = strategy
  expect(Object.keys(risk.max_notional)).toEqual(['btc', 'eth', 'total'])
  expect(risk.groups?.['all']?.markets).toEqual(['btc', 'eth'])
  expect(rules.map(({ id }) => id)).toEqual(['place_btc', 'place_eth', 'stop'])
  expect(rules[2]?.when).toEqual({ any: ['last(px_btc) < 1', 'last(px_eth) < 1'] })
  expect(rules[2]?.do.map(({ close }) => close?.of)).toEqual(['dip_btc', 'dip_eth'])
  expect(tests.map(({ name }) => name)).toEqual(['cheap btc', 'cheap eth'])
})

test('two loops of a file are independent', () => {
  const text = both
    .replace('feeds:', '  n: { markets: [SOL_PERP, spot: SOL_USDT] }\nfeeds:')
    .replace('feeds:\n', 'feeds:\n  of_$n: { source: candles, market: $n, interval: 1h }\n')
  expect(Object.keys(strategyIn(text).strategy.feeds)).toEqual(['of_sol', 'of_spot', 'px_btc', 'px_eth'])
})

test('a parameter can be a part of a loop, but has another name than its variable', () => {
  const text = loopedMarkets('BTC_PERP, ETH_PERP', 2)
    .replace('active: 2', 'active: $count')
    .replace('for_each:', 'parameters: { count: 1..2 }\nfor_each:')
  expect(strategyIn(text).strategy.for_each['m']?.active).toBe(1)
  expect(told(text.replace('count: 1..2', 'count: 1..2, m: 3'))).toEqual([
    '3:28 the name "m" is already used: it is a variable of for_each',
  ])
})

test('a base file can have the loops, and the file that extends it another list', () => {
  const own = 'version: 1\nname: more\nextends: base.yaml\nfor_each:\n  m: { markets: [SOL_PERP] }\n'
  const read = readStrategy(new TextEncoder().encode(own), () => new TextEncoder().encode(both))
  if (Array.isArray(read)) throw new Error(JSON.stringify(read))
  expect(Object.keys(read.strategy.ladder)).toEqual(['dip_sol'])
  expect(Object.keys(strategyIn(read.text()).strategy.ladder)).toEqual(['dip_sol'])
})

const filtered = loopedMarkets('BTC_PERP, ETH_PERP', 1)

test.for<[string, string, string, string[]]>([
  [
    'the same name twice',
    'ETH_PERP',
    'BTC_USDT',
    ['4:28 for_each.m.markets.1: has the name "btc" of entry 1'],
  ],
  ['no name', 'ETH_PERP', '1INCH_PERP', ['4:28 for_each.m.markets.1: "1inch" is no name for 1INCH_PERP']],
  ['no market', 'ETH_PERP', 'eth', ['4:28 for_each.m.markets.1: must be a market']],
  ['a rank without active', 'active: 1, ', '', ['4:45 for_each.m.rank: has no effect without active']],
  ['a wrong expression', 'rank: last(px_$m)', 'rank: last(py_$m)', ['4:61 unknown name "py_btc"']],
  [
    'a rank that is no number',
    'rank: last(px_$m)',
    'rank: last(px_$m) > 1',
    ['4:56 this is true or false but must be a number'],
  ],
  [
    'a variable before other letters',
    'market: $m\n    side',
    'market: $m_x\n    side',
    ['9:13 there is no variable "m_x" in for_each'],
  ],
  [
    'an unknown variable',
    'market: $m\n    side',
    'market: $n\n    side',
    ['9:13 there is no variable "n" in for_each'],
  ],
  [
    'an entry that is written once',
    'feeds:\n',
    'let: { price: last(px_$m) }\nfeeds:\n',
    ['5:15 $m is used, but its entry is written only once'],
  ],
  [
    'a rule with one name',
    'id: place_$m',
    'id: place',
    ['17:11 the rule uses $m, so it is written once for each market, but its id is the same'],
  ],
  [
    'a mistake in each ladder',
    'levels: 2',
    'levels: two',
    ['12:13 ladder.dip_btc.levels: must be a whole number from 1'],
  ],
  [
    'an unknown key in each ladder',
    'levels: 2',
    'levels: 2\n    leverage: 3',
    ['13:5 unknown key "leverage"'],
  ],
  [
    'an unknown market of a group',
    '{ total: 1000 }',
    '{ total: 1000 }\n  groups: { a: { markets: [$m, doge], net: 5 } }',
    ['20:32 "doge" does not exist'],
  ],
  [
    'a group without a limit',
    '{ total: 1000 }',
    '{ total: 1000 }\n  groups: { a: { markets: [$m] } }',
    ['20:16 risk.groups.a: limits nothing'],
  ],
  [
    'the name of a market of the file',
    'feeds:\n',
    'markets: { eth: ETH_USDT }\nfeeds:\n',
    ['4:28 the name "eth" is already used: it is in markets'],
  ],
  [
    'a name too long for the rule that retires',
    'ETH_PERP',
    'abcdefghijkl: ETH_PERP',
    [
      '4:6 the name "abcdefghijkl" has more than 11 letters, and the rule idle_abcdefghijkl retires its ladders',
    ],
  ],
  [
    'a rule for several markets',
    '- { id: place_$m, when: last(px_$m) > 0,',
    '- { id: place, when: equity(account) > 0,',
    ['17:5 the rule places ladders of several markets, of which only some are active'],
  ],
  [
    'a venue that cannot cancel',
    'for_each:',
    'needs: [bulk, history, balance]\nfor_each:',
    ['5:6 cancelling orders needs the capability cancel'],
  ],
])('%s is one mistake at its place in the file', ([, from, to, expected]) => {
  expect(filtered).toContain(from)
  const problems = problemsIn(filtered.replace(from, () => to))
  expect(problems.map(({ line, column, message }) => `${line}:${column} ${message}`)).toEqual(expected)
  for (const { hint } of problems) expect(hint).not.toBe('')
})

test('computed values of tests are written to the test of the same name, and not to a repeated one', () => {
  const text = both.concat(
    'tests:\n  - { name: cheap $m, given: { feeds: { px_$m: 1 } }, expect: { rules: { place_$m: false } } }\n',
    '  - { name: one, given: { feeds: { px_btc: 1 } }, expect: { rules: { place_btc: false } } }\n',
  )
  const changed = withComputedValues(text, [difference(0, 'cheap btc'), difference(2, 'one')])
  expect(changed).toBe(text.replace('place_btc: false', 'place_btc: true'))
})

function difference(index: number, test: string): TestDifference {
  const path = ['tests', index, 'expect', 'rules', 'place_btc']
  return { path, test, found: 'the rule is true', computed: 'true', isUnknown: false }
}
