import { expect, test } from 'vitest'
import { openTrading } from './trading-fixture.ts'

/** ann is long two at 100, bob is on the other side. */
function openLong(setting: Parameters<typeof openTrading>[0] = {}) {
  const trading = openTrading(setting)
  trading.order('bob', 'sell 2 at 100')
  trading.order('ann', 'buy 2 at 100')
  return trading
}

test('a reduce-only order is cut to the position, and refused without one or on the wrong side', () => {
  const trading = openLong()
  expect(trading.order('ann', 'sell 5 at 120', { reduceOnly: true })).toMatchObject({
    status: 'OPEN',
    amount: '2',
  })
  expect(trading.order('ann', 'buy 1 at 90', { reduceOnly: true })).toEqual({ refused: 'nothing-to-reduce' })
  expect(trading.order('eve', 'sell 1 at 120', { reduceOnly: true })).toEqual({
    refused: 'nothing-to-reduce',
  })
})

test('a resting reduce-only order reserves nothing', () => {
  const trading = openLong()
  trading.order('ann', 'sell 2 at 1', { reduceOnly: true })
  expect(trading.reserved('ann')).toBe('0')
})

test('a reduce-only order needs nothing although other orders already close the position', () => {
  const trading = openLong({ collateral: { ann: '200' } })
  expect(trading.order('ann', 'sell 2 at 120')).toMatchObject({ status: 'OPEN' })
  expect(trading.order('ann', 'sell 2 at 100', { reduceOnly: true })).toMatchObject({ status: 'OPEN' })
})

test('a reduce-only order ends when the position closes, and no other order does', () => {
  const trading = openLong()
  trading.order('ann', 'sell 1 at 130', { reduceOnly: true })
  trading.order('ann', 'sell 2 at 140', { reduceOnly: true })
  trading.order('ann', 'sell 1 at 150')
  trading.order('eve', 'buy 2 at 110')
  trading.order('ann', 'sell 2 at 110')
  expect(trading.positions('ann')).toEqual([])
  expect(trading.resting('ann')).toEqual(['sell 1 at 150'])
  expect(trading.ended('ann')).toEqual([
    'buy 2 at 100 FILLED',
    'sell 1 at 130 AUTO_CANCELED_REDUCE_ONLY',
    'sell 2 at 140 AUTO_CANCELED_REDUCE_ONLY',
    'sell 2 at 110 FILLED',
  ])
})

test('a reduce-only order ends when the position changes its side', () => {
  const trading = openLong()
  trading.order('ann', 'sell 2 at 130', { reduceOnly: true })
  trading.order('eve', 'buy 3 at 110')
  trading.order('ann', 'sell 3 at 110')
  expect(trading.positions('ann')).toEqual(['-1 for 110'])
  expect(trading.resting('ann')).toEqual([])
})

test('two reduce-only orders never close more than the position: the second trades the rest, then ends', () => {
  const trading = openLong()
  trading.order('ann', 'sell 1.5 at 110', { reduceOnly: true })
  trading.order('ann', 'sell 2 at 111', { reduceOnly: true })
  trading.order('bob', 'sell 1 at 112')
  expect(trading.order('eve', 'buy 4 at 112')).toMatchObject({ status: 'OPEN', done: '3' })
  expect(trading.positions('ann')).toEqual([])
  expect(trading.ended('ann').slice(1)).toEqual([
    'sell 1.5 at 110 FILLED',
    'sell 2 at 111 AUTO_CANCELED_REDUCE_ONLY',
  ])
})

test('a smaller position leaves the reduce-only order unchanged, and it trades what is left', () => {
  const trading = openLong()
  trading.order('ann', 'sell 2 at 120', { reduceOnly: true })
  trading.order('eve', 'buy 1.5 at 110')
  trading.order('ann', 'sell 1.5 at 110')
  expect(trading.resting('ann')).toEqual(['sell 2 at 120'])
  expect(trading.order('eve', 'buy 2 at 120')).toMatchObject({ status: 'OPEN', done: '0.5' })
  expect(trading.ended('ann').at(-1)).toBe('sell 2 at 120 AUTO_CANCELED_REDUCE_ONLY')
})
