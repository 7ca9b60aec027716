import { expect } from 'vitest'
import { done } from '#test/venues/whitebit/contract/spec/reading.ts'
import { answered, beyond, holds } from './clause.ts'
import { placed, spot } from './placing.ts'

const wallets = { paper: 'spot/paper', rival: 'spot/rival' } as const

export const spotOrders = [
  beyond(
    'orders',
    'two accounts trade on the spot market: goods against money, fees in money',
    async (venue) => {
      const bid = await placed(venue, 'spotLimit', { ...spot, side: 'buy' }, 'rival')
      expect(bid).toMatchObject({ type: 'limit', status: 'OPEN', left: '0.02' })
      expect(bid).not.toHaveProperty('positionSide')
      // 1200 and a fee of 0.1 percent are held.
      const held = await done(venue.rival.tradingBalance({ ticker: 'USDT' }))
      expect(held).toEqual({ USDT: { available: '48798.8', freeze: '1201.2' } })
      const ask = await placed(venue, 'spotLimit', { ...spot, side: 'sell', price: '59000' })
      expect(ask).toMatchObject({ deal_money: '1200', deal_stock: '0.02', deal_fee: '1.2', status: 'FILLED' })
      expect(holds(venue, wallets.rival, 'USDT')).toBe('48798.8')
      expect(holds(venue, 'fees', 'USDT')).toBe('2.4')
      expect(holds(venue, wallets.rival, 'BTC')).toBe('0.02')
      expect(holds(venue, wallets.paper, 'USDT')).toBe('51198.8')
      expect(holds(venue, wallets.paper, 'BTC')).toBe('0.98')
      const free = await done(venue.rival.tradingBalance({ ticker: 'USDT' }))
      expect(free).toEqual({ USDT: { available: '48798.8', freeze: '0' } })
    },
  ),
  beyond('orders', 'spot and collateral orders of one market meet in one book', async (venue) => {
    await placed(venue, 'spotLimit', { ...spot, side: 'sell' })
    const long = await placed(venue, 'collateralLimit', { ...spot, side: 'buy' }, 'rival')
    expect(long).toMatchObject({ status: 'FILLED', deal_fee: '1.2', positionSide: 'BOTH' })
    expect(holds(venue, wallets.paper, 'BTC')).toBe('0.98')
    expect(holds(venue, wallets.paper, 'USDT')).toBe('51198.8')
    expect(holds(venue, wallets.rival, 'BTC')).toBe('0')
    // The buyer has no goods but a position: the clearing book holds them against it.
    expect(holds(venue, 'clearing', 'BTC')).toBe('0.02')
    expect(holds(venue, 'collateral/rival', 'USDT')).toBe('49998.8')
  }),
  beyond('orders', 'a spot sell holds its goods, which cannot be offered twice', async (venue) => {
    await placed(venue, 'spotLimit', { ...spot, side: 'sell', amount: '0.7', price: '60000' })
    const held = await done(venue.paper.tradingBalance({ ticker: 'BTC' }))
    expect(held).toEqual({ BTC: { available: '0.3', freeze: '0.7' } })
    await placed(venue, 'spotLimit', { ...spot, side: 'sell', amount: '0.3', price: '60000' })
  }),
  beyond('orders', 'a spot market buy spends its amount of money and not more', async (venue) => {
    await placed(venue, 'spotLimit', { ...spot, side: 'sell', amount: '0.01', price: '60000' })
    await placed(venue, 'spotLimit', { ...spot, side: 'sell', amount: '0.01', price: '61000.01' })
    const buy = { market: 'BTC_USDT', side: 'buy', amount: '800' }
    const order = await placed(venue, 'spotMarket', buy, 'rival')
    // 0.01 for 600, and for the other 200 as many lots of 0.000001 at 61000.01 as they buy.
    expect(order).toMatchObject({
      type: 'market',
      amount: '0.013278',
      deal_stock: '0.013278',
      deal_money: '799.95803278',
      left: '0',
      status: 'FILLED',
    })
    expect(order).not.toHaveProperty('price')
    // 50000 - 799.95803278 - 0.79995803278
    expect(holds(venue, wallets.rival, 'USDT')).toBe('49199.24200918722')
  }),
  beyond('orders', 'money that finds nobody is left over', async (venue) => {
    await placed(venue, 'spotLimit', { ...spot, side: 'sell', amount: '0.001', price: '60000' })
    const order = await placed(
      venue,
      'spotMarket',
      { market: 'BTC_USDT', side: 'buy', amount: '123' },
      'rival',
    )
    // 60 are spent; the other 63 would buy a thousandth at the end of the band, which is 63000.
    expect(order).toMatchObject({
      amount: '0.002',
      left: '0.001',
      deal_money: '60',
      status: 'CANCELED_TAKER_BAND',
    })
  }),
  beyond('orders', 'a spot market sell is for goods, and so is stock_market on both sides', async (venue) => {
    await placed(venue, 'spotLimit', { ...spot, side: 'buy', amount: '0.02' }, 'rival')
    const sold = await placed(venue, 'spotMarket', { market: 'BTC_USDT', side: 'sell', amount: '0.01' })
    expect(sold).toMatchObject({ type: 'market', deal_stock: '0.01', deal_money: '600', deal_fee: '0.6' })
    const rest = await placed(venue, 'spotStockMarket', { market: 'BTC_USDT', side: 'sell', amount: '0.005' })
    expect(rest).toMatchObject({ type: 'stock market', deal_money: '300', status: 'FILLED' })
    await placed(venue, 'spotLimit', { ...spot, side: 'sell', amount: '0.5', price: '60010' })
    const bought = await placed(
      venue,
      'spotStockMarket',
      { market: 'BTC_USDT', side: 'buy', amount: '0.4' },
      'rival',
    )
    expect(bought).toMatchObject({ type: 'stock market', deal_stock: '0.4', deal_money: '24004' })
  }),
  beyond('orders', 'a spot market buy may spend all that is there, fee and all', async (venue) => {
    await placed(venue, 'spotLimit', { ...spot, side: 'sell', amount: '1', price: '49950.04' })
    // 0.999 for 49900.08996, and a fee of 49.90008996, are 49949.99004996; one lot more would not be.
    const buy = { market: 'BTC_USDT', side: 'buy', amount: '49950.04' }
    const order = await placed(venue, 'spotMarket', buy, 'rival')
    expect(order).toMatchObject({ deal_stock: '1', deal_fee: '49.95004' })
    expect(holds(venue, wallets.rival, 'USDT')).toBe('0.00996')
  }),
  beyond(
    'orders',
    'a bulk of spot orders has a result or an error for each, and stp by item',
    async (venue) => {
      const good = { ...spot, side: 'sell', amount: '0.01' }
      const answer = await answered(venue, 'spotBulk', {
        orders: [
          { ...good, stp: 'cb' },
          { ...good, amount: '0' },
          { ...good, positionSide: 'LONG' },
          { ...good, amount: '0.9999' },
        ],
      })
      expect(answer).toMatchObject([
        { result: { stp: 'cb', status: 'OPEN' }, error: null },
        { result: null, error: { code: 32, errors: { amount: ['Amount should be greater than 0.'] } } },
        { result: null, error: { code: 30, errors: { positionSide: ['This field is not known.'] } } },
        { result: null, error: { code: 10, errors: { amount: ['Not enough balance.'] } } },
      ])
      const stopped = await answered(venue, 'spotBulk', {
        orders: [good, { ...good, side: 'up' }, good],
        stopOnFail: true,
      })
      expect(stopped).toMatchObject([{ error: null }, { result: null }])
      expect(stopped).toHaveLength(2)
    },
  ),
]
