import { expect, test } from 'vitest'
import { problemsIn, strategyIn, told } from './strategy-files.ts'

/** A whole strategy in fifteen lines. */
const shortText = `version: 1
name: rsi_dip
markets: { btc: BTC_PERP }
feeds: { h1: { source: candles, market: btc, interval: 1h } }
ladder:
  dip:
    market: btc
    side: buy
    anchor: last(h1) at episode_start
    levels: 5
    spacing: { kind: geometric, first: 0.5%, step: 1% }
    size: { total: 500 quote }
    exit: { tp: { pct: 2% } }
rules: [{ id: oversold, when: "rsi(h1, 14) < 30", do: [ensure: dip] }]
risk: { max_notional: { total: 500 }, worst_case: { move: -30%, max_loss: 150 }, drawdown: { pause: 10%, halt: 20% } }
`

test('a file may omit what follows from its other parts, and what is the same in most strategies', () => {
  const { strategy } = strategyIn(shortText)
  expect(strategy.needs).toEqual(['bulk', 'history', 'balance'])
  expect(strategy.markets).toEqual({ btc: { symbol: 'BTC_PERP', positionSide: 'long' } })
  expect(strategy.risk.max_open_orders).toBe(20)
  expect(strategy.risk.in_doubt).toEqual({ block: 'level', halt_after: 60_000 })
  expect(strategy.submit).toEqual({
    chunk: 20,
    order: 'nearest_first',
    stopOnFail: false,
    on_reject: 'skip_level',
    on_cross: 'slide',
    throttled: { max: 5, backoff: { fromMs: 250, toMs: 8000 } },
    rate: { requests: 8, per: 1000 },
  })
})

test('without needs, a strategy needs the capabilities that it uses', () => {
  const { strategy } = strategyIn(
    shortText.replace(
      'do: [ensure: dip] }',
      'do: [ensure: dip] }, { id: no, when: "true", do: [retire: dip] }',
    ),
  )
  expect(strategy.needs).toEqual(['bulk', 'history', 'balance', 'cancel'])
})

test('a part of a section with defaults leaves the other keys at their defaults', () => {
  const { strategy } = strategyIn(`${shortText}submit: { rate: { requests: 3 } }\n`)
  expect(strategy.submit).toMatchObject({ chunk: 20, rate: { requests: 3, per: 1000 } })
})

test('a missing key is reported with an example that the file can contain', () => {
  const without = (line: string) => problemsIn(shortText.replace(line, ''))
  expect(without('levels: 5')).toMatchObject([
    { message: 'the key "levels" is missing in ladder.dip', hint: 'add it, such as levels: 12' },
  ])
  expect(without('first: 0.5%, ')).toMatchObject([{ hint: 'add it, such as first: 0.5%' }])
  expect(without('max_notional: { total: 500 }, ')).toMatchObject([
    { hint: 'add it, such as max_notional: { total: 1000 }' },
  ])
  // The keys of a spacing depend on its kind.
  expect(problemsIn(shortText.replace('geometric, first: 0.5%, step: 1%', 'volatility'))).toMatchObject([
    { hint: 'add it, such as unit: last(px)' },
    { hint: 'add it, such as first: 0.5' },
    { hint: 'add it, such as step: 0.5' },
  ])
})

test.each([
  ['name: rsi_dip', 'name: my_grid'],
  ['side: buy', 'side: buy'],
  ['size: { total: 500 quote }', 'size: { total: 1000 quote }'],
  ['worst_case: { move: -30%, max_loss: 150 }, ', 'worst_case: { move: -30%, max_loss: 100 }'],
  ['drawdown: { pause: 10%, halt: 20% }', 'drawdown: { pause: 5%, halt: 10% }'],
])('with the example in place of %s the file is valid', (part, example) => {
  const [problem, ...more] = problemsIn(shortText.replace(part, ''))
  expect(more).toEqual([])
  expect(problem?.hint).toBe(`add it, such as ${example.trim()}`)
  const comma = part.endsWith(', ') ? ', ' : ''
  expect(told(shortText.replace(part, `${example}${comma}`))).toEqual([])
})

test('beside missing, misspelled and wrong values, all references are checked in the same round', () => {
  const text = shortText
    .replace('market: btc, interval', 'market: btcc, interval')
    .replace('levels: 5', 'levls: 5')
    .replace('2%', '2')
    .replace('id: oversold, ', '')
    .replace('ensure: dip', 'ensure: dop')
    .replace('{ total: 500 }', '{ btd: 500 }')
  expect(problemsIn(text).map(({ line, message }) => [line, message])).toEqual([
    [4, '"btcc" does not exist'],
    [10, 'unknown key "levls"'],
    [13, 'ladder.dip.exit.tp.pct: must be a percentage'],
    [14, 'the key "id" is missing in rules.0'],
    [14, '"dop" does not exist'],
    [15, '"btd" does not exist'],
  ])
})

test('if a whole section is missing, the references to it are not reported', () => {
  const text = shortText.replace(/^ladder:[^]*(?=^rules)/m, '')
  expect(problemsIn(text).map(({ message }) => message)).toEqual(['the key "ladder" is missing'])
})
