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
])('%s is taken for %s', (written, meant) => {
  expect(closest(written, names)).toBe(meant)
})

test('a begin is taken for the only name that goes on from it', () => {
  expect(closest('skip', ['skip_level', 'halt_ladder'])).toBe('skip_level')
  expect(closest('trad', names)).toBe('trading-balance')
  expect(closest('s', ['skip_level', 'halt_ladder'])).toBeUndefined()
  expect(closest('skip', ['skip_level', 'skip_ladder'])).toBeUndefined()
})

test('a name that is like none of them is taken for none', () => {
  expect(closest('withdraw', names)).toBeUndefined()
  expect(suggestion('withdraw', names)).toBe('')
  expect(suggestion('pings', names)).toBe(', did you mean "ping"?')
})
