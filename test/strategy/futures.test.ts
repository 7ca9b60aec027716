import { expect, test } from 'vitest'
import { readStrategyText } from '#src/strategy/file/read-strategy.ts'
import { strategyTestInput } from '#src/strategy/check/strategy-test-input.ts'
import { backtestWarnings } from '#src/strategy/check/backtest-warnings.ts'
import { strategyIn } from './strategy-files.ts'
import { futuresStrategy } from './futures-strategy.ts'

function messagesOf(text: string): string[] {
  const read = readStrategyText(text)
  return Array.isArray(read) ? read.map(({ message, hint }) => `${message}: ${hint}`) : []
}

test('a feed of futures needs the prices of the venue, and a name like other feeds', () => {
  const { strategy } = strategyIn(futuresStrategy({}))
  expect(strategy.needs).toContain('market_data')
  expect(strategy.futures).toEqual({ fut: { source: 'futures', market: 'btc' } })
  expect(Object.keys(strategy.feeds)).toEqual(['px'])
  expect(
    messagesOf(futuresStrategy({}).replaceAll('fut:', 'btc:').replaceAll('(fut)', '(btc)')),
  ).toContainEqual(expect.stringContaining('the name "btc" is already used: it is in markets'))
})

test.each([
  ['funding(px) > 0', 'funding() reads a feed of futures, and "px" is a feed of candles: use fut'],
  ['last(fut) > 0', 'last() reads a feed of candles, and "fut" is a feed of futures: use px'],
  ['mark() > 0', 'mark() reads a feed of futures: use fut'],
  ['sma(mark(fut), 3) > 0', '"fut" has only a current value and no value at the previous close'],
  ['prev(funding(fut), 1) > 0', '"fut" has only a current value and no value at the previous close'],
])('the condition %s is refused with a fix', (cheap, message) => {
  expect(messagesOf(futuresStrategy({ cheap }))).toContainEqual(expect.stringContaining(message))
})

test('stale_after is at least two intervals of the list, and depth belongs to a book', () => {
  expect(messagesOf(futuresStrategy({ feed: ', stale_after: 19s' }))).toEqual([
    'feeds.fut.stale_after: must be at least 20s: the bot reads futures every 10s: write it like 30s',
  ])
  expect(messagesOf(futuresStrategy({ feed: ', stale_after: 20s' }))).toEqual([])
  expect(messagesOf(futuresStrategy({ feed: ', depth: 5' }))).toHaveLength(1)
})

test('a test gives the values of a feed, and those that it does not give are unknown', () => {
  const given = 'futures: { fut: { funding: -0.0001, funding_hours: 2.5, mark: 60100 } }'
  const tests = `tests:\n  - { name: it pays, given: { ${given} }, expect: { rules: { cheap: 'true', soon: 'false' } } }\n`
  const text = futuresStrategy({ tests })
  const { strategy, programs } = strategyIn(text)
  const { views } = strategyTestInput(strategy, programs, strategy.tests[0]!.given)
  expect(views.now['fut']).toMatchObject({ funding: -0.0001, fundingHours: 2.5, mark: 60_100 })
  expect(views.now['fut']).toMatchObject({ index: undefined, openInterest: undefined })
  expect(messagesOf(text.replace('futures: { fut:', 'futures: { fu:'))).toContainEqual(
    expect.stringMatching(/^"fu" does not exist: .*fut/),
  )
  expect(messagesOf(text.replace(given, 'feeds: { fut: 60000 }'))).toEqual([
    '"fut" is a feed of futures: write it in futures: futures: { fut: { funding: 0.0001 } }',
  ])
})

function warningsIn(text: string): string[] {
  const { strategy, programs } = strategyIn(text)
  return backtestWarnings(strategy, programs).map(({ message }) => message)
}

test('check warns of a value that no backtest has, also through a let', () => {
  expect(warningsIn(futuresStrategy({}))).toEqual([])
  const text = futuresStrategy({ cheap: 'much > 5' }).replace(
    'ladder:',
    'let: { much: open_interest(fut) * 2 }\nladder:',
  )
  expect(warningsIn(text)).toEqual([
    'open_interest(fut) is unknown in a backtest without --futures FILE: market files have no open interest',
  ])
})
