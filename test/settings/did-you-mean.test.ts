import { expect, test } from 'vitest'
import { closest, suggestion } from '#src/settings/did-you-mean.ts'

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

test('a name that is like none of them is taken for none', () => {
  expect(closest('withdraw', names)).toBeUndefined()
  expect(suggestion('withdraw', names)).toBe('')
  expect(suggestion('pings', names)).toBe(', did you mean "ping"?')
})
