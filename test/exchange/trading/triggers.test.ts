import { expect, test } from 'vitest'
import { callOff } from '#src/exchange/trading/orders/resting-orders.ts'
import { isUsed } from '#src/exchange/trading/orders/used-client-ids.ts'
import { openFloor } from './trading-fixture.ts'

/** One trade between bob and eve: the last price. */
function trade(floor: ReturnType<typeof openFloor>, price: string): void {
  floor.order('bob', `sell 0.1 at ${price}`)
  floor.order('eve', `buy 0.1 at ${price}`)
}

function idOf(placed: { id: number } | { refused: string }): number {
  if ('refused' in placed) throw new Error(`it was refused: ${placed.refused}`)
  return placed.id
}

test('a stop-limit order comes when the last price has reached it, under the id it was given before', () => {
  const floor = openFloor()
  trade(floor, '100')
  const { id } = floor.wait('ann', 'buy 1 at 106', 'rises to 105')
  expect(floor.reserved('ann')).toBe('0')
  trade(floor, '104.99')
  expect(floor.resting('ann')).toEqual([])
  trade(floor, '105')
  expect(floor.resting('ann')).toEqual(['buy 1 at 106'])
  expect(floor.state.orders.id[floor.traderOf('ann').newest]).toBe(id)
  expect(floor.reserved('ann')).toBe('106')
})

test('a trigger-market order comes as a market order; with nobody there it is canceled', () => {
  const floor = openFloor()
  trade(floor, '100')
  floor.wait('ann', 'sell 1 at market', 'falls to 95')
  floor.wait('ann', 'sell 2 at market', 'falls to 90')
  floor.order('eve', 'buy 1.1 at 94')
  floor.order('bob', 'sell 0.1 at 94')
  expect(floor.positions('ann')).toEqual(['-1 for 94'])
  trade(floor, '90')
  expect(floor.ended('ann').map((text) => text.replace(/at \S+/, ''))).toEqual([
    'sell 1  FILLED',
    'sell 2  CANCELED',
  ])
})

test('one that the account cannot back when it comes is canceled', () => {
  const floor = openFloor({ collateral: { ann: '100' } })
  trade(floor, '100')
  floor.wait('ann', 'buy 1 at 106', 'rises to 105')
  trade(floor, '105')
  expect(floor.ended('ann')).toEqual(['buy 1 at 106 CANCELED'])
})

test('orders that come move the price, which brings others, in the order of their age', () => {
  const floor = openFloor()
  trade(floor, '100')
  floor.order('bob', 'sell 1 at 110')
  floor.order('bob', 'sell 1 at 120')
  floor.wait('eve', 'buy 0.5 at 120', 'rises to 110')
  floor.wait('ann', 'buy 1 at 120', 'rises to 105')
  trade(floor, '105')
  expect(floor.positions('ann')).toEqual(['1 for 110'])
  expect(floor.positions('eve')).toEqual(['0.7 for 80.5'])
})

/** ann is long one at 100; her take profit rests at 110, her stop loss waits for 95. */
function openPair(setting: Parameters<typeof openFloor>[0] = {}) {
  const floor = openFloor(setting)
  floor.order('bob', 'sell 1 at 100')
  floor.order('ann', 'buy 1 at 100')
  const profit = idOf(floor.order('ann', 'sell 1 at 110', { linked: true, reduceOnly: true }))
  const stop = floor.wait('ann', 'sell 1 at market', 'falls to 95', {
    other: profit,
    reduceOnly: true,
    clientId: 'stop',
  })
  return { floor, profit, stop }
}

test('of a linked pair the stop that comes ends the limit order', () => {
  const { floor } = openPair()
  floor.order('eve', 'buy 2 at 95')
  floor.order('bob', 'sell 0.1 at 95')
  expect(floor.positions('ann')).toEqual([])
  expect(floor.ended('ann').slice(1)).toEqual(['sell 1 at 110 CANCELED', 'sell 1 at 90.25 FILLED'])
  expect(floor.collateral('ann')).toBe('995')
})

test('the limit order that begins to trade calls the stop off, and the history says so', () => {
  const { floor } = openPair({ clientIds: 'live' })
  floor.order('eve', 'buy 0.4 at 110')
  expect(floor.state.triggers).toEqual([])
  expect(floor.ended('ann').at(-1)).toMatch(/^sell 1 at \S+ CANCELED$/)
  expect(isUsed(floor.traderOf('ann').usedIds, 'stop')).toBe(false)
  expect(floor.resting('ann')).toEqual(['sell 0.6 at 110'])
})

test('the limit order that is canceled takes the stop with it', () => {
  const { floor, profit } = openPair()
  floor.cancel(profit)
  expect(floor.state.triggers).toEqual([])
  expect(floor.ended('ann')).toHaveLength(3)
})

test('a limit order that is modified stays linked, and its stop keeps its age', () => {
  const { floor, profit } = openPair()
  floor.wait('ann', 'sell 1 at market', 'falls to 90', { reduceOnly: true })
  const changed = idOf(floor.modify(profit, '1 at 120'))
  expect(floor.state.triggers.map(({ other }) => other)).toEqual([changed, 0])
  floor.order('eve', 'buy 1 at 120')
  expect(floor.state.triggers).toHaveLength(1)
})

test('a stop whose limit order trades while the stop is about to come does not come', () => {
  const { floor } = openPair()
  // Both wait for 95. The older one lifts ann's offer, which is what her stop was linked to.
  floor.state.triggers.reverse()
  floor.wait('bob', 'buy 1 at 110', 'falls to 95')
  floor.state.triggers.reverse()
  floor.order('eve', 'buy 2 at 95')
  floor.order('eve', 'sell 0.1 at 95')
  expect(
    floor
      .ended('ann')
      .slice(1)
      .map((text) => text.replace(/at \S+/, '')),
  ).toEqual(['sell 1  CANCELED', 'sell 1  FILLED'])
  expect(floor.collateral('ann')).toBe('1010')
})

test('one that is called off stands in the history with the moment it was given', () => {
  const floor = openFloor()
  const trigger = floor.wait('ann', 'buy 1 at 106', 'rises to 105')
  trade(floor, '100')
  callOff(floor.floor, trigger, floor.at())
  const { finished } = floor.traderOf('ann')
  expect(floor.ended('ann')).toEqual(['buy 1 at 106 CANCELED'])
  expect(finished.at[0]).toBe(trigger.at)
  expect(finished.changedAt[0]).toBe(floor.at())
})
