import { expect, test } from 'vitest'
import { closest, suggestion } from '#src/core/yaml/suggestion.ts'

const names = ['main-balance', 'trading-balance', 'ping', 'create-code']

test.each([
  ['main-balanse', 'main-balance'],
  ['mainBalance', 'main-balance'],
  ['MAIN_BALANCE', 'main-balance'],
  ['pnig', 'ping'],
  ['tradingbalace', 'trading-balance'],
  ['craete-code', 'create-code'],
])('%s is corrected to %s', (written, meant) => {
  expect(closest(written, names)).toBe(meant)
})

test('the start of a name is completed if only one name continues it', () => {
  expect(closest('skip', ['skip_level', 'halt_ladder'])).toBe('skip_level')
  expect(closest('trad', names)).toBe('trading-balance')
  expect(closest('s', ['skip_level', 'halt_ladder'])).toBeUndefined()
  expect(closest('skip', ['skip_level', 'skip_ladder'])).toBeUndefined()
})

test('of two names at the same distance, the one of the same length is meant', () => {
  expect(closest('10m', ['1m', '15m', '1h'])).toBe('15m')
})

test('a text unlike every name gets no suggestion', () => {
  expect(closest('withdraw', names)).toBeUndefined()
  expect(suggestion('withdraw', names)).toBe('')
  expect(suggestion('pings', names)).toBe(', did you mean "ping"?')
})
