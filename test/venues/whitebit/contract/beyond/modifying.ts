import { expect } from 'vitest'
import { done } from '#test/venues/whitebit/contract/spec/reading.ts'
import { answered, beyond } from './clause.ts'
import { frozen, idOf, openIds, perp, placed, refuses, traded } from './placing.ts'

const gone = { status: 400 }

export const modifying = [
  beyond(
    'order-changes',
    'a changed order has a new id, the old client id, and stands behind the others',
    async (venue) => {
      const order_id = await idOf(venue, { client_order_id: 'a', price: '59000' })
      await placed(venue, 'collateralLimit', { ...perp, client_order_id: 'b', amount: '0.01' }, 'rival')
      const changed = await done(
        venue.paper.modifyOrder({ market: 'BTC_PERP', order_id, price: '60000', stp: 'co' }),
      )
      expect(changed).toMatchObject({
        client_order_id: 'a',
        price: '60000',
        amount: '0.02',
        status: 'OPEN',
        stp: 'co',
      })
      expect(changed.order_id).toBe(order_id + 1)
      expect(await frozen(venue)).toBe('1200')
      // Whoever came first at 60000 sells first.
      await placed(venue, 'collateralLimit', { ...perp, side: 'sell', amount: '0.005' })
      expect(await answered(venue, 'openOrders', {}, { as: 'rival' })).toMatchObject([{ left: '0.005' }])
      await refuses(venue, 'cancelOrder', { market: 'BTC_PERP', order_id }, 2, 'order_id', gone)
      const history = await done(venue.paper.orderHistory({}))
      expect(history['BTC_PERP']?.map(({ id, status }) => [id, status])).toEqual([
        [order_id + 2, 'FILLED'],
        [order_id, 'CANCELED'],
      ])
    },
  ),
  beyond(
    'order-changes',
    'amount and price change together or alone, and what was left stays',
    async (venue) => {
      await idOf(venue, { client_order_id: 'a' })
      await placed(venue, 'collateralLimit', { ...perp, side: 'sell', amount: '0.005' }, 'rival')
      const named = { market: 'BTC_PERP', client_order_id: 'a' }
      expect(await placed(venue, 'modifyOrder', { ...named, price: '59999.9' })).toMatchObject({
        amount: '0.015',
        left: '0.015',
        deal_stock: '0',
      })
      expect(await placed(venue, 'modifyOrder', { ...named, amount: '0.5', price: 58000 })).toMatchObject({
        amount: '0.5',
        price: '58000',
      })
      expect(await placed(venue, 'modifyOrder', { ...named, amount: '0.1' })).toMatchObject({
        price: '58000',
      })
      expect(await openIds(venue)).toEqual(['a'])
      expect(await frozen(venue)).toBe('5800')
    },
  ),
  beyond('order-changes', 'a changed order that meets another one trades', async (venue) => {
    const order_id = await idOf(venue)
    await placed(venue, 'collateralLimit', { ...perp, side: 'sell', price: '60500' }, 'rival')
    const changed = await placed(venue, 'modifyOrder', { market: 'BTC_PERP', order_id, price: '61000' })
    expect(changed).toMatchObject({ status: 'FILLED', deal_money: '1210', deal_fee: '0.4235' })
    expect(await openIds(venue)).toEqual([])
  }),
  beyond('order-changes', 'a change that would not be taken leaves the order where it is', async (venue) => {
    await traded(venue)
    const order_id = await idOf(venue, { client_order_id: 'a', postOnly: true, price: '59000' })
    await placed(venue, 'collateralLimit', { ...perp, side: 'sell', price: '60500' }, 'rival')
    const named = { market: 'BTC_PERP', order_id }
    await refuses(venue, 'modifyOrder', { ...named, price: '60500' }, 13, 'postOnly')
    await refuses(venue, 'modifyOrder', { ...named, amount: '1' }, 10, 'amount')
    await refuses(venue, 'modifyOrder', { ...named, amount: '0.0001' }, 32, 'amount')
    await refuses(venue, 'modifyOrder', { ...named, price: '0.05' }, 33, 'price')
    await refuses(venue, 'modifyOrder', { ...named, amount: '0.001', price: '4000' }, 30, 'total')
    await refuses(venue, 'modifyOrder', { ...named, price: '29999.9' }, 250, 'price')
    await refuses(venue, 'modifyOrder', named, 30, 'amount')
    await refuses(venue, 'modifyOrder', { ...named, total: '1000' }, 162, 'total')
    await refuses(venue, 'modifyOrder', { ...named, activationPrice: '1000' }, 158, 'activation_price', {
      status: 400,
    })
    await refuses(venue, 'modifyOrder', { ...named, order_id: 9, price: '1' }, 2, 'order_id', gone)
    expect(await answered(venue, 'openOrders')).toMatchObject([{ order_id, price: '59000', left: '0.02' }])
  }),
]
