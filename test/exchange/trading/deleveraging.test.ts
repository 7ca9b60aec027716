import { expect, test } from 'vitest'
import { parseAtoms } from '#src/core/money/atoms.ts'
import { broken } from '#test/properties/trading/trading-rules.ts'
import { openTrading } from './trading-fixture.ts'

type Floor = ReturnType<typeof openTrading>

/** Without fees, unless requested; the figures are computed by hand. */
function openWith(collateral: { ann: string; bob?: string; eve?: string }, fees = false): Floor {
  return openTrading({
    fees,
    leverage: { ann: 10, bob: 10, eve: 10 },
    collateral: { bob: '100000', eve: '100000', ...collateral },
    shortfalls: 'deleverage',
  })
}

/** ann buys from bob, who has enough money. */
function goLong(trading: Floor, amount: string, price: string, market = 'SOL_PERP'): void {
  trading.order('bob', `sell ${amount} at ${price}`, { market })
  trading.order('ann', `buy ${amount} at ${price}`, { market })
}

test('an order pays its loss against the mark price when it arrives', () => {
  const trading = openWith({ ann: '100' })
  trading.mark('100')
  trading.order('bob', 'sell 10 at 120')
  // 4 at 120 need 48 of margin and lose 4 × 20 at once: 128. 3 need 36 and lose 60: 96.
  expect(trading.order('ann', 'buy 4 at 120')).toEqual({ refused: 'no-balance' })
  expect(trading.order('ann', 'buy 3 at 120')).toMatchObject({ status: 'FILLED' })
  expect(trading.positions('ann')).toEqual(['3 for 360'])
})

test('the loss of an order is that of the prices in the book, and what can rest counts at its limit', () => {
  const trading = openWith({ ann: '100' })
  trading.mark('100')
  trading.order('bob', 'sell 2 at 101')
  // 6 at 110 need 66 of margin. 2 lose 2 × 1, and 4 could lose 4 × 10 where they rest: 108.
  expect(trading.order('ann', 'buy 6 at 110')).toEqual({ refused: 'no-balance' })
  // As ioc nothing rests: 66 and 2.
  expect(trading.order('ann', 'buy 6 at 110', { ioc: true })).toMatchObject({ done: '2' })
})

test('an account can always close what costs no more than the margin of it, though it lost more than that', () => {
  const trading = openWith({ ann: '100' })
  goLong(trading, '4', '100')
  trading.mark('80')
  trading.order('eve', 'buy 4 at 79')
  // 100 − 80 = 20 of equity, 40 of margin: nothing is free. Closing at 79 loses 4 of those 20.
  expect(trading.order('ann', 'sell 4 at market')).toMatchObject({ status: 'FILLED' })
  expect(trading.collateral('ann')).toBe('16')
})

test('nobody can give away more than the account has: the profit of a position does not hide it', () => {
  const trading = openWith({ ann: '100' })
  goLong(trading, '4', '100')
  trading.mark('150')
  // 300 of equity. Selling 4 at 60 would lose 360 of it, and frees 40 of margin. 260 are free.
  trading.order('eve', 'buy 4 at 60')
  expect(trading.order('ann', 'sell 4 at 60')).toEqual({ refused: 'no-balance' })
  expect(trading.order('ann', 'sell 3 at 60')).toMatchObject({ status: 'FILLED' })
})

test('an order that rests is canceled instead of a fill that its account can no longer bear', () => {
  const trading = openWith({ ann: '100' })
  trading.mark('100')
  trading.order('ann', 'buy 9 at 99')
  trading.mark('85')
  // 9 × 14 = 126 of loss against the mark price, and 100 of money.
  expect(trading.order('bob', 'sell 9 at 99')).toMatchObject({ status: 'OPEN' })
  expect(trading.ended('ann')).toEqual(['buy 9 at 99 AUTO_CANCELED_USER_MARGIN'])
  expect(trading.collateral('ann')).toBe('100')
})

test('a liquidation sells no worse than the bankruptcy price: the rest is closed against an opposite position', () => {
  const trading = openWith({ ann: '100' })
  goLong(trading, '4', '100')
  trading.order('eve', 'buy 1 at 76')
  trading.order('eve', 'buy 4 at 74')
  trading.mark('70')
  // Bankrupt at 70: 100 are lost at 75. One is sold at 76, three give way at (300 − 76) / 3 = 74.6667, rounded up.
  expect(trading.positions('ann')).toEqual([])
  expect(trading.resting('eve')).toEqual(['buy 4 at 74'])
  expect(trading.ended('bob').at(-1)).toBe('buy 3 at 74.67 FILLED')
  expect(trading.collateral('ann')).toBe('0.01')
  expect(trading.collateral('bob')).toBe('100075.99')
  expect(trading.positions('bob')).toEqual(['-1 for 100'])
  expect(trading.money('insurance')).toBe('0')
  expect(broken(trading.trading)).toEqual([])
})

test('the bankruptcy price contains the fee of the liquidation', () => {
  const trading = openWith({ ann: '100.14' }, true)
  goLong(trading, '4', '100')
  // 0.035 % of 400 are 0.14: 100 are left.
  trading.mark('70')
  // 4 × (100 − p) + 4 × p × 0.00035 = 100: p = 300 / (4 × 0.99965) = 75.0263, rounded up. 0.105042 of 300.12 are the fee.
  expect(trading.ended('bob').at(-1)).toBe('buy 4 at 75.03 FILLED')
  expect(trading.collateral('ann')).toBe('0.014958')
})

test('the insurance pays down to nothing, then the opposite position pays', () => {
  const trading = openWith({ ann: '100' })
  goLong(trading, '4', '100')
  trading.give('insurance', '8')
  trading.order('eve', 'buy 4 at 73')
  trading.mark('70')
  // With 8 of the insurance 108 can be lost: at 73.
  expect(trading.positions('ann')).toEqual([])
  expect(trading.positions('eve')).toEqual(['4 for 292'])
  expect(trading.money('insurance')).toBe('0')
  expect(trading.collateral('ann')).toBe('0')
  expect(broken(trading.trading)).toEqual([])
})

test('an account that is not bankrupt gives way at the mark price', () => {
  const trading = openWith({ ann: '100' })
  goLong(trading, '4', '100')
  trading.mark('77')
  // 8 of equity against 9.24 of maintenance. One is closed at the mark price of 77.
  expect(trading.positions('ann')).toEqual(['3 for 300'])
  expect(trading.collateral('ann')).toBe('77')
  expect(trading.collateral('bob')).toBe('100023')
})

test('of two opposite positions the one with more profit in percent times leverage gives way', () => {
  const trading = openWith({ ann: '100' })
  trading.traderOf('eve').collateral.leverage = 20
  trading.order('bob', 'sell 2 at 100')
  trading.order('ann', 'buy 2 at 100')
  trading.order('eve', 'sell 2 at 98')
  trading.order('ann', 'buy 2 at 98')
  trading.mark('72')
  // 100 − 2 × 28 − 2 × 26 = −8: bankrupt, all 4 at 74. bob: 28 % × 10. eve: 26.5 % × 20, so she is first; both close.
  expect(trading.ended('ann').at(-1)).toBe('sell 2 at 74 FILLED')
  expect(trading.ended('eve').at(-1)).toBe('buy 2 at 74 FILLED')
  expect(trading.ended('bob').at(-1)).toBe('buy 2 at 74 FILLED')
  const orders = (name: string) =>
    trading.traderOf(name).deals.id.at(trading.traderOf(name).deals.count - 1) ?? 0
  expect(orders('eve')).toBeLessThan(orders('bob'))
})

test('in a market without an index the mark price is the median of best bid, best ask and last price', () => {
  const trading = openWith({ ann: '1000' })
  goLong(trading, '1', '100')
  const market = trading.state.markets[trading.marketOf().number]
  expect(market?.mark).toBe(10_000)
  // One side alone moves nothing.
  trading.order('eve', 'buy 1 at 90')
  expect(market?.mark).toBe(10_000)
  trading.order('eve', 'sell 1 at 98')
  expect(market?.mark).toBe(9800)
  trading.order('bob', 'buy 1 at 97')
  expect(market?.mark).toBe(9800)
})

test('in hedge mode only what is more than the other position gives way', () => {
  const trading = openWith({ ann: '100' })
  trading.traderOf('eve').collateral.hedged = true
  trading.traderOf('eve').collateral.leverage = 20
  // eve is first, by her leverage. She is short 4 against ann, and long 3 against bob: she gains with 1.
  trading.order('eve', 'sell 4 at 100', { side: 'SHORT' })
  trading.order('ann', 'buy 4 at 100')
  trading.order('bob', 'sell 3 at 100')
  trading.order('eve', 'buy 3 at 100', { side: 'LONG' })
  trading.mark('70')
  // All 4 of ann give way at 75: 1 to eve, 3 to bob.
  expect(trading.positions('eve')).toEqual(['-3 for 300', '3 for 300'])
  expect(trading.positions('bob')).toEqual([])
  expect(trading.collateral('eve')).toBe('100025')
  expect(trading.collateral('bob')).toBe('100075')
})

test('an account closes its own positions against each other before it takes from others', () => {
  const trading = openWith({ ann: '100' })
  trading.traderOf('ann').collateral.hedged = true
  trading.order('bob', 'sell 5 at 100')
  trading.order('ann', 'buy 5 at 100', { side: 'LONG' })
  trading.order('bob', 'buy 1 at 100')
  trading.order('ann', 'sell 1 at 100', { side: 'SHORT' })
  trading.mark('77')
  // 100 − 4 × 23 = 8 of equity, 13.86 of maintenance for 6, and 9.24 for 4: one more gives way at 77, and 3 need 6.93.
  expect(trading.positions('ann')).toEqual(['3 for 300'])
  expect(trading.positions('bob')).toEqual(['-3 for 300'])
})

test('a loss that unrealised profit covers is a debt to the other sides of this profit, not to the insurance', () => {
  const trading = openWith({ ann: '100' })
  goLong(trading, '4', '100')
  trading.mark('150')
  // 200 of profit back 2 at 300 in another market, which lose 150 there.
  goLong(trading, '2', '300', 'ETH_PERP')
  trading.mark('225', 'ETH_PERP')
  trading.order('eve', 'buy 2 at 225', { market: 'ETH_PERP' })
  trading.order('ann', 'sell 2 at 225', { market: 'ETH_PERP' })
  expect(trading.collateral('ann')).toBe('0')
  expect(trading.traderOf('ann').collateral.owed.get('USDT')).toBe(parseAtoms('50'))
  expect(trading.money('insurance')).toBe('0')
  expect(broken(trading.trading)).toEqual([])
  // 1 closed at 150 pays the debt.
  trading.order('eve', 'buy 1 at 150')
  trading.order('ann', 'sell 1 at 150')
  expect(trading.collateral('ann')).toBe('0')
  expect(trading.traderOf('ann').collateral.owed.size).toBe(0)
  trading.order('eve', 'buy 3 at 150')
  trading.order('ann', 'sell 3 at 150')
  expect(trading.collateral('ann')).toBe('150')
  expect(trading.money('insurance')).toBe('0')
})
