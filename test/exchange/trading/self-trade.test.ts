import { expect, test } from 'vitest'
import { openFloor } from './trading-fixture.ts'

/** ann offers one at 100, bob one at 99 and, behind hers, one at 100. */
function openBook() {
  const floor = openFloor()
  floor.order('ann', 'sell 1 at 100')
  floor.order('bob', 'sell 1 at 100')
  floor.order('bob', 'sell 1 at 99')
  return floor
}

test('without a mode an account trades with itself: its offer closes what it has just bought', () => {
  const floor = openBook()
  expect(floor.order('ann', 'buy 3 at 100')).toMatchObject({ status: 'FILLED', done: '3' })
  expect(floor.positions('ann')).toEqual(['2 for 200'])
  expect(floor.collateral('ann')).toBe('1001')
  expect(floor.ended('ann')).toEqual(['sell 1 at 100 FILLED', 'buy 3 at 100 FILLED'])
})

test('cb cancels both when they meet; what traded before stays traded, what stands behind stays', () => {
  const floor = openBook()
  expect(floor.order('ann', 'buy 3 at 101', { stp: 'cb' })).toMatchObject({
    status: 'CANCELED_STP',
    done: '1',
  })
  expect(floor.positions('ann')).toEqual(['1 for 99'])
  expect(floor.ended('ann')).toEqual(['sell 1 at 100 CANCELED_STP', 'buy 3 at 101 CANCELED_STP'])
  expect(floor.resting('bob')).toEqual(['sell 1 at 100'])
  expect(floor.reserved('ann')).toBe('0')
})

test('cn cancels the new one; the old one keeps its place', () => {
  const floor = openBook()
  expect(floor.order('ann', 'buy 3 at 101', { stp: 'cn' })).toMatchObject({
    status: 'CANCELED_STP',
    done: '1',
  })
  expect(floor.ended('ann')).toEqual(['buy 3 at 101 CANCELED_STP'])
  expect(floor.resting('ann')).toEqual(['sell 1 at 100'])
  floor.order('eve', 'buy 1 at 100')
  expect(floor.ended('ann')).toContain('sell 1 at 100 FILLED')
})

test('co cancels the old one and goes on; the rest of the new one rests', () => {
  const floor = openBook()
  expect(floor.order('ann', 'buy 3 at 100', { stp: 'co' })).toMatchObject({ status: 'OPEN', done: '2' })
  expect(floor.positions('ann')).toEqual(['2 for 199'])
  expect(floor.ended('ann')).toEqual(['sell 1 at 100 CANCELED_STP'])
  expect(floor.resting('ann')).toEqual(['buy 1 at 100'])
})

test('the order that comes says the mode; that of the one that rests means nothing', () => {
  const floor = openFloor()
  floor.order('ann', 'sell 1 at 100', { stp: 'cb' })
  expect(floor.order('ann', 'buy 1 at 100')).toMatchObject({ status: 'FILLED' })
})

test('a spot order and a collateral order of one account meet themselves, too', () => {
  const floor = openFloor()
  floor.order('ann', 'sell 1 at 100', { spot: true, market: 'SOL_USDT' })
  expect(floor.order('ann', 'buy 1 at 100', { stp: 'cb', market: 'SOL_USDT' })).toMatchObject({
    status: 'CANCELED_STP',
  })
  expect(floor.ended('ann')).toHaveLength(2)
  expect(floor.traderOf('ann').spotHeld.get('SOL')).toBe(0n)
})

test('a market order that meets its own account ends for that, and not for its band', () => {
  const floor = openFloor()
  floor.order('ann', 'sell 1 at 100')
  expect(floor.order('ann', 'buy 1 at market', { stp: 'cn' })).toMatchObject({ status: 'CANCELED_STP' })
})
