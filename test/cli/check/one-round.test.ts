import { afterAll, expect, test } from 'vitest'
import { check } from '#test/cli/support/check-report.ts'
import { temporaryFolder } from '#test/cli/support/process.ts'

const folder = temporaryFolder()
afterAll(() => folder[Symbol.dispose]())

const file = `version: 1
name: base
markets: { btc: BTC_USDT, eth: ETH_USDT }
feeds:
  px: { source: candles, market: btc, interval: 1m }
  ex: { source: candles, market: eth, interval: 1m }
let:
  price: last(px)
ladder:
  dip:
    market: btc
    side: buy
    anchor: price
    levels: 3
    spacing: { kind: geometric, first: 0.5%, step: 1% }
    size: { total: 300 quote }
    exit: { tp: { pct: 2% } }
    min_edge: 2.2 x fee
  grid:
    market: eth
    side: both
    anchor: 3000
    levels: 5
    spacing: { kind: range, from: 2800, to: 3200 }
    size: { total: 200 quote }
    exit: { mirror: 1 }
rules:
  - id: buy
    when: price > 1
    do: [ensure: dip]
  - id: place
    when: last(ex) > 1
    do: [ensure: grid]
risk:
  max_notional: { total: 1000 }
  worst_case: { move: -30%, max_loss: 350 }
  drawdown: { pause: 10%, halt: 20% }
tests:
  - name: usual prices
    given: { feeds: { px: 60000, ex: 3000 } }
    expect: { rules: { buy: "true", place: "true" }, rungs: { dip: { count: 3 }, grid: { count: 4 } } }
`

type Change = readonly [from: string, to: string]

async function messagesOf(changes: readonly Change[]): Promise<string[]> {
  const text = changes.reduce((before, [from, to]) => {
    expect(before).toContain(from)
    return before.replace(from, () => to)
  }, file)
  const { problems } = await check(folder, text)
  return problems.map(({ message }) => message)
}

const noPause: Change = ['pause: 10%, ', '']
const missingPause = 'the key "pause" is missing in risk.drawdown'
const noUnit: Change = ['total: 300 quote', 'total: 300']
const missingUnit =
  'ladder.dip.size.total: must be capital with its unit: quote is money, base the traded currency'

test('the file without a change is valid', async () => {
  expect(await messagesOf([])).toEqual([])
})

test.each<[string, Change, string | string[]]>([
  ['a ladder that does not exist', ['[ensure: dip]', '[ensure: dpi]'], '"dpi" does not exist'],
  ['a market that does not exist', ['market: btc\n', 'market: btcc\n'], '"btcc" does not exist'],
  ['a feed that does not exist', ['last(px)', 'last(pz)'], 'unknown name "pz"'],
  ['a symbol that the venue lacks', ['ETH_USDT', 'ETH_USD'], 'the venue has no market ETH_USD'],
  ['a ladder that no rule places', ['[ensure: grid]', '[alert: x]'], 'no rule ever places "grid"'],
  ['a range upside down', ['from: 2800', 'from: 3300'], 'must be above from'],
  [
    'an exit below min_edge',
    ['pct: 2%', 'pct: 0.1%'],
    'level 1 of dip earns 0.1% before fees, less than 0.22%',
  ],
  ['a cost above its limit', ['total: 1000', 'total: 400'], 'the cost of all rungs is 499.'],
  ['a worst case above its limit', ['max_loss: 350', 'max_loss: 20'], 'the worst case loss is '],
  [
    'a test that fails',
    ['grid: { count: 4 }', 'grid: { count: 5 }'],
    'the test "usual prices" fails: 4 rungs',
  ],
  [
    'a condition that is never true',
    ['last(ex) > 1', 'last(ex) > 1 && last(ex) < 0'],
    'with this part the condition is never true, so the rule never acts',
  ],
])('one round shows a missing key and %s', async (_, change, expected) => {
  const found = await messagesOf([noPause, change])
  expect(found).toContain(missingPause)
  expect(found.filter((message) => message !== missingPause)).toEqual([
    typeof expected === 'string' ? expect.stringContaining(expected) : expected,
  ])
})

test('one round shows mistakes of every class', async () => {
  const changes: Change[] = [
    noPause,
    ['first: 0.5%', 'first: 0.5'],
    ['[ensure: grid]', '[ensure: gird]'],
    ['from: 2800', 'from: 3300'],
    ['interval: 1m }\n  ex', 'interval: 10m }\n  ex'],
    ['ETH_USDT', 'ETH_USD'],
  ]
  expect(await messagesOf(changes)).toEqual([
    'the venue has no market ETH_USD',
    'feeds.px.interval: must be one of 1m, 3m, 5m, 15m, 30m, 1h, 2h, 4h, 6h, 12h, 1d, 1w',
    'ladder.dip.spacing.first: must be a percentage',
    'must be above from',
    '"gird" does not exist',
    missingPause,
  ])
})

const sell: Change = ['side: buy', 'side: sell']
const takeProfit: Change = ['tp: { pct: 2% }', 'tp: { pct: 200% }']
const impossible = 'a price cannot fall by 200%'
const threeFaults: Change[] = [
  ['total: 300 quote', 'total: 300 quote, cap: 1 base, shape: { list: [1, 2] }'],
  ['tp: { pct: 2% }', 'tp: { pct: 2%, split: [0.5, 0.4] }'],
]
const weights = 'has 2 weights for 3 levels'
const cap = 'must have the same unit as the size'
const split = 'the parts add up to 0.9, not to 1'
const wrongLevels = 'ladder.dip.levels: must be a whole number from 1'

test.each<[string, Change[], string[]]>([
  ['a wrong side', [...threeFaults, ['side: buy', 'side: long']], [weights, cap, split]],
  ['wrong levels', [...threeFaults, ['levels: 3', 'levels: x']], [wrongLevels, cap, split]],
  [
    'a wrong spacing',
    [...threeFaults, ['first: 0.5%', 'first: 0.5']],
    ['ladder.dip.spacing.first: must be a percentage', weights, cap, split],
  ],
  [
    'a wrong size',
    [...threeFaults, ['300 quote', '300']],
    [expect.stringMatching(/^ladder\.dip\.size\.total: /), weights, split],
  ],
  [
    'a missing key whose example would contradict another key',
    [noPause, ['halt: 20%', 'halt: 4%'], ['ensure: dip', 'ensure: dop']],
    [missingPause, '"dop" does not exist'],
  ],
  ['wrong levels before an exit', [sell, takeProfit, ['levels: 3', 'levels: x']], [wrongLevels, impossible]],
  [
    'a wrong exit before the frozen anchor',
    [
      ['pct: 2%', 'pct: small'],
      ['anchor: price', 'anchor: price at episode_start\n    rebase: { drift: 1%, min_gap: 1m }'],
    ],
    ['a ladder cannot follow a frozen anchor', 'ladder.dip.exit.tp.pct: must be a percentage'],
  ],
])('a mistake does not hide another one that does not follow from it: %s', async (_, changes, expected) => {
  const found = await messagesOf(changes)
  expect(found).toEqual(expect.arrayContaining(expected))
})

test.each<[string, Change[], string[]]>([
  [
    'a contradiction',
    [['exit: { tp: { pct: 2% } }', 'exti: { tp: { pct: 2%, split: [0.5, 0.4] } }']],
    ['unknown key "exti"', split],
  ],
  [
    'a value of the wrong form',
    [['exit: { tp: { pct: 2% } }', 'exti: { tp: { pct: small } }']],
    ['unknown key "exti"', 'ladder.dip.exit.tp.pct: must be a percentage'],
  ],
  [
    'another misspelled key',
    [['exit: { tp: { pct: 2% } }', 'exti: { tp: { pct: 2%, splt: [0.5, 0.4] } }']],
    ['unknown key "exti"', 'unknown key "splt"', split],
  ],
  [
    'an expression',
    [['when: last(ex) > 1', 'whne: last(ez) > 1']],
    ['unknown key "whne"', 'unknown name "ez"'],
  ],
  [
    'a section',
    [['markets: { btc', 'market: { bct']],
    ['unknown key "market"', ...Array(2).fill('"btc" does not exist')],
  ],
])('one round shows a misspelled key and what is in it: %s', async (_, changes, expected) => {
  expect(await messagesOf(changes)).toEqual(expected)
})

test.each<[string, Change[], string[]]>([
  // The example of the size costs more than the limits allow.
  ['a size without its unit', [noUnit, ['total: 1000', 'total: 400']], [missingUnit]],
  ['the limits of a missing section', [['risk:', 'risky:']], ['unknown key "risky"']],
  ['the names in a missing section', [['feeds:\n', 'feedz:\n']], ['unknown key "feedz"']],
  ['the markets of a missing section', [['markets: {', 'market: {']], ['unknown key "market"']],
  [
    'the type of a named value with a mistake',
    [
      ['price: last(px)', 'price: last(pz) > 1'],
      ['price > 1', 'price && last(ex) > 1'],
    ],
    ['unknown name "pz"'],
  ],
  [
    'the levels of an offset list',
    [
      ['{ kind: geometric, first: 0.5%, step: 1% }', '{ kind: offsets, at: [1%, 2%, 3%] }'],
      ['levels: 3', 'levels: three'],
    ],
    ['ladder.dip.levels: must be a whole number from 1'],
  ],
  ['the name of a misspelled ladder', [['[ensure: dip]', '[ensure: other]']], ['"other" does not exist']],
  ['a test of a rule with a mistake', [['price > 1', 'price >']], ['the expression is incomplete']],
  [
    'a test with a price of the wrong form',
    [['px: 60000', 'px: high']],
    [expect.stringMatching(/^tests\.0\.given\.feeds\.px: /)],
  ],
  [
    'an exit of the wrong form',
    [['pct: 2%', 'pct: small']],
    ['ladder.dip.exit.tp.pct: must be a percentage'],
  ],
  [
    'a limit with a misspelled name',
    [['max_notional: { total: 1000', 'max_notional: { totle: 1000']],
    ['"totle" does not exist'],
  ],
  [
    'the type of a feed with a wrong source',
    [
      ['source: candles, market: eth', 'source: bok, market: eth'],
      ['last(ex) > 1', 'mid(ex) > 1'],
    ],
    [expect.stringMatching(/^feeds\.ex\.source: /)],
  ],
  ['the expectation of a rule without its id', [['- id: buy\n', '- idd: buy\n']], ['unknown key "idd"']],
  [
    'a key that needs a misspelled one',
    [['when: last(ex) > 1', 'whne: last(ex) > 1\n    for: 1m']],
    ['unknown key "whne"'],
  ],
  [
    'a market of the wrong form',
    [['btc: BTC_USDT', 'btc: Bitcoin']],
    [expect.stringMatching(/^markets\.btc: /)],
  ],
  ['the names of an empty section', [['{ btc: BTC_USDT, eth: ETH_USDT }', '{}']], ['markets is empty']],
  ['an action of the wrong form', [['[ensure: dip]', '[shut: dip]']], ['unknown key "shut"']],
])('a consequence of another mistake is not reported: %s', async (_, changes, expected) => {
  expect(await messagesOf(changes)).toEqual(expected)
})
