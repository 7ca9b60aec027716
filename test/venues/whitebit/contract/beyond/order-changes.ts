import { expect } from 'vitest'
import { done } from '#test/venues/whitebit/contract/spec/reading.ts'
import { answered, beyond } from './clause.ts'
import { frozen, idOf, openIds, perp, placed, refuses, spot } from './placing.ts'

const gone = { code: 2, status: 400 }
const both = 'client_order_id order_id'

export const orderChanges = [
  beyond('order-changes', 'open orders are listed, newest first, those of both accounts', async (venue) => {
    await placed(venue, 'collateralLimit', { ...perp, client_order_id: 'a', postOnly: true })
    await placed(venue, 'spotLimit', { ...spot, client_order_id: 'b' })
    await placed(venue, 'collateralLimit', {
      ...perp,
      market: 'ETH_PERP',
      price: '3000',
      client_order_id: 'c',
    })
    await placed(venue, 'collateralLimit', { ...perp, side: 'sell', amount: '0.005' }, 'rival')
    expect(await answered(venue, 'openOrders')).toMatchObject([
      { client_order_id: 'c', market: 'ETH_PERP', type: 'margin limit', price: '3000' },
      { client_order_id: 'b', market: 'BTC_USDT', type: 'limit', left: '0.02' },
      {
        client_order_id: 'a',
        type: 'margin limit',
        amount: '0.02',
        left: '0.015',
        deal_money: '300',
        deal_fee: '0.03',
        status: 'PARTIALLY_FILLED',
        postOnly: true,
        positionSide: 'BOTH',
      },
    ])
    expect(await answered(venue, 'openOrders', {}, { as: 'rival' })).toEqual([])
  }),
  beyond('order-changes', 'open orders are narrowed by market, id and page', async (venue) => {
    const ids: number[] = []
    for (const client_order_id of ['a', 'b', 'c']) ids.push(await idOf(venue, { client_order_id }))
    await placed(venue, 'spotLimit', { ...spot, client_order_id: 'd' })
    expect(await openIds(venue, { market: 'BTC_PERP' })).toEqual(['c', 'b', 'a'])
    expect(await openIds(venue, { limit: 2 })).toEqual(['d', 'c'])
    expect(await openIds(venue, { limit: 2, offset: '3' })).toEqual(['a'])
    expect(await openIds(venue, { market: 'BTC_PERP', order_id: ids[1] })).toEqual(['b'])
    expect(await openIds(venue, { market: 'BTC_PERP', order_id: String(ids[1]) })).toEqual(['b'])
    expect(await openIds(venue, { market: 'BTC_PERP', client_order_id: 'a' })).toEqual(['a'])
    expect(await openIds(venue, { market: 'ETH_PERP', client_order_id: 'a' })).toEqual([])
    expect(await done(venue.paper.openOrders({ market: 'BTC_USDT' }))).toMatchObject([
      { client_order_id: 'd' },
    ])
    await refuses(venue, 'openOrders', { order_id: ids[0] }, 30, 'market')
    await refuses(venue, 'openOrders', { client_order_id: 'a' }, 30, 'market')
    await refuses(venue, 'openOrders', { market: 'BTC_EUR' }, 31, 'market')
    await refuses(venue, 'openOrders', { limit: 101 }, 30, 'limit')
  }),
  beyond(
    'order-changes',
    'an order is withdrawn by either of its ids, and holds nothing any more',
    async (venue) => {
      const order_id = await idOf(venue, { client_order_id: 'a' })
      await placed(venue, 'spotLimit', { ...spot, client_order_id: 'b' })
      expect(await frozen(venue)).toBe('2401.2')
      const first = await placed(venue, 'cancelOrder', { market: 'BTC_PERP', order_id })
      expect(first).toMatchObject({ order_id, status: 'CANCELED', left: '0.02', type: 'margin limit' })
      const second = await done(venue.paper.cancelOrder({ market: 'BTC_USDT', client_order_id: 'b' }))
      expect(second).toMatchObject({ client_order_id: 'b', status: 'CANCELED', type: 'limit' })
      expect(await frozen(venue)).toBe('0')
      expect(await openIds(venue)).toEqual([])
      const history = await done(venue.paper.orderHistory({}))
      expect(history['BTC_PERP']).toMatchObject([{ id: order_id, status: 'CANCELED' }])
    },
  ),
  beyond('order-changes', 'a part-filled order is withdrawn with what was left of it', async (venue) => {
    const order_id = await idOf(venue)
    await placed(venue, 'collateralLimit', { ...perp, side: 'sell', amount: '0.005' }, 'rival')
    expect(await placed(venue, 'cancelOrder', { market: 'BTC_PERP', order_id })).toMatchObject({
      deal_stock: '0.005',
      left: '0.015',
      status: 'CANCELED',
    })
    // 300 of margin for the position.
    const free = { ticker: 'USDT', from: 'collateral', to: 'main' }
    await answered(venue, 'transfer', { ...free, amount: '49699.97' })
  }),
  beyond('order-changes', 'what does not rest there cannot be withdrawn: code 2', async (venue) => {
    const order_id = await idOf(venue, { client_order_id: 'a' })
    const about = { market: 'BTC_PERP' }
    await refuses(venue, 'cancelOrder', { ...about, order_id: 7 }, gone.code, 'order_id', gone)
    await refuses(venue, 'cancelOrder', { ...about, client_order_id: 'b' }, 2, 'client_order_id', gone)
    await refuses(venue, 'cancelOrder', { market: 'ETH_PERP', order_id }, 2, 'order_id', gone)
    await refuses(venue, 'cancelOrder', { ...about, order_id }, 2, 'order_id', { ...gone, as: 'rival' })
    await answered(venue, 'cancelOrder', { ...about, order_id })
    await refuses(venue, 'cancelOrder', { ...about, order_id }, 2, 'order_id', gone)
    await refuses(venue, 'cancelOrder', { ...about, client_order_id: 'a' }, 2, 'client_order_id', gone)
  }),
  beyond('order-changes', 'exactly one of the two ids is named, and the market', async (venue) => {
    const order_id = await idOf(venue, { client_order_id: 'a' })
    for (const name of ['cancelOrder', 'modifyOrder'] as const) {
      const about = { market: 'BTC_PERP', ...(name === 'modifyOrder' ? { price: '60001' } : {}) }
      await refuses(venue, name, about, 30, both)
      await refuses(venue, name, { ...about, order_id, client_order_id: 'a' }, 30, both)
      await refuses(venue, name, { ...about, market: undefined, order_id }, 30, 'market')
      await refuses(venue, name, { ...about, market: 'BTC_EUR', order_id }, 31, 'market')
      for (const wrong of [0, -1, 1.5, 'x', null]) {
        await refuses(venue, name, { ...about, order_id: wrong }, 30, 'order_id')
      }
      await refuses(venue, name, { ...about, client_order_id: '' }, 30, 'client_order_id')
    }
  }),
  beyond('order-changes', 'several orders are withdrawn in one call, each by itself', async (venue) => {
    const order_id = await idOf(venue, { client_order_id: 'a' })
    await placed(venue, 'spotLimit', { ...spot, client_order_id: 'b' })
    const named = { market: 'BTC_PERP', client_order_id: 'a' }
    const answer = await answered(venue, 'cancelOrders', {
      orders: [
        { market: 'BTC_PERP', order_id },
        named,
        { market: 'BTC_USDT', client_order_id: 'b' },
        { ...named, order_id },
        { market: 'BTC_EUR', order_id },
      ],
    })
    expect(answer).toEqual([
      { result: { order_id, client_order_id: 'a', market: 'BTC_PERP' }, error: null },
      {
        result: null,
        error: {
          code: 404,
          message: 'Validation failed',
          errors: { client_order_id: ['Order does not exist or already cancelled'] },
        },
      },
      { result: expect.objectContaining({ client_order_id: 'b', market: 'BTC_USDT' }), error: null },
      { result: null, error: expect.objectContaining({ code: 30 }) },
      { result: null, error: expect.objectContaining({ code: 31 }) },
    ])
    expect(await openIds(venue)).toEqual([])
    const wrong = [
      [[], 'The orders may not be empty.'],
      [Array.from({ length: 101 }, () => named), 'The orders may not have more than 100 items.'],
      [{}, 'The orders must be an array.'],
      [undefined, 'The orders field is required.'],
    ]
    for (const [orders, text] of wrong)
      expect(await refuses(venue, 'cancelOrders', { orders }, 30, 'orders')).toBe(text)
    await refuses(venue, 'cancelOrders', { orders: [{ client_order_id: 'a' }] }, 30, 'orders.0.market')
  }),
  beyond(
    'order-changes',
    'withdrawals speak camel too',
    async (venue) => {
      const placedOrder = await placed(venue, 'collateralLimit', { ...perp, clientOrderId: 'a' })
      const about = { market: 'BTC_PERP', orderId: placedOrder['orderId'] }
      const list = await answered(venue, 'openOrders', about)
      expect(list).toMatchObject([{ orderId: about.orderId, clientOrderId: 'a', dealMoney: '0' }])
      const changed = await placed(venue, 'modifyOrder', { ...about, price: '59000' })
      expect(changed).toMatchObject({ clientOrderId: 'a', price: '59000' })
      const order = { market: 'BTC_PERP', clientOrderId: 'a' }
      await refuses(venue, 'cancelOrders', { orders: [{ ...order, orderId: 'x' }] }, 30, 'orders.0.orderId')
      const activation = { ...order, activationPrice: '1' }
      await refuses(venue, 'modifyOrder', activation, 158, 'activationPrice', { status: 400 })
      expect(await answered(venue, 'cancelOrders', { orders: [order] })).toMatchObject([
        { result: { orderId: changed['orderId'], clientOrderId: 'a' } },
      ])
    },
    { spelling: 'camel' },
  ),
  beyond(
    'order-changes',
    'all orders are withdrawn, or those of a market, a kind or a side',
    async (venue) => {
      const place = async () => {
        await placed(venue, 'collateralLimit', perp)
        await placed(venue, 'collateralLimit', { ...perp, market: 'ETH_PERP', price: '3000' })
        await placed(venue, 'collateralLimit', { ...spot, price: '50000' })
        await placed(venue, 'spotLimit', spot)
      }
      const left = async () => {
        const orders: { market: string; type: string }[] = Object(await answered(venue, 'openOrders'))
        return orders.map(({ market, type }) => `${market} ${type}`)
      }
      const [eth, perpetual, margin, own] = [
        'ETH_PERP margin limit',
        'BTC_PERP margin limit',
        'BTC_USDT margin limit',
        'BTC_USDT limit',
      ]
      const cases: [object, unknown[]][] = [
        [{}, []],
        [{ market: 'BTC_PERP' }, [own, margin, eth]],
        [{ type: ['spot'] }, [margin, eth, perpetual]],
        [{ type: ['margin', 'futures'] }, [own]],
        [{ market: 'BTC_USDT', type: ['futures'] }, [own, margin, eth, perpetual]],
        [{ positionSide: 'both', type: ['futures'] }, [own, margin]],
        [{ positionSide: 'long', type: ['futures'] }, [own, margin, eth, perpetual]],
      ]
      for (const [about, rest] of cases) {
        await place()
        expect(await answered(venue, 'cancelAll', about)).toEqual([])
        expect(await left(), JSON.stringify(about)).toEqual(rest)
        await answered(venue, 'cancelAll')
      }
      expect(await frozen(venue)).toBe('0')
    },
  ),
  beyond(
    'order-changes',
    'withdrawing all leaves the orders of others alone, and refuses what it does not know',
    async (venue) => {
      await placed(venue, 'collateralLimit', perp, 'rival')
      await done(venue.paper.cancelAll({}))
      expect(await answered(venue, 'openOrders', {}, { as: 'rival' })).toHaveLength(1)
      await refuses(venue, 'cancelAll', { market: 'BTC_EUR' }, 31, 'market')
      await refuses(venue, 'cancelAll', { type: [] }, 30, 'type')
      await refuses(venue, 'cancelAll', { type: 'spot' }, 30, 'type')
      await refuses(venue, 'cancelAll', { type: ['all'] }, 30, 'type.0')
      await refuses(venue, 'cancelAll', { positionSide: 'LONG' }, 30, 'positionSide')
    },
  ),
]
