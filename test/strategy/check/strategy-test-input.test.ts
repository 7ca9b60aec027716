import { expect, test } from 'vitest'
import { strategyTestInput } from '#src/strategy/check/strategy-test-input.ts'
import { readStrategy } from '#src/strategy/file/read-strategy.ts'
import { fileOf } from '#test/engine/support/engine-harness.ts'

/** The mean of twenty candles on the way from 100 to 200, if a rule reads this band, too. */
function meanBeside(band: string): string | undefined {
  const text = fileOf('static-grid')
    .replace('let:', 'let:\n  mean: sma(px, 20)')
    .replace('rules:', `rules:\n  - { id: band, when: "${band} < 1", do: [alert: it] }`)
    .replace(/^tests:[^]*/m, '')
  const tests =
    'tests: [{ name: a way, given: { feeds: { px: { from: 100, to: 200 } } }, expect: { rules: { band: "false" } } }]'
  const read = readStrategy(new TextEncoder().encode(`${text}\n${tests}\n`))
  if (Array.isArray(read)) throw new Error(JSON.stringify(read))
  const given = read.strategy.tests[0]?.given
  return given && strategyTestInput(read.strategy, read.programs, given).lets[0]?.text
}

test('the factor of a band does not change how many candles a way of prices has', () => {
  expect(meanBeside('bb_upper(px, 20, 2.5)')).toMatch(/^1\d\d\./)
  expect(meanBeside('bb_upper(px, 20, 90.5)')).toBe(meanBeside('bb_upper(px, 20, 2.5)'))
})
