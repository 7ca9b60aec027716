import { expect, test } from 'vitest'
import { addCandle } from '#src/market/indicators/indicator-values.ts'
import { answer } from '#src/strategy/expressions/expression.ts'
import { beginFeed, inputsOf, viewsOf, type LiveViews } from '#src/strategy/expressions/context-values.ts'
import { chanceOf } from '#test/fuzz/chance.ts'
import { seed, times } from '#test/properties/runs.ts'
import { gridWith, strategyIn, told } from '#test/strategy/strategy-files.ts'

const minuteMs = 60_000

/** The static grid with feeds of two markets, and these lines in `let`. */
function fileWith(lets: readonly string[]): string {
  return gridWith(
    [
      'feeds:\n',
      'feeds:\n' +
        '  m1: { source: candles, market: btc, interval: 1m }\n' +
        '  m5: { source: candles, market: btc, interval: 5m }\n' +
        '  top: { source: book, market: btc }\n',
    ],
    ['  price: last(px)', ['price: last(px)', ...lets].map((line) => `  ${line}`).join('\n')],
  )
}

/** A strategy whose values of `let` can be read after each candle; a new reader knows only the candles. */
function opened(lets: readonly string[]) {
  const { strategy, programs } = strategyIn(fileWith(lets))
  const inputs = inputsOf(strategy)
  for (const [name, { feed }] of Object.entries(inputs.candles)) feed.readings = beginFeed(programs, name)
  return {
    views: viewsOf(programs, inputs),
    newViews: () => viewsOf(programs, inputs),
    close: (name: string, opens: number, close: number) => {
      const { feed } = inputs.candles[name]!
      feed.opened = opens
      addCandle(feed.readings!, { open: close, high: close, low: close, close, volume: 1 })
    },
    values: (views: LiveViews) => {
      views.forget()
      return Object.fromEntries(
        programs.lets.slice(1).map(({ name, program }) => {
          const found = answer(program, views.now)
          return [name, 'value' in found ? found.value : found.unknown]
        }),
      )
    },
  }
}

test('functions read the values that an expression had at the last closes', () => {
  const { views, close, values } = opened([
    'up: last(px) - open(m1) * 0',
    'two_ago: prev(up, 2)',
    'mean: sma(up * 2, 3)',
    'largest: highest(-up, 3)',
    'total: sum(up, 4)',
    'above: count(last(px) > 11, 4)',
    'last_above: since(last(px) > 12.5, 4)',
    'one_ago: prev(sma(up, 2), 1)',
    'as_before: sma(last(px), 3) - sma(px, 3)',
  ])
  for (const [index, price] of [10, 11, 12, 13, 12].entries())
    for (const name of ['px', 'm1']) close(name, index * minuteMs, price)
  expect(values(views)).toEqual({
    up: 12,
    two_ago: 12,
    mean: (2 * (12 + 13 + 12)) / 3,
    largest: -12,
    total: 11 + 12 + 13 + 12,
    above: 3,
    last_above: 1,
    one_ago: 12.5,
    as_before: 0,
  })
})

test('a value is unknown while there are too few, and while one of them was unknown', () => {
  const { views, close, values } = opened([
    'mean: sma(1 / (last(px) - 11), 2)',
    'early: prev(last(px), 3)',
    'never: since(last(px) > 100, 2)',
  ])
  close('px', 0, 10)
  expect(values(views)).toEqual({
    mean: 'sma() of the last 2 values is unknown',
    early: 'prev() of the last 4 values is unknown',
    never: 'since() of the last 2 values is unknown',
  })
  close('px', minuteMs, 11)
  close('px', 2 * minuteMs, 12)
  expect(values(views)['mean']).toBe('sma() of the last 2 values is unknown')
  close('px', 3 * minuteMs, 13)
  expect(values(views)).toMatchObject({ mean: 0.75, early: 10 })
})

test('after each candle a new process computes the same values', () => {
  const chance = chanceOf(seed)
  for (let round = 0; round < times(20, 500, 10); round++) {
    const { views, newViews, close, values } = opened([
      'ratio: last(px) / last(m1)',
      'spread: last(px) - last(m5)',
      'z: (spread - sma(spread, 4)) / stddev(spread, 4)',
      'smooth: ema(ratio, 3)',
      'strength: rsi(ratio * 100, 3)',
      'nested: sma(prev(highest(spread, 3), 2), 3) + sum(ratio, 2)',
      'since_up: since(last(px) > prev(last(px), 1), 5)',
      'ups: count(last(m5) > last(m1), 6)',
    ])
    let price = 100
    const closeUnlessMissing = (name: string, opens: number) => {
      if (!chance.percent(6)) close(name, opens, (price *= 1 + (chance.below(201) - 100) / 1000))
    }
    for (let minute = 0; minute < 60; minute++) {
      // Sometimes the candle of one feed comes before that of another; sometimes one is missing, and sometimes many are.
      if (chance.percent(2)) minute += chance.below(9)
      closeUnlessMissing('px', minute * minuteMs)
      if (chance.percent(30)) values(views)
      closeUnlessMissing('m1', minute * minuteMs)
      if (chance.percent(30)) values(views)
      if (minute % 5 === 4) closeUnlessMissing('m5', (minute - 4) * minuteMs)
      if (chance.percent(80)) expect(values(views)).toEqual(values(newViews()))
    }
  }
})

test.each([
  ['sma(mid(top), 3)', '"top" has only a current value and no value at the previous close'],
  ['sma(3 + 4, 3)', 'this reads no candles: it is the same at every close'],
  ['prev(last(px), price)', `this must be a whole number of candles from 1 to 5000`],
  ['ema(last(px), 900)', 'ema() would read 13500 earlier values, more than 5000'],
  ['count(last(px), 3)', 'count does not take these arguments'],
  ['atr(last(px), 3)', 'atr() reads a feed of candles, not a value'],
])('%s is refused', (text, message) => {
  expect(told(fileWith([`wrong: ${text}`])).join('\n')).toContain(message)
})
