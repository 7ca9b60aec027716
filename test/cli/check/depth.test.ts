import { afterAll, expect, test } from 'vitest'
import { checkedGrid } from '#test/cli/support/check-report.ts'
import { temporaryFolder } from '#test/cli/support/process.ts'

const folder = temporaryFolder()
afterAll(() => folder[Symbol.dispose]())

const place = (when: string) => ['when: between(price, 55000, 65000)', `when: ${when}`] as const
const feed = (more = 'within: 0.1%') =>
  [
    ['\nlet:', `  deep: { source: depth, market: btc, ${more} }\n\nlet:`],
    ['needs: [', 'needs: [market_data, '],
  ] as const

const checked = (changes: readonly (readonly [string, string])[], tests = '') =>
  checkedGrid(folder, changes, tests)

test('check warns of a feed of depth that is read: a backtest has no order book', async () => {
  expect(await checked([...feed()])).toEqual({ problems: [], warnings: [] })
  expect(await checked([...feed(), place('imbalance(deep) > 0.2 && micro_price(deep) > 1')])).toEqual({
    problems: [],
    warnings: [
      'the values of deep are unknown in a backtest without --depth FILE, and rules that need them do not act: ' +
        'market files have no order book; ' +
        'pass such a file to the backtest, or judge the rules that need it on paper or live',
    ],
  })
})

test.each([
  ['within: 0%', 'must be above zero'],
  ['within: 100%', 'must be below 100%; write it like 0.1%'],
  ['within: 0.001', 'must be a percentage; write it like 1.5%'],
  ['levels: 0', 'must be a whole number from 1; write it like 5'],
  ['levels: 101', 'must be at most 100; write 100 or less'],
  [
    'within: 0.1%, stale_after: 1999ms',
    'must be at least 2s: the bot reads order books every 1s; write it like 5s',
  ],
])('%s is refused', async (more, problem) => {
  expect((await checked([...feed(more)])).problems).toEqual([expect.stringContaining(problem)])
})

test('a feed of depth names its market and has the distance', async () => {
  const { problems } = await checked([
    ...feed('within: 0.1%'),
    ['market: btc, within', 'market: eth, within'],
  ])
  expect(problems).toEqual([expect.stringContaining('"eth" does not exist')])
  for (const more of ['stale_after: 5s', 'within: 0.1%, levels: 5'])
    expect((await checked([...feed(more)])).problems).toEqual([
      expect.stringContaining('needs either within or levels; write within: 0.1% or levels: 5'),
    ])
})

test('a call needs a feed of depth, and the fix defines one', async () => {
  expect((await checked([place('imbalance(px) > 0')])).problems).toEqual([
    'imbalance() reads a feed of depth, and "px" is a feed of candles; ' +
      'add to feeds: deep: { source: depth, market: btc, within: 0.1% }',
  ])
})

/** A test of the rule `place`. */
const given = (values: string, truth: string) =>
  `  - { name: a, given: { ${values} }, expect: { rules: { place: ${truth} } } }\n`

const depth = (values: string) => `depth: { deep: { ${values} } }`

test('tests give volumes and the micro-price, and what they omit is unknown', async () => {
  const heavy = [...feed(), place('imbalance(deep) == 0.5')]
  const tests = [
    given(depth('bid_volume: 12, ask_volume: 4'), 'true'),
    given(depth('bid_volume: 4, ask_volume: 12'), 'false'),
    given(depth('bid_volume: 12'), 'unknown'),
    given(depth('bid_volume: 0, ask_volume: 0'), 'unknown'),
    given('', 'unknown'),
  ]
  expect((await checked(heavy, tests.join(''))).problems).toEqual([])
  const micro = [...feed(), place('micro_price(deep) > 5 && bid_volume(deep) < ask_volume(deep)')]
  const small = given(depth('bid_volume: 1, ask_volume: 2, micro_price: 6'), 'true')
  expect((await checked(micro, small)).problems).toEqual([])
})

test('values of a feed of depth belong to depth, not to feeds', async () => {
  const change = [...feed(), place('imbalance(deep) > 0')]
  expect((await checked(change, given('feeds: { deep: 60000 }', 'true'))).problems).toEqual([
    '"deep" is a feed of depth; write it in depth: depth: { deep: { bid_volume: 12, ask_volume: 8 } }',
  ])
  expect((await checked(change, given('depth: { px: { bid_volume: 1 } }', 'true'))).problems).toEqual([
    '"px" does not exist; use one of deep',
  ])
})

test('a number of levels reads the order book like a distance', async () => {
  const change = [...feed('levels: 5'), place('imbalance(deep) == 0.5')]
  const tests = given(depth('bid_volume: 12, ask_volume: 4'), 'true')
  expect((await checked(change, tests)).problems).toEqual([])
})
