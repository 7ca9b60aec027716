import { expect, test } from 'vitest'
import { openFloor } from './trading-fixture.ts'

function idOf(placed: { id: number } | { refused: string }): number {
  if ('refused' in placed) throw new Error(`it was refused: ${placed.refused}`)
  return placed.id
}

test('a modified order is a new one, behind all others of its price, under the old client id', () => {
  const floor = openFloor()
  const id = idOf(floor.order('ann', 'buy 1 at 100', { clientId: 'rung.1' }))
  floor.order('bob', 'buy 1 at 100')
  const changed = floor.modify(id, '2 at 100')
  expect(changed).toMatchObject({ status: 'OPEN', amount: '2', done: '0' })
  expect(idOf(changed)).not.toBe(id)
  expect(floor.ended('ann')).toEqual(['buy 1 at 100 CANCELED'])
  expect(floor.reserved('ann')).toBe('200')
  const row = floor.traderOf('ann').newest
  expect(floor.state.orders.clientId[row]).toBe('rung.1')
  floor.order('eve', 'sell 1 at 100')
  expect(floor.ended('bob')).toEqual(['buy 1 at 100 FILLED'])
})

test('what the old one holds may be used by the new one; more than that is refused and changes nothing', () => {
  const floor = openFloor({ collateral: { ann: '100' } })
  const id = idOf(floor.order('ann', 'buy 1 at 100'))
  const changed = idOf(floor.modify(id, '2 at 50'))
  expect(floor.modify(changed, '2 at 50.01')).toEqual({ refused: 'no-balance' })
  expect(floor.resting('ann')).toEqual(['buy 2 at 50'])
  expect(floor.reserved('ann')).toBe('100')
  expect(floor.ended('ann')).toEqual(['buy 1 at 100 CANCELED'])
})

test('with a price that meets others it trades; a postOnly one is refused and stays', () => {
  const floor = openFloor()
  floor.order('bob', 'sell 1 at 101')
  const careful = idOf(floor.order('ann', 'buy 1 at 99', { postOnly: true }))
  expect(floor.modify(careful, '1 at 101')).toEqual({ refused: 'would-take' })
  expect(floor.resting('ann')).toEqual(['buy 1 at 99'])
  const plain = idOf(floor.order('ann', 'buy 1 at 98'))
  expect(floor.modify(plain, '3 at 101')).toMatchObject({ status: 'OPEN', done: '1' })
  expect(floor.resting('ann')).toEqual(['buy 1 at 99', 'buy 2 at 101'])
})

test('a spot order moves with what it holds', () => {
  const floor = openFloor()
  const id = idOf(floor.order('ann', 'sell 4 at 120', { spot: true, market: 'SOL_USDT' }))
  expect(floor.modify(id, '10.001 at 120')).toEqual({ refused: 'no-balance' })
  floor.modify(id, '10 at 130')
  expect(floor.traderOf('ann').spotHeld.get('SOL')).toBe(10n * 10n ** 18n)
  expect(floor.resting('ann')).toEqual(['sell 10 at 130'])
})

test('where client ids are free again when their order ends, a modified order keeps its own', () => {
  const floor = openFloor({ clientIds: 'live' })
  const id = idOf(floor.order('ann', 'buy 1 at 90', { clientId: 'kept' }))
  const changed = idOf(floor.modify(id, '1 at 91'))
  floor.cancel(changed)
  expect(idOf(floor.order('ann', 'buy 1 at 90', { clientId: 'kept' }))).toBeGreaterThan(changed)
})
