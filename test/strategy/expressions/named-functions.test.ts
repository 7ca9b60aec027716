import { expect, test } from 'vitest'
import { answer } from '#src/strategy/expressions/expression.ts'
import { addCandle } from '#src/market/indicators/indicator-values.ts'
import { beginFeed, inputsOf, viewsOf } from '#src/strategy/expressions/context-values.ts'
import { gridWith, strategyIn, told } from '#test/strategy/strategy-files.ts'

const lines = (of: readonly string[]) => of.map((line) => `  ${line}\n`).join('')

function fileWith(functions: readonly string[], lets: readonly string[] = []): string {
  return gridWith(
    ['let:\n', `functions:\n${lines(functions)}\nlet:\n`],
    ['  price: last(px)\n', lines(['price: last(px)', ...lets])],
  )
}

const zscore = 'zscore(x, n): (x - sma(x, n)) / stddev(x, n)'

/** The values of `let` after these closes. */
function valuesAt(closes: readonly number[], functions: readonly string[], lets: readonly string[]) {
  const { strategy, programs } = strategyIn(fileWith(functions, lets))
  const inputs = inputsOf(strategy)
  const { feed } = inputs.candles['px']!
  feed.readings = beginFeed(programs, 'px')
  for (const close of closes) {
    feed.opened += 60_000
    addCandle(feed.readings, { open: close, high: close, low: close, close, volume: 1 })
  }
  const views = viewsOf(programs, inputs)
  return programs.lets.slice(1).map(({ program }) => {
    const found = answer(program, views.now)
    return 'value' in found ? found.value : found.unknown
  })
}

test('a call has the value of the text of the function with the arguments in it', () => {
  const functions = [
    zscore,
    'middle(a, b): (a + b) / 2',
    'half(x): middle(x, 0)',
    'is_high(x): zscore(x, 3) > 1',
  ]
  const lets = [
    'z: zscore(last(px), 3)',
    'written: (last(px) - sma(last(px), 3)) / stddev(last(px), 3)',
    'of_feed: zscore(price * 2 + 1, 2 + 1)',
    'halves: half(price - 1) * 2',
    'high: is_high(price)',
  ]
  expect(told(fileWith(functions, lets))).toEqual([
    expect.stringContaining('this must be a whole number of candles'),
  ])
  const right = lets.filter((each) => !each.startsWith('of_feed'))
  const [z, written, halves, high] = valuesAt([10, 12, 17], functions, right)
  expect(z).toBe(written)
  expect([z, halves, high]).toEqual([(17 - 13) / Math.sqrt(26 / 3), 16, true])
})

test('a function can be given a feed', () => {
  const functions = ['upper(feed, n, by): ema(feed, n) + by * atr(feed, n)']
  expect(
    valuesAt([10, 12, 12, 12, 12], functions, ['k: upper(px, 2, 1.5) - ema(px, 2)', 'a: atr(px, 2) * 1.5']),
  ).toEqual([0.375, 0.375].map((value) => expect.closeTo(value, 12)))
})

test('the calls of a function with a mistake are not reported as well', () => {
  for (const wrong of ['f: 1', 'f(x): x +', 'f(2): 1'])
    expect(told(fileWith([wrong], ['z: f(price) + f(1, 2)']))).toHaveLength(1)
})

test.each([
  [['sma(x): x'], [], 'the name "sma" is already used: it is a function'],
  [[zscore, 'zscore(y): y'], [], 'the name "zscore" is already used: it is a function'],
  [['f(px): px + 1'], [], 'the parameter "px" is the name of another part of the file'],
  [['f(x): x + y'], [], 'unknown name "y"'],
  [['f(x): g(x)', 'g(x): x'], [], 'unknown function g()'],
  [['f(x): f(x)'], [], 'unknown function f()'],
  [['f x: x'], [], 'must be a name and its parameters'],
  [['f(x): x +'], [], 'the expression is incomplete'],
  [['f(x): time_between(clock, "25:00", "12:00")'], [], '"25:00" is not a time of day'],
  [[zscore], ['z: zscore(price)'], 'zscore() takes 2 values, and here are 1'],
  [[zscore], ['z: zscore(pric, 3)'], 'unknown name "pric"'],
  [[zscore], ['z: zscor(price, 3)'], 'unknown function zscor()'],
  [[zscore], ['z: zscore(price, 0.5)'], 'with zscore() written out: this must be a whole number of candles'],
  [[zscore], ['z: zscore(position(btc), 3)'], '"btc" has only a current value'],
  [['f(x): x && true'], ['z: 1 + f(price)'], 'with f() written out: && takes only true or false'],
  [
    ['a(x): x+x+x+x+x+x+x+x+x+x'],
    ['z: a(a(a(a(a(a(price))))))'],
    'with its functions written out it is too long',
  ],
] as const)('%j with %j is refused', (functions, lets, message) => {
  expect(told(fileWith(functions, lets)).join('\n')).toContain(message)
})
