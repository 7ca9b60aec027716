import { expect, test } from 'vitest'
import { EngineHarness, hour } from '#test/engine/support/engine-harness.ts'
import { gridWith } from '#test/strategy/strategy-files.ts'

const share = gridWith(['max_notional: { total: 2200 }', 'max_notional: { total: 25% equity }'])

function told(harness: EngineHarness, equity: string | null) {
  harness.account({}, {}, equity)
  harness.wait(1000)
  return harness.engine.state.strategies['sgrid']!.worth.equity
}

test('the highest equity at a start of a day counts until an operator resumes the strategy', () => {
  const harness = new EngineHarness([share])
  expect(told(harness, null)).toEqual({ day: null, peak: null })
  expect(told(harness, '10000')).toEqual({ day: '10000', peak: '10000' })
  // Neither a profit nor a loss of the day.
  expect(told(harness, '12000')).toEqual({ day: '10000', peak: '10000' })
  expect(told(harness, '8000')).toEqual({ day: '10000', peak: '10000' })
  harness.at += 12 * hour
  expect(told(harness, '8000')).toEqual({ day: '8000', peak: '10000' })
  harness.at += 24 * hour
  expect(told(harness, '11000')).toEqual({ day: '11000', peak: '11000' })
  told(harness, '7000')
  harness.tell({ kind: 'operator', act: 'resume', strategy: 'sgrid', reason: 'seen' })
  expect(told(harness, '7000')).toEqual({ day: '11000', peak: '7000' })
})

test('a file without shares keeps no equity', () => {
  expect(told(new EngineHarness([gridWith()]), '10000')).toBeUndefined()
})
