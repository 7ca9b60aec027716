import { expect, test } from 'vitest'
import { openTrading } from './trading-fixture.ts'

function idOf(placed: { id: number } | { refused: string }): number {
  if ('refused' in placed) throw new Error(`it was refused: ${placed.refused}`)
  return placed.id
}

test('a modified order is a new order, last at its price, with the old client order id', () => {
  const trading = openTrading()
  const id = idOf(trading.order('ann', 'buy 1 at 100', { clientId: 'rung.1' }))
  trading.order('bob', 'buy 1 at 100')
  const changed = trading.modify(id, '2 at 100')
  expect(changed).toMatchObject({ status: 'OPEN', amount: '2', done: '0' })
  expect(idOf(changed)).not.toBe(id)
  expect(trading.ended('ann')).toEqual(['buy 1 at 100 CANCELED'])
  expect(trading.reserved('ann')).toBe('200')
  const row = trading.traderOf('ann').newest
  expect(trading.state.orders.clientId[row]).toBe('rung.1')
  trading.order('eve', 'sell 1 at 100')
  expect(trading.ended('bob')).toEqual(['buy 1 at 100 FILLED'])
})

test('a modified order may use the reserve of the old one; a larger one is refused and changes nothing', () => {
  const trading = openTrading({ collateral: { ann: '100' } })
  const id = idOf(trading.order('ann', 'buy 1 at 100'))
  const changed = idOf(trading.modify(id, '2 at 50'))
  expect(trading.modify(changed, '2 at 50.01')).toEqual({ refused: 'no-balance' })
  expect(trading.resting('ann')).toEqual(['buy 2 at 50'])
  expect(trading.reserved('ann')).toBe('100')
  expect(trading.ended('ann')).toEqual(['buy 1 at 100 CANCELED'])
})

test('a modified order at a matching price trades; a postOnly one is refused and the old order stays', () => {
  const trading = openTrading()
  trading.order('bob', 'sell 1 at 101')
  const careful = idOf(trading.order('ann', 'buy 1 at 99', { postOnly: true }))
  expect(trading.modify(careful, '1 at 101')).toEqual({ refused: 'would-take' })
  expect(trading.resting('ann')).toEqual(['buy 1 at 99'])
  const plain = idOf(trading.order('ann', 'buy 1 at 98'))
  expect(trading.modify(plain, '3 at 101')).toMatchObject({ status: 'OPEN', done: '1' })
  expect(trading.resting('ann')).toEqual(['buy 1 at 99', 'buy 2 at 101'])
})

test('the reserve of a spot order follows its modification', () => {
  const trading = openTrading()
  const id = idOf(trading.order('ann', 'sell 4 at 120', { spot: true, market: 'SOL_USDT' }))
  expect(trading.modify(id, '10.001 at 120')).toEqual({ refused: 'no-balance' })
  trading.modify(id, '10 at 130')
  expect(trading.traderOf('ann').spotHeld.get('SOL')).toBe(10n * 10n ** 18n)
  expect(trading.resting('ann')).toEqual(['sell 10 at 130'])
})

test('if client ids become free when an order ends, a modified order keeps its id', () => {
  const trading = openTrading({ clientIds: 'live' })
  const id = idOf(trading.order('ann', 'buy 1 at 90', { clientId: 'kept' }))
  const changed = idOf(trading.modify(id, '1 at 91'))
  trading.cancel(changed)
  expect(idOf(trading.order('ann', 'buy 1 at 90', { clientId: 'kept' }))).toBeGreaterThan(changed)
})
