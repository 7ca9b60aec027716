import { expect, test } from 'vitest'
import { cancelWaiting } from '#src/exchange/trading/orders/resting-orders.ts'
import { isUsed } from '#src/exchange/trading/orders/used-client-ids.ts'
import { openTrading } from './trading-fixture.ts'

/** One trade between bob and eve, which sets the last price. */
function trade(trading: ReturnType<typeof openTrading>, price: string): void {
  trading.order('bob', `sell 0.1 at ${price}`)
  trading.order('eve', `buy 0.1 at ${price}`)
}

function idOf(placed: { id: number } | { refused: string }): number {
  if ('refused' in placed) throw new Error(`it was refused: ${placed.refused}`)
  return placed.id
}

test('a stop-limit order activates when the last price reaches its activation price, under its original id', () => {
  const trading = openTrading()
  trade(trading, '100')
  const { id } = trading.wait('ann', 'buy 1 at 106', 'rises to 105')
  expect(trading.reserved('ann')).toBe('0')
  trade(trading, '104.99')
  expect(trading.resting('ann')).toEqual([])
  trade(trading, '105')
  expect(trading.resting('ann')).toEqual(['buy 1 at 106'])
  expect(trading.state.orders.id[trading.traderOf('ann').newest]).toBe(id)
  expect(trading.reserved('ann')).toBe('106')
})

test('a trigger-market order activates as a market order; without a match it is canceled', () => {
  const trading = openTrading()
  trade(trading, '100')
  trading.wait('ann', 'sell 1 at market', 'falls to 95')
  trading.wait('ann', 'sell 2 at market', 'falls to 90')
  trading.order('eve', 'buy 1.1 at 94')
  trading.order('bob', 'sell 0.1 at 94')
  expect(trading.positions('ann')).toEqual(['-1 for 94'])
  trade(trading, '90')
  expect(trading.ended('ann').map((text) => text.replace(/at \S+/, ''))).toEqual([
    'sell 1  FILLED',
    'sell 2  CANCELED',
  ])
})

test('an activated order that the account cannot back is canceled', () => {
  const trading = openTrading({ collateral: { ann: '100' } })
  trade(trading, '100')
  trading.wait('ann', 'buy 1 at 106', 'rises to 105')
  trade(trading, '105')
  expect(trading.ended('ann')).toEqual(['buy 1 at 106 CANCELED'])
})

test('activated orders move the price, which activates others, in the order of their age', () => {
  const trading = openTrading()
  trade(trading, '100')
  trading.order('bob', 'sell 1 at 110')
  trading.order('bob', 'sell 1 at 120')
  trading.wait('eve', 'buy 0.5 at 120', 'rises to 110')
  trading.wait('ann', 'buy 1 at 120', 'rises to 105')
  trade(trading, '105')
  expect(trading.positions('ann')).toEqual(['1 for 110'])
  expect(trading.positions('eve')).toEqual(['0.7 for 80.5'])
})

/** ann is long one at 100; her take profit rests at 110, her stop loss waits for 95. */
function openPair(setting: Parameters<typeof openTrading>[0] = {}) {
  const trading = openTrading(setting)
  trading.order('bob', 'sell 1 at 100')
  trading.order('ann', 'buy 1 at 100')
  const profit = idOf(trading.order('ann', 'sell 1 at 110', { linked: true, reduceOnly: true }))
  const stop = trading.wait('ann', 'sell 1 at market', 'falls to 95', {
    other: profit,
    reduceOnly: true,
    clientId: 'stop',
  })
  return { trading, profit, stop }
}

test('the stop of a linked pair ends the limit order when it activates', () => {
  const { trading } = openPair()
  trading.order('eve', 'buy 2 at 95')
  trading.order('bob', 'sell 0.1 at 95')
  expect(trading.positions('ann')).toEqual([])
  expect(trading.ended('ann').slice(1)).toEqual(['sell 1 at 110 CANCELED', 'sell 1 at 90.25 FILLED'])
  expect(trading.collateral('ann')).toBe('995')
})

test('the limit order of a linked pair cancels the stop when it starts to trade, and the history shows it', () => {
  const { trading } = openPair({ clientIds: 'live' })
  trading.order('eve', 'buy 0.4 at 110')
  expect(trading.state.triggers).toEqual([])
  expect(trading.ended('ann').at(-1)).toMatch(/^sell 1 at \S+ CANCELED$/)
  expect(isUsed(trading.traderOf('ann').usedIds, 'stop')).toBe(false)
  expect(trading.resting('ann')).toEqual(['sell 0.6 at 110'])
})

test('cancelling the limit order of a linked pair cancels the stop', () => {
  const { trading, profit } = openPair()
  trading.cancel(profit)
  expect(trading.state.triggers).toEqual([])
  expect(trading.ended('ann')).toHaveLength(3)
})

test('a modified limit order stays linked, and its stop keeps its age', () => {
  const { trading, profit } = openPair()
  trading.wait('ann', 'sell 1 at market', 'falls to 90', { reduceOnly: true })
  const changed = idOf(trading.modify(profit, '1 at 120'))
  expect(trading.state.triggers.map(({ other }) => other)).toEqual([changed, 0])
  trading.order('eve', 'buy 1 at 120')
  expect(trading.state.triggers).toHaveLength(1)
})

test('a stop whose limit order trades during the activation does not activate', () => {
  const { trading } = openPair()
  // Both wait for 95. The older one fills against ann's sell, to which her stop was linked.
  trading.state.triggers.reverse()
  trading.wait('bob', 'buy 1 at 110', 'falls to 95')
  trading.state.triggers.reverse()
  trading.order('eve', 'buy 2 at 95')
  trading.order('eve', 'sell 0.1 at 95')
  expect(
    trading
      .ended('ann')
      .slice(1)
      .map((text) => text.replace(/at \S+/, '')),
  ).toEqual(['sell 1  CANCELED', 'sell 1  FILLED'])
  expect(trading.collateral('ann')).toBe('1010')
})

test('a cancelled waiting order is in the history with the time at which it was placed', () => {
  const trading = openTrading()
  const trigger = trading.wait('ann', 'buy 1 at 106', 'rises to 105')
  trade(trading, '100')
  cancelWaiting(trading.trading, trigger, trading.at())
  const { finished } = trading.traderOf('ann')
  expect(trading.ended('ann')).toEqual(['buy 1 at 106 CANCELED'])
  expect(finished.at[0]).toBe(trigger.at)
  expect(finished.changedAt[0]).toBe(trading.at())
})
