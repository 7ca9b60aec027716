import { describe, expect, test } from 'vitest'
import { bodyOf, deliveryOf } from '#src/strategy/signals/chart-alert.ts'
import { strategyFiles, strategyIn } from '#test/strategy/strategy-files.ts'

const text = strategyFiles.find(({ name }) => name.includes('signal'))?.text ?? ''
const alertLine = '    alert: { where: { ticker: BTCUSD }, field: action, values: { buy: long, sell: flat } }'

function withAlert(alert: string, name = 'sigent') {
  if (!text.includes(alertLine)) throw new Error('the file has another alert')
  return strategyIn(text.replace(alertLine, `    alert: ${alert}`).replace('name: sigent', `name: ${name}`))
    .strategy
}

const { strategy } = strategyIn(text)
const delivered = (body: unknown, strategies = [strategy]) =>
  deliveryOf(strategies, bodyOf(typeof body === 'string' ? body : JSON.stringify(body)))

describe('bodies that set a signal', () => {
  test.each<[string, unknown, string, string]>([
    ['a name and a value', { name: 'trend', value: 'long' }, 'trend', 'long'],
    ['a number', { name: 'score', value: -0.5 }, 'score', '-0.5'],
    ['a small number, without an exponent', { name: 'score', value: 0.00000012 }, 'score', '0.00000012'],
    ['a boolean', { name: 'news', value: true }, 'news', 'true'],
    ['a line', 'trend long', 'trend', 'long'],
    ['a line for one strategy', ' sigent.trend flat\n', 'sigent.trend', 'flat'],
    [
      'an alert with the mapped field',
      { ticker: 'BTCUSD', action: 'sell', price: 60_000.5 },
      'sigent.trend',
      'flat',
    ],
  ])('%s', (_, body, name, value) => {
    expect(delivered(body)).toEqual({ signals: [{ name, value }], faults: [] })
  })

  test('an alert whose field is inside of an object, without values', () => {
    const nested = withAlert('{ field: strategy.position }')
    expect(delivered({ strategy: { position: 'flat' } }, [nested]).signals).toEqual([
      { name: 'sigent.trend', value: 'flat' },
    ])
  })

  test('a text that the file maps to a state', () => {
    const words = withAlert('{ values: { "Bitcoin, go long!": long } }')
    expect(delivered(' Bitcoin, go long! ', [words]).signals).toEqual([
      { name: 'sigent.trend', value: 'long' },
    ])
    expect(delivered('trend flat', [words]).signals).toEqual([{ name: 'trend', value: 'flat' }])
  })

  test('an alert sets the signal of the strategy whose file maps it, and not that of another one', () => {
    const ether = withAlert('{ where: { ticker: ETHUSD }, field: action, values: { buy: long } }', 'ether')
    expect(delivered({ ticker: 'ETHUSD', action: 'buy' }, [strategy, ether]).signals).toEqual([
      { name: 'ether.trend', value: 'long' },
    ])
  })
})

describe('bodies that set none', () => {
  test.each<[string, unknown, string]>([
    [
      'another ticker',
      { ticker: 'ETHUSD', action: 'buy' },
      'no signal of a running strategy takes the fields ticker, action',
    ],
    [
      'a field that is missing',
      { ticker: 'BTCUSD' },
      'no signal of a running strategy takes the fields ticker',
    ],
    [
      'a word that values does not list',
      { ticker: 'BTCUSD', action: 'hold' },
      'the field action of the alert is "hold", and alert.values of sigent.trend does not list it',
    ],
    [
      'a word of every object',
      { ticker: 'BTCUSD', action: 'constructor' },
      'the field action of the alert is "constructor"',
    ],
    [
      'an object as a value',
      { name: 'trend', value: { long: 1 } },
      'no signal of a running strategy takes the fields name, value',
    ],
    ['a list', [1, 2], 'no signal of a running strategy takes the text "[1,2]"'],
    ['half a JSON', '{"name":"trend","val', 'no signal of a running strategy takes the text'],
    [
      'a sentence',
      'please go long now',
      'no signal of a running strategy takes the text "please go long now"',
    ],
    ['nothing', '', 'no signal of a running strategy takes the text ""'],
  ])('%s', (_, body, what) => {
    const { signals, faults } = delivered(body)
    expect(signals).toEqual([])
    expect(faults.map((fault) => fault.what)).toEqual([expect.stringContaining(what)])
    expect(faults[0]?.fix).toBeTruthy()
  })
})
