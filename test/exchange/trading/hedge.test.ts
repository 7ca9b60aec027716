import { expect, test } from 'vitest'
import { liquidationPrice } from '#src/exchange/trading/positions/liquidation-price.ts'
import { openTrading } from './trading-fixture.ts'

/** ann uses hedge mode; bob is on the other side of every trade. */
function openHedged(setting: Parameters<typeof openTrading>[0] = {}) {
  const trading = openTrading({ collateral: { bob: '100000' }, ...setting })
  trading.traderOf('ann').collateral.hedged = true
  return trading
}

test('buys and sells, long and short: two positions in one market, each with its own cost and profit', () => {
  const trading = openHedged()
  trading.order('bob', 'sell 2 at 100')
  trading.order('ann', 'buy 2 at 100', { side: 'LONG' })
  trading.order('bob', 'buy 1 at 110')
  trading.order('ann', 'sell 1 at 110', { side: 'SHORT' })
  expect(trading.positions('ann')).toEqual(['2 for 200', '-1 for 110'])
  expect(trading.collateral('ann')).toBe('1000')
  trading.order('bob', 'buy 1 at 120')
  trading.order('ann', 'sell 1 at 120', { side: 'LONG', reduceOnly: true })
  trading.order('bob', 'sell 1 at 120')
  trading.order('ann', 'buy 1 at 120', { side: 'SHORT', reduceOnly: true })
  // 20 of profit on the long side, 10 of loss on the short side.
  expect(trading.positions('ann')).toEqual(['1 for 100'])
  expect(trading.collateral('ann')).toBe('1010')
})

test('each side needs its own margin, and orders of one side close nothing of the other', () => {
  const trading = openHedged()
  trading.order('bob', 'sell 2 at 100')
  trading.order('ann', 'buy 2 at 100', { side: 'LONG' })
  trading.order('ann', 'sell 2 at 130', { side: 'SHORT' })
  expect(trading.reserved('ann')).toBe('260')
})

test('a reduce-only order ends with its own position, not with that of the other side', () => {
  const trading = openHedged()
  trading.order('bob', 'sell 1 at 100')
  trading.order('ann', 'buy 1 at 100', { side: 'LONG' })
  trading.order('bob', 'buy 1 at 99')
  trading.order('ann', 'sell 1 at 99', { side: 'SHORT' })
  trading.order('ann', 'sell 1 at 150', { side: 'LONG', reduceOnly: true })
  trading.order('ann', 'buy 1 at 50', { side: 'SHORT', reduceOnly: true })
  trading.order('bob', 'buy 1 at 98')
  trading.order('ann', 'sell 1 at 98', { side: 'LONG', reduceOnly: true })
  expect(trading.resting('ann')).toEqual(['buy 1 at 50'])
})

test('an account that trades with itself closes both sides at once', () => {
  const trading = openHedged()
  trading.order('bob', 'sell 1 at 100')
  trading.order('ann', 'buy 1 at 100', { side: 'LONG' })
  trading.order('bob', 'buy 1 at 100')
  trading.order('ann', 'sell 1 at 100', { side: 'SHORT' })
  trading.order('ann', 'buy 1 at 90', { side: 'SHORT', reduceOnly: true })
  trading.order('ann', 'sell 1 at 90', { side: 'LONG', reduceOnly: true })
  expect(trading.positions('ann')).toEqual([])
  expect(trading.collateral('ann')).toBe('1000')
})

test('the liquidation price depends on the net amount of both sides', () => {
  const trading = openHedged({ leverage: { ann: 10 }, collateral: { ann: '100', bob: '100000' } })
  const price = () => liquidationPrice(trading.trading, trading.traderOf('ann'), trading.marketOf())
  trading.order('bob', 'sell 4 at 100')
  trading.order('ann', 'buy 4 at 100', { side: 'LONG' })
  trading.order('bob', 'buy 1 at 100')
  trading.order('ann', 'sell 1 at 100', { side: 'SHORT' })
  // 100 + 3 × (p − 100) < 5 × p × 0.03, so p < 200 / 2.85 = 70.175...
  expect(price()).toBe(7017)
  trading.mark('70.18')
  expect(trading.positions('ann')).toEqual(['4 for 400', '-1 for 100'])
  trading.mark('70.17')
  expect(trading.positions('ann')).not.toContain('4 for 400')
})

test('if both sides are equal, only the maintenance margin can liquidate the account', () => {
  const trading = openHedged({ leverage: { ann: 10 }, collateral: { ann: '100', bob: '100000' } })
  trading.order('bob', 'sell 4 at 100')
  trading.order('ann', 'buy 4 at 100', { side: 'LONG' })
  trading.order('bob', 'buy 4 at 100')
  trading.order('ann', 'sell 4 at 100', { side: 'SHORT' })
  // 100 < 8 × p × 0.03, so p > 416.666...
  expect(liquidationPrice(trading.trading, trading.traderOf('ann'), trading.marketOf())).toBe(41_667)
})
