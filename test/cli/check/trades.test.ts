import { afterAll, expect, test } from 'vitest'
import { checkedGrid } from '#test/cli/support/check-report.ts'
import { temporaryFolder } from '#test/cli/support/process.ts'

const folder = temporaryFolder()
afterAll(() => folder[Symbol.dispose]())

const place = (when: string) => ['when: between(price, 55000, 65000)', `when: '${when}'`] as const
const feed = (more = '') =>
  [
    ['\nlet:', `  flow: { source: trades, market: btc${more} }\n\nlet:`],
    ['needs: [', 'needs: [market_data, '],
  ] as const

const checked = (changes: readonly (readonly [string, string])[], tests = '') =>
  checkedGrid(folder, changes, tests)

test('check warns of a feed of trades that is read: bars have no trades', async () => {
  expect(await checked([...feed()])).toEqual({ problems: [], warnings: [] })
  expect(await checked([...feed(), place('buy_volume(flow, "5m") > sell_volume(flow, "5m")')])).toEqual({
    problems: [],
    warnings: [
      'the values of flow are unknown in a backtest over bars: only a file of trades has them, and volumes by side need ' +
        'the side of each trade; use a market file of trades with their sides, or judge the rules that need it on paper or live',
    ],
  })
})

test.each([
  [
    'buy_volume(flow, "5") > 0',
    'this is not a span of trades: whole seconds, at most 4h; write a span such as "30s"',
  ],
  ['buy_volume(flow, "500ms") > 0', 'this is not a span of trades'],
  ['buy_volume(flow, "5h") > 0', 'this is not a span of trades'],
  ['trade_count(flow, 300) > 0', 'this is not a span of trades'],
  ['volume_between(flow, 1, 2, price) > 0', 'this is not a span of trades'],
  [
    'volume_between(flow, 60000, 59000, "5m") > 0',
    '60000 is above 59000: no price is between them; write the lower bound first',
  ],
  ['volume_between(flow, "5m") > 0', 'volume_between does not take these arguments; call it as'],
  ['buy_volume(flow) > 0', 'buy_volume does not take these arguments; call it as'],
  [
    'buy_volume(px, "5m") > 0',
    'buy_volume() reads a feed of trades, and "px" is a feed of candles; ' +
      'use flow, or add to feeds: flow2: { source: trades, market: btc }',
  ],
])('%s is refused', async (when, problem) => {
  expect((await checked([...feed(), place(when)])).problems).toEqual([expect.stringContaining(problem)])
})

test('the whole of 4h is a span, and a function of the file can contain one', async () => {
  const pressure = 'pressure(x): buy_volume(flow, "1m") - x * sell_volume(flow, "4h")'
  const functions = ['\nlet:', `\nfunctions:\n  ${pressure}\n\nlet:`] as const
  expect((await checked([...feed(), functions, place('pressure(2) > 0')])).problems).toEqual([])
})

test('a feed of trades polls once a second, so a shorter age is refused', async () => {
  expect((await checked([...feed(', stale_after: 1999ms')])).problems).toEqual([
    expect.stringContaining('must be at least 2s: the bot reads trades every 1s; write it like 5s'),
  ])
})

/** A test of the rule `place`. */
const given = (values: string, truth: string) =>
  `  - { name: a, given: { ${values} }, expect: { rules: { place: ${truth} } } }\n`
const trades = (values: string) => `trades: { flow: { ${values} } }`

test('tests give volumes by side, a number of trades and volumes by price; what they omit is unknown', async () => {
  const more = [
    ...feed(),
    place('buy_volume(flow, "5m") > 2 * sell_volume(flow, "1h") && trade_count(flow, "1s") == 3'),
  ]
  const tests = [
    given(trades('buy_volume: 9, sell_volume: 4, trade_count: 3'), 'true'),
    given(trades('buy_volume: 8, sell_volume: 4, trade_count: 3'), 'false'),
    given(trades('buy_volume: 9, trade_count: 3'), 'unknown'),
    given('', 'unknown'),
  ]
  expect((await checked(more, tests.join(''))).problems).toEqual([])
  const between = [...feed(), place('volume_between(flow, 59000, 60000, "1h") == 0.3')]
  const priced = [
    given(trades('volume_at: { 58999: 5, 59000: 0.1, 60000: 0.2, 60000.1: 7 }'), 'true'),
    given(trades('volume_at: {}'), 'false'),
    given(trades('buy_volume: 1'), 'unknown'),
  ]
  expect((await checked(between, priced.join(''))).problems).toEqual([])
})

test('values of a feed of trades belong to trades', async () => {
  const change = [...feed(), place('trade_count(flow, "5m") > 0')]
  expect((await checked(change, given('feeds: { flow: 60000 }', 'true'))).problems).toEqual([
    '"flow" is a feed of trades; write it in trades: trades: { flow: { buy_volume: 12, sell_volume: 8 } }',
  ])
})
