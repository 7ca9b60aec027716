import { expect } from 'vitest'
import type { TestVenue } from '#test/support/venue.ts'
import { done } from '#test/venues/whitebit/contract/spec/reading.ts'
import { beyond } from '#test/venues/whitebit/contract/beyond/clause.ts'
import { asked, sent, told, toldInside, trade } from './public-calls.ts'

const perp = { market: 'BTC_PERP' }
const beginsAt = 1_790_000_000

/** Three trades: two bought, half a minute apart, and one sold two minutes after the second. */
async function threeTrades(venue: TestVenue) {
  await trade(venue, { price: '60000', amount: '0.02' })
  venue.advance(30_000)
  await trade(venue, { price: '61000', amount: '0.01' })
  venue.advance(120_000)
  await trade(venue, { price: '59999.9', amount: '0.03', side: 'sell' })
}

export const marketData = [
  beyond('reference-data', 'the time is that of the venue, in whole seconds', async (venue) => {
    expect(await told(venue, 'time')).toEqual({ time: beginsAt })
    venue.advance(2750)
    expect(await done(venue.paper.time())).toEqual({ time: beginsAt + 3 })
    expect(await told(venue, 'platformStatus')).toEqual({ status: 'system operational' })
    expect(await done(venue.paper.platformStatus())).toEqual({ status: 'system operational' })
  }),
  beyond('reference-data', 'markets are listed in the order of the world, with its rules', async (venue) => {
    const markets = await done(venue.paper.markets())
    const names = ['BTC_USDT', 'ETH_USDT', 'SOL_USDT', 'BTC_PERP', 'ETH_PERP', 'SOL_PERP']
    expect(markets.map(({ name }) => name)).toEqual(names)
    expect(markets[3]).toEqual({
      name: 'BTC_PERP',
      stock: 'BTC',
      money: 'USDT',
      stockPrec: '3',
      moneyPrec: '1',
      feePrec: '18',
      makerFee: '0.01',
      takerFee: '0.035',
      minAmount: '0.001',
      minTotal: '5',
      maxTotal: '10000000',
      tradesEnabled: true,
      isCollateral: true,
      type: 'futures',
      isTradFiFutures: false,
      delistedAt: null,
      tickSize: '0.1',
      stepSize: '0.001',
    })
    expect(markets[0]).toMatchObject({ type: 'spot', takerFee: '0.1', stockPrec: '6', moneyPrec: '2' })
    expect(await told(venue, 'markets')).toEqual(markets)
    expect(await toldInside(venue, 'collateralMarkets')).toEqual(names)
    expect((await done(venue.paper.collateralMarkets())).result).toEqual(names)
  }),
  beyond('reference-data', 'currencies tell their networks and minima, and cost nothing', async (venue) => {
    const assets = await done(venue.paper.assets())
    expect(Object.keys(assets)).toEqual(['USDT', 'BTC', 'ETH', 'SOL', 'EUR', 'USD'])
    expect(assets['USDT']).toMatchObject({
      can_deposit: true,
      can_withdraw: false,
      min_deposit: '5',
      maker_fee: '0.1',
      taker_fee: '0.1',
      networks: { deposits: ['ERC20', 'TRC20', 'SOL'], default: 'ERC20' },
      limits: { deposit: { TRC20: { min: '5' } } },
    })
    expect(assets['EUR']).toMatchObject({
      can_deposit: false,
      providers: { deposits: [], withdraws: [] },
    })
    expect(assets['EUR']).not.toHaveProperty('networks')
    expect(await told(venue, 'assets')).toEqual(assets)
    const fees = await done(venue.paper.fee())
    const free = { max_amount: '0', min_amount: '0.0001', fixed: null, flex: null }
    expect(fees['BTC']).toMatchObject({ is_depositable: true, is_withdrawal: false, deposit: free })
    expect(await told(venue, 'fee')).toEqual(fees)
  }),
  beyond('prices', 'before a market has traded its prices are those of the world', async (venue) => {
    const tickers = await done(venue.paper.ticker())
    expect(tickers['ETH_USDT']).toEqual({
      base_id: 0,
      quote_id: 0,
      last_price: '3000',
      quote_volume: '0',
      base_volume: '0',
      isFrozen: false,
      change: '0',
    })
    expect(Object.values(tickers).map((each) => each.last_price)).toEqual([
      '60000',
      '3000',
      '150',
      '60000',
      '3000',
      '150',
    ])
    const { result } = await done(venue.paper.marketTicker(perp))
    const still = { open: '60000', bid: '0', ask: '0', low: '60000', high: '60000', last: '60000' }
    expect(result).toEqual({ ...still, volume: '0', deal: '0', change: '0' })
    expect((await done(venue.paper.kline(perp))).result).toEqual([])
    expect(await done(venue.paper.trades(perp))).toEqual([])
  }),
  beyond('prices', 'tickers sum up the trades of a day, to the last digit', async (venue) => {
    await threeTrades(venue)
    expect((await done(venue.paper.ticker()))['BTC_PERP']).toEqual({
      base_id: 0,
      quote_id: 0,
      last_price: '59999.9',
      // 1200 and 610 and 1799.997
      quote_volume: '3609.997',
      base_volume: '0.06',
      isFrozen: false,
      change: '0',
    })
    await sent(venue, 'paper', [{ price: '59000' }, { side: 'sell', price: '60500' }])
    const prices = { open: '60000', bid: '59000', ask: '60500', low: '59999.9', high: '61000' }
    const volumes = { last: '59999.9', volume: '0.06', deal: '3609.997', change: '0' }
    expect(await toldInside(venue, 'marketTicker', perp)).toEqual({ ...prices, ...volumes })
    expect((await done(venue.paper.ticker()))['BTC_USDT']).toMatchObject({ base_volume: '0' })
    // The two first trades fall into two minutes, which leave the day one after the other.
    venue.advance(86_400_000 - 150_000)
    expect((await done(venue.paper.ticker()))['BTC_PERP']).toMatchObject({
      base_volume: '0.03',
      change: '0',
    })
    venue.advance(200_000)
    expect(await toldInside(venue, 'marketTicker', perp)).toMatchObject({
      volume: '0',
      last: '59999.9',
      open: '59999.9',
    })
  }),
  beyond('prices', 'change is in percent of the first price of the day', async (venue) => {
    await trade(venue, { price: '60000', amount: '0.01' })
    await trade(venue, { price: '59658', amount: '0.01' })
    expect((await done(venue.paper.ticker()))['BTC_PERP']?.change).toBe('-0.57')
  }),
  beyond('books', 'trades are shown newest first, under the swapped names', async (venue) => {
    await threeTrades(venue)
    const trades = await done(venue.paper.trades(perp))
    expect(trades).toEqual([
      {
        tradeID: 3,
        price: '59999.9',
        quote_volume: '0.03',
        base_volume: '1799.997',
        trade_timestamp: beginsAt + 150,
        type: 'sell',
        rpi: false,
      },
      expect.objectContaining({ tradeID: 2, base_volume: '610', trade_timestamp: beginsAt + 30 }),
      expect.objectContaining({ tradeID: 1, price: '60000', type: 'buy', trade_timestamp: beginsAt }),
    ])
    expect(await told(venue, 'trades', { ...perp, type: 'sell' })).toEqual(trades.slice(0, 1))
    expect(await done(venue.paper.trades({ ...perp, type: 'buy' }))).toEqual(trades.slice(1))
    expect(await done(venue.paper.trades({ market: 'ETH_PERP' }))).toEqual([])
  }),
  beyond('books', 'an rpi order is in no book, and its trade is marked', async (venue) => {
    await sent(venue, 'paper', [{ side: 'sell', price: '60000', rpi: true, amount: '0.02' }])
    await sent(venue, 'paper', [{ side: 'sell', price: '60001' }])
    const { asks } = await done(venue.paper.orderbook(perp))
    expect(asks).toEqual([['60001', '0.01']])
    await sent(venue, 'rival', [{ price: '60000' }])
    expect(await done(venue.paper.trades(perp))).toMatchObject([{ price: '60000', rpi: true }])
    expect((await done(venue.paper.orderbook(perp))).asks).toEqual(asks)
  }),
  beyond('books', 'the book joins the orders of a price, best first', async (venue) => {
    await trade(venue, { price: '60000', amount: '0.01' })
    const prices = ['59999.9', '59999.9', '59990', '58000']
    await sent(
      venue,
      'paper',
      prices.map((price) => ({ price })),
    )
    await sent(venue, 'paper', [
      { side: 'sell', price: '60010.1' },
      { side: 'sell', price: '60000' },
    ])
    const bids = [
      ['59999.9', '0.02'],
      ['59990', '0.01'],
      ['58000', '0.01'],
    ]
    const asks = [
      ['60000', '0.01'],
      ['60010.1', '0.01'],
    ]
    const book = { ticker_id: 'BTC_PERP', timestamp: beginsAt, asks, bids }
    expect(await told(venue, 'orderbook', perp)).toEqual(book)
    expect(await told(venue, 'orderbook', { ...perp, limit: 0, level: 0 })).toEqual(book)
    const short = { ...book, asks: asks.slice(0, 1), bids: bids.slice(0, 1) }
    expect(await done(venue.paper.orderbook({ ...perp, limit: 1 }))).toEqual(short)
    // Two percent of 60000 are 1200: 50000 is too far away.
    expect(await told(venue, 'depth', perp)).toEqual({ ...book, bids: bids.slice(0, 2) })
    await sent(venue, 'rival', [{ side: 'sell', price: '59999.9', amount: '0.015' }])
    expect((await done(venue.paper.orderbook(perp))).bids[0]).toEqual(['59999.9', '0.005'])
  }),
  beyond('books', 'a level of the book joins ten times the steps of the one before', async (venue) => {
    const bids = ['59999.9', '59999.1', '59998.7', '59911']
    const asks = ['60000', '60000.1', '60001', '60088.8']
    await sent(venue, 'paper', [
      ...bids.map((price) => ({ price })),
      ...asks.map((price) => ({ side: 'sell' as const, price })),
    ])
    const one = await done(venue.paper.orderbook({ ...perp, level: 1 }))
    expect(one.bids).toEqual([
      ['59999', '0.02'],
      ['59998', '0.01'],
      ['59911', '0.01'],
    ])
    expect(one.asks).toEqual([
      ['60000', '0.01'],
      ['60001', '0.02'],
      ['60089', '0.01'],
    ])
    const three = await done(venue.paper.orderbook({ ...perp, level: 3, limit: 1 }))
    expect(three).toMatchObject({ bids: [['59900', '0.04']], asks: [['60000', '0.01']] })
    const far = await done(venue.paper.orderbook({ ...perp, level: 99 }))
    expect(far).toEqual(await done(venue.paper.orderbook({ ...perp, level: 10 })))
    expect(await told(venue, 'orderbook', { ...perp, level: -5 })).toEqual(
      await told(venue, 'orderbook', perp),
    )
  }),
  beyond('books', 'the depth reaches to two percent of the last price, ends included', async (venue) => {
    await trade(venue, { price: '50000', amount: '0.01' })
    const prices = ['49000', '48999.9', '51000', '51000.1']
    await sent(
      venue,
      'paper',
      prices.map((price, index) => ({ price, side: index < 2 ? 'buy' : 'sell' })),
    )
    const { bids, asks } = await done(venue.paper.depth(perp))
    expect({ bids, asks }).toEqual({ bids: [['49000', '0.01']], asks: [['51000', '0.01']] })
  }),
  beyond('futures', 'futures tell what is open, and when funding is paid', async (venue) => {
    await threeTrades(venue)
    await sent(venue, 'paper', [{ price: '59000' }, { side: 'sell', price: '60500' }])
    const { result } = await done(venue.paper.futures())
    expect(result.map((each) => each.ticker_id)).toEqual(['BTC_PERP', 'ETH_PERP', 'SOL_PERP'])
    expect(result[0]).toMatchObject({
      stock_currency: 'BTC',
      money_currency: 'USDT',
      last_price: '59999.9',
      stock_volume: '0.06',
      money_volume: '3609.997',
      bid: '59000',
      ask: '60500',
      high: '61000',
      low: '59999.9',
      product_type: 'Perpetual',
      // All that was bought was sold again.
      open_interest: '0',
      index_price: '60000',
      funding_rate: '0',
      // 16:00 UTC; the world begins at 14:13:20.
      next_funding_rate_timestamp: '1790006400000',
      max_leverage: 100,
      funding_interval_minutes: 480,
    })
    await trade(venue, { price: '60000', amount: '0.004' })
    expect((await done(venue.paper.futures())).result[0]).toMatchObject({
      open_interest: '0.004',
      mark_price: '60000',
    })
  }),
  beyond('futures', 'funding that was paid is listed, newest first', async (venue) => {
    await trade(venue, { price: '60000', amount: '0.01' })
    expect(await done(venue.paper.fundingRates(perp))).toEqual([])
    venue.advance(24 * 3_600_000)
    const settled = ['1790064000', '1790035200', '1790006400'].map((at) => ({
      fundingTime: at,
      fundingRate: '0',
      market: 'BTC_PERP',
      settlementPrice: '60000',
      rateCalculatedTime: at,
    }))
    expect(await told(venue, 'fundingRates', perp)).toEqual(settled)
    expect(await done(venue.paper.fundingRates({ ...perp, limit: 1, offset: 1 }))).toEqual([settled[1]])
    const range = { ...perp, startDate: 1_790_035_200, endDate: 1_790_063_999 }
    expect(await told(venue, 'fundingRates', range)).toEqual([settled[1]])
    const backwards = await asked(venue, 'fundingRates', { ...perp, startDate: 9, endDate: 8 })
    expect(backwards.status).toBe(422)
    expect(Object.keys(JSON.parse(backwards.body))).toEqual(['endDate'])
    expect((await asked(venue, 'fundingRates', { market: 'BTC_USDT' })).status).toBe(422)
  }),
]
