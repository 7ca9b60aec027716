import { describe, expect, test } from 'vitest'
import { isSlowRun } from '#test/properties/runs.ts'
import { backtests, outcomeOf } from './backtests.ts'
import { changes, faultOf } from './declared.ts'
import { recordedOutcomes } from './recorded.ts'

/** They take some seconds each. */
const long = new Set([
  'grid-touch',
  'volatility-grid',
  'together',
  'hedged',
  'stop-fall',
  'trailing',
  'limit-notional',
  'limit-order-rate',
  'limit-band',
  'limit-position',
  'limit-worst-case',
  'limit-daily-loss',
  'limit-per-week',
  'reads-itself',
  'three-markets',
  'market-making-slow',
  'take-profit-touch',
  'schedules-gaps',
  'gaps-stops',
  'no-money',
  'all-exits-thin',
  'mirrors',
  'reads-the-book',
  'at-price',
  'grid-through',
  'take-profit-resting',
  'nearest',
  'mirrors-and-stop',
  'schedules',
  'all-exits',
])
const names = Object.keys(backtests).filter((name) => isSlowRun || !long.has(name))
const recorded = recordedOutcomes()
const declared = changes().backtests

describe('a backtest comes to what it came to in 0.3.2, or to what is declared', () => {
  test.each(names)('%s', async (name) => {
    expect(faultOf(declared[name], recorded.get(name), await outcomeOf(name))).toBeUndefined()
  })
})

test('each backtest is recorded, and nothing else is declared', () => {
  expect([...recorded.keys()]).toEqual(Object.keys(backtests))
  expect(Object.keys(declared).filter((name) => !recorded.has(name))).toEqual([])
})

test('an undeclared difference is reported, and so is a declaration that does not hold', () => {
  const [before, after] = [{ fills: ['buy 1', 'sell 1'] }, { fills: ['buy 1', 'sell 2'] }]
  const declaredNow = { reason: 'a rule', print: '', now: '' }
  expect(faultOf(undefined, before, before)).toBeUndefined()
  expect(faultOf(undefined, before, after)).toMatch(/no reason is declared.*\n- "sell 1"\n\+ "sell 2"$/)
  expect(faultOf(declaredNow, before, after)).toMatch(/differs from what is declared/)
  expect(faultOf(declaredNow, before, before)).toMatch(/what was recorded again/)
})
