import { expect, test } from 'vitest'
import { forgiveLoss, updateProfitAndLoss } from '#src/engine/holdings/profit-and-loss.ts'
import { decimal } from '#src/core/money/decimal.ts'
import { stateAtWork, strategy } from '#test/engine/support/working-state.ts'

const guarded = {
  ...strategy,
  risk: {
    ...strategy.risk,
    max_notional: { long: decimal('900'), short: decimal('100'), both: decimal('1000'), net: decimal('9') },
  },
}

function stateHolding(position: string, cost: string) {
  const state = stateAtWork()
  Object.assign(state.strategies['work']!.holdings['long']!, { position, cost, realized: '3', fees: '1.5' })
  return state
}

const quoteOf = (price: number) => ({ at: 0, bid: price, ask: price, last: price })

test('the result is money received, less money paid, plus holdings at the current price', () => {
  const state = stateHolding('2', '1990.123')
  expect(updateProfitAndLoss(state, guarded)).toEqual([])
  expect(state.strategies['work']!.worth).toMatchObject({ result: '11.377', peak: '11.377' })
})

test('a short position gains when the price falls', () => {
  const state = stateHolding('-2', '-2020')
  updateProfitAndLoss(state, guarded)
  expect(state.strategies['work']!.worth.result).toBe('21.5')
})

test('a drawdown pauses, then halts, at exactly its share of the capital, until an operator resumes', () => {
  const state = stateHolding('2', '2000')
  const own = state.strategies['work']!
  updateProfitAndLoss(state, guarded)
  expect(own.worth.peak).toBe('1.5')
  state.quotes['BTC_PERP'] = quoteOf(900.01)
  expect(updateProfitAndLoss(state, guarded)).toEqual([])
  state.quotes['BTC_PERP'] = quoteOf(900)
  expect(updateProfitAndLoss(state, guarded)).toMatchObject([{ type: 'paused', strategy: 'work' }])
  expect(own.pauses['drawdown']).toBe(
    '200.00 lost since the best result, and drawdown says pause at 200.00, which is 10% of 2000; ' +
      'entries resume at 2026-09-22 14:13:20 UTC',
  )
  expect(updateProfitAndLoss(state, guarded)).toEqual([])
  forgiveLoss(own)
  expect(updateProfitAndLoss(state, guarded)).toEqual([])
  state.quotes['BTC_PERP'] = quoteOf(700)
  expect(updateProfitAndLoss(state, guarded)).toMatchObject([{ type: 'halted', strategy: 'work' }])
  expect(own.halted).toContain('400.00 lost since the best result')
})

test('a day begins with the result of the day before', () => {
  const state = stateHolding('2', '2000')
  const { worth } = state.strategies['work']!
  updateProfitAndLoss(state, guarded)
  state.quotes['BTC_PERP'] = quoteOf(990)
  updateProfitAndLoss(state, guarded)
  expect(worth).toMatchObject({ result: '-18.5', dayBegan: '0' })
  state.at += 86_400_000
  updateProfitAndLoss(state, guarded)
  expect(worth.dayBegan).toBe('-18.5')
})

test('while a price is unknown the last result stays', () => {
  const state = stateHolding('2', '2000')
  updateProfitAndLoss(state, guarded)
  state.quotes = {}
  expect(updateProfitAndLoss(state, guarded)).toEqual([])
  expect(state.strategies['work']!.worth.result).toBe('1.5')
})
