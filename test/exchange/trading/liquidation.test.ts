import { expect, test } from 'vitest'
import { collateralBalance } from '#src/exchange/ledger/account-views.ts'
import { liquidationPrice } from '#src/exchange/trading/positions/liquidation-price.ts'
import { broken } from '#test/properties/trading/trading-rules.ts'
import { openTrading } from './trading-fixture.ts'

type Floor = ReturnType<typeof openTrading>

/** ann buys from bob, who has enough money. */
function goLong(trading: Floor, amount: string, price: string, market = 'SOL_PERP'): void {
  trading.order('bob', `sell ${amount} at ${price}`, { market })
  trading.order('ann', `buy ${amount} at ${price}`, { market })
}

function openWith(money: string, leverage = 10): Floor {
  return openTrading({
    leverage: { ann: leverage },
    collateral: { ann: money, bob: '100000', eve: '100000' },
  })
}

function priceOf(trading: Floor, market = 'SOL_PERP'): number {
  return liquidationPrice(trading.trading, trading.traderOf('ann'), trading.marketOf(market))
}

test('the liquidation price is the first at which equity is below maintenance, and no tick earlier', () => {
  const trading = openWith('100')
  goLong(trading, '4', '100')
  // 100 + 4 × (p − 100) < 4 × p × 0.03, so p < 300 / 3.88 = 77.319...
  expect(priceOf(trading)).toBe(7731)
  trading.mark('77.32')
  expect(trading.positions('ann')).toEqual(['4 for 400'])
  trading.mark('77.31')
  expect(trading.positions('ann')).not.toEqual(['4 for 400'])
})

test('the liquidation price of a short position is above the price', () => {
  const trading = openWith('100')
  trading.order('bob', 'buy 4 at 100')
  trading.order('ann', 'sell 4 at 100')
  // 100 − 4 × (p − 100) < 4 × p × 0.03, so p > 500 / 4.12 = 121.359...
  expect(priceOf(trading)).toBe(12_136)
  trading.mark('121.35')
  expect(trading.positions('ann')).toEqual(['-4 for 400'])
  trading.mark('121.36')
  expect(trading.positions('ann')).not.toEqual(['-4 for 400'])
})

test('at a price at which equity equals maintenance the account is not liquidated', () => {
  const trading = openWith('100')
  // 97 of loss would have to be 97 × 0.03 × ... : 1 × (p − 197) + 100 = 0.03 × p, so p = 100.
  goLong(trading, '1', '197')
  expect(priceOf(trading)).toBe(9999)
  trading.mark('100')
  expect(trading.positions('ann')).toEqual(['1 for 197'])
})

test('an account with money for every price has no liquidation price', () => {
  const trading = openWith('1000')
  goLong(trading, '1', '100')
  expect(priceOf(trading)).toBe(0)
})

test('a liquidation sells a quarter of the position through the book, and no more if that suffices', () => {
  const trading = openWith('100')
  goLong(trading, '4', '100')
  trading.order('eve', 'buy 4 at 77.31')
  trading.order('ann', 'buy 1 at 50')
  trading.order('ann', 'sell 1 at 200', { reduceOnly: true })
  trading.mark('77.31')
  // Equity 9.24, maintenance 9.2772. One is sold: maintenance is 6.9579 then.
  expect(trading.positions('ann')).toEqual(['3 for 300'])
  expect(trading.collateral('ann')).toBe('77.31')
  expect(trading.ended('ann').slice(1)).toEqual([
    'buy 1 at 50 AUTO_CANCELED_LIQUIDATION',
    'sell 1 at 200 AUTO_CANCELED_LIQUIDATION',
    'sell 1 at 73.45 FILLED',
  ])
  expect(trading.resting('eve')).toEqual(['buy 3 at 77.31'])
  const { deals } = trading.traderOf('ann')
  expect(deals.clientId[1]).toMatch(/^liquidation_\d+_!$/)
})

test('four minimum amounts are too few for quarters, five are not', () => {
  for (const [amount, money, left] of [
    ['0.4', '10', []],
    ['0.5', '12.5', ['0.3 for 30']],
  ] as const) {
    const trading = openWith(money)
    goLong(trading, amount, '100')
    trading.order('eve', 'buy 1 at 77.31')
    trading.mark('77.31')
    expect(trading.positions('ann')).toEqual(left)
  }
})

test('a liquidation continues quarter by quarter, and checks the margin after each', () => {
  const trading = openWith('100')
  goLong(trading, '4', '100')
  trading.order('eve', 'buy 1 at 77')
  trading.order('eve', 'buy 4 at 76')
  trading.mark('77.31')
  // One at 77: equity 8 against 6.93, which suffices. Then at 76: 4 + 1 = 5 more of loss.
  expect(trading.positions('ann')).toEqual(['3 for 300'])
  trading.mark('76')
  // 77 − 72 = 5 < 6.84. Of three, 0.8 goes at 76: 57.8 + 2.2 × (76 − 100) = 5 against 5.016; then 0.6: 43.4 ...
  expect(trading.positions('ann')).toEqual(['1.6 for 160'])
  expect(trading.collateral('ann')).toBe('43.4')
})

test('the house takes over at the mark price what does not fill within the band, and no order is reported for it', () => {
  const trading = openWith('100')
  goLong(trading, '4', '100')
  trading.order('eve', 'buy 0.4 at 77')
  trading.order('eve', 'buy 4 at 73')
  trading.mark('77.31')
  // 77 less five percent is 73.15: the 4 at 73 are too far. 0.4 fill at 77, the other 0.6 of the quarter go to the
  // house at the mark price of 77.
  expect(trading.positions('ann')).toEqual(['3 for 300'])
  expect(trading.collateral('ann')).toBe('77')
  expect(trading.positions('insurance')).toEqual(['0.6 for 46.2'])
  expect(trading.ended('ann').at(-1)).toBe('sell 1 at 73.15 CANCELED_TAKER_BAND')
  expect(trading.imbalances()).toEqual([])
})

test('a bankrupt account loses its whole position at once, and the insurance pays the missing money', () => {
  const trading = openWith('100')
  goLong(trading, '4', '100')
  trading.order('eve', 'buy 4 at 70')
  trading.mark('70')
  expect(trading.positions('ann')).toEqual([])
  expect(trading.collateral('ann')).toBe('0')
  expect(trading.money('insurance')).toBe('-20')
  expect(trading.traderOf('ann').collateral.owed.size).toBe(0)
  expect(trading.collateral('bob')).toBe('100000')
  expect(trading.positions('bob')).toEqual(['-4 for 400'])
  expect(trading.imbalances()).toEqual([])
})

test('margin positions are liquidated before futures, and of futures the largest first', () => {
  const trading = openWith('300')
  goLong(trading, '4', '100')
  goLong(trading, '2', '300', 'ETH_PERP')
  goLong(trading, '0.001', '60000', 'BTC_USDT')
  trading.mark('200', 'ETH_PERP')
  trading.mark('90')
  // 300 − 200 − 40 = 60 of equity; 10.8 + 12 + 1.8 of maintenance. 82 is 28 of equity; 9.84 + 12 + 1.8.
  trading.mark('82')
  expect(trading.positions('ann')).toHaveLength(3)
  trading.mark('80.9')
  // 23.6 of equity against 23.508, then 23.2 against 23.496.
  expect(trading.positions('ann')).toHaveLength(3)
  trading.mark('80.8')
  expect(trading.positions('ann')).toEqual(['4 for 400', '2 for 600', '0.00075 for 45'])
  // 20 of equity: without any BTC still 21.6 of maintenance. The 400 of ETH are more than the 320 of SOL.
  trading.mark('80')
  expect(trading.positions('ann')).toEqual(['4 for 400', '1.5 for 450'])
})

test('money backed by unrealised profit is not lost: the insurance advances it and gets it back', () => {
  const trading = openWith('100')
  goLong(trading, '4', '100')
  trading.mark('150')
  // 200 of profit, all of it unrealised. It backs a position in another market, which loses 150.
  goLong(trading, '2', '300', 'ETH_PERP')
  trading.order('eve', 'buy 2 at 225', { market: 'ETH_PERP' })
  trading.order('ann', 'sell 2 at 225', { market: 'ETH_PERP' })
  expect(trading.collateral('ann')).toBe('0')
  expect(trading.money('insurance')).toBe('-50')
  expect(collateralBalance(trading.trading, trading.traderOf('ann'), 'USDT')).toMatchObject({
    balance: '0',
    borrowed: '50',
  })
  trading.order('eve', 'buy 4 at 150')
  trading.order('ann', 'sell 1 at 150')
  expect(trading.collateral('ann')).toBe('0')
  expect(trading.money('insurance')).toBe('0')
  trading.order('ann', 'sell 3 at 150')
  // 100 + 200 − 150
  expect(trading.collateral('ann')).toBe('150')
  expect(trading.money('insurance')).toBe('0')
})

test('a debt to the insurance reduces the equity: an account that owes more than its equity is bankrupt', () => {
  const trading = openWith('100')
  goLong(trading, '4', '100')
  trading.mark('150')
  goLong(trading, '2', '300', 'ETH_PERP')
  trading.order('eve', 'buy 2 at 225', { market: 'ETH_PERP' })
  trading.order('ann', 'sell 2 at 225', { market: 'ETH_PERP' })
  trading.mark('112')
  // 48 of profit against a debt of 50. The house takes over at 112.
  expect(trading.positions('ann')).toEqual([])
  expect(trading.collateral('ann')).toBe('0')
  expect(trading.money('insurance')).toBe('-2')
  expect(trading.traderOf('ann').collateral.owed.size).toBe(0)
})

test('one liquidation moves the price that causes the next', () => {
  const trading = openTrading({
    leverage: { ann: 10, eve: 10 },
    collateral: { ann: '43', eve: '50', bob: '100000' },
  })
  goLong(trading, '4', '100')
  trading.order('bob', 'sell 4 at 100')
  trading.order('eve', 'buy 4 at 100')
  trading.order('bob', 'buy 1 at 90')
  trading.order('bob', 'buy 20 at 89')
  trading.mark('91.8')
  // ann: 43 − 32.8 = 10.2 < 11.016. One is sold at 90, which leaves 3 with 3 < 8.1; then 0.8 at 89, where she is
  // bankrupt at 43 − 10 − 8.8 − 2.2 × 11 = 0: the rest is sold. eve: 50 − 44 = 6 < 10.68 at 89; one, then 0.8 are sold
  // there, and 6 suffices.
  expect(trading.positions('ann')).toEqual([])
  expect(trading.positions('eve')).toEqual(['2.2 for 220'])
  expect(trading.collateral('eve')).toBe('30.2')
  expect(trading.imbalances()).toEqual([])
})

test('a position larger than any safe integer is liquidated in pieces that are exact', () => {
  const trading = openTrading({
    leverage: { ann: 50, bob: 1 },
    collateral: { ann: '4000000000000', bob: '1000000000000000' },
  })
  for (let count = 0; count < 20; count++) goLong(trading, '80000000000.1', '100')
  // 1.6 million million and two at 100: nearly eighteen times as many quanta as a safe integer holds.
  expect(trading.positions('ann')).toEqual(['1600000000002 for 160000000000200'])
  for (let count = 0; count < 10; count++) trading.order('bob', 'buy 80000000000.3 at 97.47')
  trading.mark('97.47')
  expect(trading.positions('ann')).toEqual([])
  expect(broken(trading.trading)).toEqual([])
  const { finished } = trading.traderOf('ann')
  expect([...finished.quanta].every((quanta) => Number.isSafeInteger(quanta))).toBe(true)
})
