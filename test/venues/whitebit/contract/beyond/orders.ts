import { expect } from 'vitest'
import { done } from '#test/venues/whitebit/contract/spec/reading.ts'
import { answered, beyond, holds } from './clause.ts'
import { perp, placed, spot, traded } from './placing.ts'

export const orders = [
  beyond('orders', 'a collateral limit order rests, and is told of in full', async (venue) => {
    const { timestamp, ...order } = await placed(venue, 'collateralLimit', {
      ...perp,
      side: 'buy',
      client_order_id: 'a',
      postOnly: true,
      positionSide: 'LONG',
      stp: 'cancel_new',
    })
    expect(timestamp).toBe(1_790_000_000.25)
    expect(order).toEqual({
      order_id: 1_000_000_000_001,
      client_order_id: 'a',
      market: 'BTC_PERP',
      side: 'buy',
      type: 'limit',
      deal_money: '0',
      deal_stock: '0',
      amount: '0.02',
      left: '0.02',
      deal_fee: '0',
      ioc: false,
      postOnly: true,
      price: '60000',
      status: 'OPEN',
      stp: 'cn',
      oto: null,
      positionSide: 'BOTH',
      rpi: false,
      reduceOnly: false,
    })
  }),
  beyond('orders', 'a collateral market order takes what is there, and has no price', async (venue) => {
    await placed(venue, 'collateralLimit', { ...perp, side: 'buy' }, 'rival')
    const order = await placed(venue, 'collateralMarket', {
      market: 'BTC_PERP',
      side: 'sell',
      amount: '0.015',
    })
    expect(order).toMatchObject({
      type: 'market',
      deal_money: '900',
      deal_stock: '0.015',
      left: '0',
      // 0.035 percent of 900
      deal_fee: '0.315',
      status: 'FILLED',
    })
    expect(order).not.toHaveProperty('price')
    expect(holds(venue, 'collateral/paper', 'USDT')).toBe('49999.685')
    // The maker pays 0.01 percent.
    expect(holds(venue, 'collateral/rival', 'USDT')).toBe('49999.91')
    expect(holds(venue, 'fees', 'USDT')).toBe('0.405')
  }),
  beyond('orders', 'the typed client places each of them', async (venue) => {
    const maker = { market: 'BTC_USDT', side: 'sell', amount: '1', price: '50000' } as const
    await done(venue.paper.spotLimit(maker))
    const bought = await done(venue.rival.spotMarket({ market: 'BTC_USDT', side: 'buy', amount: '100' }))
    expect(bought).toMatchObject({ deal_stock: '0.002', deal_money: '100', status: 'FILLED' })
    const more = { market: 'BTC_USDT', side: 'buy', amount: '0.01' } as const
    expect(await done(venue.rival.spotStockMarket(more))).toMatchObject({ deal_money: '500' })
    const [first] = await done(venue.rival.spotBulk({ orders: [{ ...more, price: '40000', stp: 'co' }] }))
    expect(first?.result).toMatchObject({ status: 'OPEN', stp: 'co', price: '40000' })
    const short = { market: 'BTC_USDT', side: 'sell', amount: '0.1', price: '60000' } as const
    expect(await done(venue.paper.collateralLimit(short))).toMatchObject({ left: '0.1' })
    const long = { market: 'BTC_USDT', side: 'buy', amount: '0.1' } as const
    expect(await done(venue.rival.collateralMarket(long))).toMatchObject({ deal_money: '5000' })
  }),
  beyond(
    'orders',
    'camel spelling is understood and answered',
    async (venue) => {
      const order = await placed(venue, 'spotLimit', { ...spot, side: 'buy', clientOrderId: 'a' })
      expect(order).toMatchObject({ orderId: 1_000_000_000_001, clientOrderId: 'a', dealMoney: '0' })
      const list = await answered(venue, 'spotBulk', {
        orders: [{ ...spot, side: 'buy', clientOrderId: 'b' }],
      })
      expect(list).toMatchObject([{ result: { clientOrderId: 'b', dealStock: '0', dealFee: '0' } }])
    },
    { spelling: 'camel' },
  ),
  beyond('orders', 'amounts and prices may be JSON numbers, ids of text only', async (venue) => {
    const order = { market: 'BTC_PERP', side: 'buy', amount: 0.02, price: 60_000.5 }
    expect(await placed(venue, 'collateralLimit', order)).toMatchObject({ amount: '0.02', price: '60000.5' })
    const bulk = await answered(venue, 'collateralBulk', { orders: [order] })
    expect(bulk).toMatchObject([{ result: { amount: '0.02', price: '60000.5' }, error: null }])
  }),
  beyond('orders', 'a market order ends at the band around the best price', async (venue) => {
    for (const price of ['60000', '63000', '63000.1']) {
      await placed(venue, 'collateralLimit', { ...perp, side: 'sell', amount: '0.01', price }, 'rival')
    }
    const buy = { market: 'BTC_PERP', side: 'buy', amount: '0.03' }
    expect(await placed(venue, 'collateralMarket', buy)).toMatchObject({
      deal_stock: '0.02',
      deal_money: '1230',
      left: '0.01',
      status: 'CANCELED_TAKER_BAND',
    })
  }),
  beyond(
    'orders',
    'a world may name another band for market orders',
    async (venue) => {
      for (const price of ['60000', '59400', '59399.9']) {
        await placed(venue, 'collateralLimit', { ...perp, side: 'buy', amount: '0.01', price }, 'rival')
      }
      const sell = { market: 'BTC_PERP', side: 'sell', amount: '0.03' }
      expect(await placed(venue, 'collateralMarket', sell)).toMatchObject({
        deal_money: '1194',
        left: '0.01',
      })
    },
    { world: { switches: { takerBand: '1' } } },
  ),
  beyond('orders', 'stp says what becomes of two orders of one account that meet', async (venue) => {
    const resting = { ...perp, side: 'sell', amount: '0.01' } as const
    const coming = { ...perp, side: 'buy', amount: '0.01' } as const
    for (const [stp, status] of [
      ['cn', 'CANCELED_STP'],
      ['cb', 'CANCELED_STP'],
      ['co', 'OPEN'],
      ['no', 'FILLED'],
    ] as const) {
      const id = `r.${stp}`
      await placed(venue, 'collateralLimit', { ...resting, client_order_id: id })
      const order = await placed(venue, 'collateralLimit', { ...coming, stp })
      expect(order, stp).toMatchObject({ status, stp })
      // Whatever still stands is cleared by the other account.
      const sweep = { ...perp, side: stp === 'co' ? 'sell' : 'buy', amount: '0.01', ioc: true }
      const swept = await placed(venue, 'collateralLimit', sweep, 'rival')
      expect(swept['deal_stock'], stp).toBe(stp === 'cn' || stp === 'co' ? '0.01' : '0')
    }
  }),
  beyond('orders', 'reduceOnly is cut to the position, and ends with it', async (venue) => {
    await traded(venue)
    const sell = { ...perp, side: 'sell', amount: '0.05', reduceOnly: true }
    const resting = await placed(venue, 'collateralLimit', { ...sell, price: '61000' })
    expect(resting).toMatchObject({ amount: '0.02', left: '0.02', reduceOnly: true, status: 'OPEN' })
    await placed(venue, 'collateralLimit', { ...perp, side: 'buy', price: '59000' }, 'rival')
    const close = await placed(venue, 'collateralMarket', {
      market: 'BTC_PERP',
      side: 'sell',
      amount: '1',
      reduceOnly: true,
    })
    expect(close).toMatchObject({ amount: '0.02', status: 'FILLED', reduceOnly: true })
    const history = await done(venue.paper.orderHistory({}))
    expect(history['BTC_PERP']?.map((order) => order.status)).toEqual([
      'FILLED',
      'AUTO_CANCELED_REDUCE_ONLY',
      'FILLED',
    ])
  }),
  beyond('orders', 'reduceOnly goes into a bulk of collateral orders too', async (venue) => {
    await traded(venue)
    const outcome = await venue.paper.collateralBulk({
      orders: [
        { ...perp, side: 'sell', amount: '0.05', price: '61000', reduceOnly: true },
        { ...perp, side: 'buy', reduceOnly: true },
      ],
    })
    expect(outcome.orders).toMatchObject([
      { kind: 'accepted', order: { amount: '0.02', positionSide: 'BOTH' } },
      { kind: 'refused', code: 116 },
    ])
    const other = await answered(venue, 'collateralBulk', { orders: [{ ...perp, side: 'buy', stp: 'cn' }] })
    expect(other).toMatchObject([{ error: { code: 30, errors: { stp: ['This field is not known.'] } } }])
  }),
]
