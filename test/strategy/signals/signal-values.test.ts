import { describe, expect, test } from 'vitest'
import { signalFault } from '#src/strategy/signals/signal-values.ts'
import { signalOfLine } from '#src/strategy/signals/signal-line.ts'
import { strategyFiles, strategyIn, told } from '#test/strategy/strategy-files.ts'

const text = strategyFiles.find(({ name }) => name.includes('signal'))?.text ?? ''
const feed = 'states: [long, flat]\n    stale_after: 4h'
const number = text
  .replace(feed, 'stale_after: 4h')
  .replace(/ {4}alert:.*\n/, '')
  .replaceAll('signal_is(trend, "long")', 'signal_value(trend) > 0.5')
  .replaceAll('signal_is(trend, "flat")', 'signal_value(trend) < 0')
  .replace('trend: long', 'trend: 0.75')
  .replace('trend: flat', 'trend: -0.25')

/** The text with one part replaced. */
function withPart(from: string, to: string, of = text): string {
  if (!of.includes(from)) throw new Error(`the file does not say ${from}`)
  return of.replace(from, () => to)
}

test('a signal is a word from its list, or a number', () => {
  expect(told(text)).toEqual([])
  expect(told(number)).toEqual([])
  expect(strategyIn(number).strategy.signals).toEqual({
    trend: { source: 'signal', stale_after: 14_400_000 },
  })
})

describe('mistakes in a file', () => {
  test.each<[string, string, string, string]>([
    ['a word that is no state', 'trend, "long"', 'trend, "lang"', '"lang" is no state of trend'],
    ['a state that is computed', 'trend, "long"', 'trend, trend', 'signal_is does not take these arguments'],
    [
      'a number of a signal with states',
      'signal_is(trend, "long")',
      'signal_value(trend) > 1',
      'signal_value() reads a signal with a number, and "trend" is a signal with states',
    ],
    [
      'a feed that is no signal',
      'signal_is(trend, "long")',
      'signal_is(px, "long")',
      'signal_is() reads a signal with states, and "px" is a feed of candles',
    ],
    ['no stale_after', '    stale_after: 4h\n', '', 'the key "stale_after" is missing in feeds.trend'],
    ['a state twice', '[long, flat]', '[long, flat, long]', 'the state "long" is listed twice'],
    ['no state', '[long, flat]', '[]', 'must have at least one state'],
    ['a state of an alert', 'sell: flat', 'sell: short', '"short" is no state of the signal'],
    [
      'fields of a text',
      ', field: action',
      '',
      'where reads fields, and without field the whole text of the alert is the value',
    ],
    ['a value of a test', 'trend: long', 'trend: high', '"high" is no value of the signal "trend"'],
    ['a signal of a test', 'signals: { trend: long', 'signals: { trent: long', '"trent" does not exist'],
    ['a name that is taken', 'px: {', 'trend: {', 'the key "trend" occurs twice in this mapping'],
  ])('%s', (_, from, to, message) => {
    expect(told(withPart(from, to)).map((line) => line.replace(/^\S+ /, ''))).toContainEqual(
      expect.stringContaining(message),
    )
  })

  test('words for the values of a number', () => {
    const wrong = withPart(
      '    stale_after: 4h\n',
      '    stale_after: 4h\n    alert: { field: a, values: { buy: one } }\n',
      number,
    )
    expect(told(wrong)).toEqual([expect.stringContaining('a signal without states has no words for values')])
  })
})

describe('a delivery', () => {
  const { strategy } = strategyIn(text)
  const numbers = strategyIn(withPart('name: sigent', 'name: score', number)).strategy

  test.each<[string, string, string | undefined]>([
    ['trend', 'long', undefined],
    ['trend', 'LONG', '"LONG" is no value of the signal trend of sigent; use one of long, flat'],
    ['trent', 'long', 'no running strategy has a signal "trent"; use one of trend, did you mean "trend"?'],
    ['constructor', 'long', 'no running strategy has a signal "constructor"; use one of trend'],
  ])('%s %s', (name, value, expected) => {
    const fault = signalFault([strategy], { name, value })
    expect(fault && `${fault.what}; ${fault.fix}`).toBe(expected)
  })

  test.each(['0', '-2', '0.75', '123456789012345678.123456789012345678'])('the number %s', (value) => {
    expect(signalFault([numbers], { name: 'trend', value })).toBeUndefined()
  })

  test.each(['', '1e5', '+1', '.5', '01', 'NaN', '1 000', 'long'])('the text %j is no number', (value) => {
    expect(signalFault([numbers], { name: 'trend', value })).toBeDefined()
  })

  test('must fit every strategy with a signal of this name', () => {
    expect(signalFault([strategy, numbers], { name: 'trend', value: 'long' })?.what).toContain('of score')
  })
})

test.each([
  ['trend long', { name: 'trend', value: 'long' }],
  ['  trend\t-0.5 ', { name: 'trend', value: '-0.5' }],
  ['2026-01-31T14:30:00Z, trend, long', { time: '2026-01-31T14:30:00Z', name: 'trend', value: 'long' }],
  ['time,name,value', null],
  ['# a comment', null],
  ['', null],
  ['trend', undefined],
  ['trend long now', undefined],
  ['1,trend', undefined],
  ['1,trend,long,', undefined],
  [',trend,long', undefined],
])('the line %j', (line, expected) => {
  expect(signalOfLine(line)).toEqual(expected)
})
