import { expect, test } from 'vitest'
import { openTrading } from './trading-fixture.ts'

/** ann offers one at 100, bob one at 99 and one at 100 behind hers. */
function openBook() {
  const trading = openTrading()
  trading.order('ann', 'sell 1 at 100')
  trading.order('bob', 'sell 1 at 100')
  trading.order('bob', 'sell 1 at 99')
  return trading
}

test('without a mode an account trades with itself: its sell closes what it has just bought', () => {
  const trading = openBook()
  expect(trading.order('ann', 'buy 3 at 100')).toMatchObject({ status: 'FILLED', done: '3' })
  expect(trading.positions('ann')).toEqual(['2 for 200'])
  expect(trading.collateral('ann')).toBe('1001')
  expect(trading.ended('ann')).toEqual(['sell 1 at 100 FILLED', 'buy 3 at 100 FILLED'])
})

test('cb cancels both orders when they meet; earlier fills and orders behind stay', () => {
  const trading = openBook()
  expect(trading.order('ann', 'buy 3 at 101', { stp: 'cb' })).toMatchObject({
    status: 'CANCELED_STP',
    done: '1',
  })
  expect(trading.positions('ann')).toEqual(['1 for 99'])
  expect(trading.ended('ann')).toEqual(['sell 1 at 100 CANCELED_STP', 'buy 3 at 101 CANCELED_STP'])
  expect(trading.resting('bob')).toEqual(['sell 1 at 100'])
  expect(trading.reserved('ann')).toBe('0')
})

test('cn cancels the new order; the old one keeps its place', () => {
  const trading = openBook()
  expect(trading.order('ann', 'buy 3 at 101', { stp: 'cn' })).toMatchObject({
    status: 'CANCELED_STP',
    done: '1',
  })
  expect(trading.ended('ann')).toEqual(['buy 3 at 101 CANCELED_STP'])
  expect(trading.resting('ann')).toEqual(['sell 1 at 100'])
  trading.order('eve', 'buy 1 at 100')
  expect(trading.ended('ann')).toContain('sell 1 at 100 FILLED')
})

test('co cancels the old order and continues; the rest of the new one rests', () => {
  const trading = openBook()
  expect(trading.order('ann', 'buy 3 at 100', { stp: 'co' })).toMatchObject({ status: 'OPEN', done: '2' })
  expect(trading.positions('ann')).toEqual(['2 for 199'])
  expect(trading.ended('ann')).toEqual(['sell 1 at 100 CANCELED_STP'])
  expect(trading.resting('ann')).toEqual(['buy 1 at 100'])
})

test('the mode of the new order decides; that of the resting order has no effect', () => {
  const trading = openTrading()
  trading.order('ann', 'sell 1 at 100', { stp: 'cb' })
  expect(trading.order('ann', 'buy 1 at 100')).toMatchObject({ status: 'FILLED' })
})

test('a spot order and a collateral order of one account meet as own orders, too', () => {
  const trading = openTrading()
  trading.order('ann', 'sell 1 at 100', { spot: true, market: 'SOL_USDT' })
  expect(trading.order('ann', 'buy 1 at 100', { stp: 'cb', market: 'SOL_USDT' })).toMatchObject({
    status: 'CANCELED_STP',
  })
  expect(trading.ended('ann')).toHaveLength(2)
  expect(trading.traderOf('ann').spotHeld.get('SOL')).toBe(0n)
})

test('a market order that meets an own order ends for that reason, not for its price band', () => {
  const trading = openTrading()
  trading.order('ann', 'sell 1 at 100')
  expect(trading.order('ann', 'buy 1 at market', { stp: 'cn' })).toMatchObject({ status: 'CANCELED_STP' })
})
