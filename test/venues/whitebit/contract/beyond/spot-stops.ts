import { expect } from 'vitest'
import { answered, beyond, holds } from './clause.ts'
import { marked, perp, placed, refuses, traded } from './placing.ts'

const market = 'BTC_USDT'
const sell = { market, side: 'sell', amount: '0.02', activation_price: '59000' } as const
const buy = { market, side: 'buy', amount: '610', activation_price: '61000' } as const

export const spotStops = [
  beyond('triggers', 'a stop-limit order of the spot account waits and then rests', async (venue) => {
    await traded(venue, '0.001', '60000', market)
    const order = await placed(venue, 'spotStopLimit', { ...sell, price: '58900' })
    expect(order).toMatchObject({
      type: 'stop limit',
      price: '58900',
      activation_price: '59000',
      left: '0.02',
    })
    expect(order).not.toHaveProperty('positionSide')
    expect(await answered(venue, 'openOrders', { market })).toEqual([order])
    expect(await answered(venue, 'tradingBalance', { ticker: 'BTC' })).toMatchObject({
      BTC: { available: '1' },
    })
    await marked(venue, '59000', market)
    expect(await answered(venue, 'tradingBalance', { ticker: 'BTC' })).toEqual({
      BTC: { available: '0.98', freeze: '0.02' },
    })
    const { order_id } = order
    expect(await placed(venue, 'cancelOrder', { market, order_id })).toMatchObject({ status: 'CANCELED' })
  }),
  beyond('triggers', 'a market sell of the spot account that waited sells its goods', async (venue) => {
    await traded(venue, '0.001', '60000', market)
    await placed(venue, 'spotLimit', { ...perp, market, price: '58990' }, 'rival')
    const { order_id } = await placed(venue, 'spotStopMarket', sell)
    await marked(venue, '59000', market)
    expect(holds(venue, 'spot/paper', 'BTC')).toBe('0.98')
    expect(await answered(venue, 'orderHistory', { order_id })).toMatchObject({
      [market]: [{ type: 'stop market', status: 'FILLED', deal_money: '1179.8', activationCondition: 'lte' }],
    })
  }),
  beyond('triggers', 'a market buy of the spot account names money, worth goods there', async (venue) => {
    await traded(venue, '0.001', '60000', market)
    await placed(venue, 'collateralLimit', { market, side: 'sell', amount: '0.05', price: '61010' }, 'rival')
    const order = await placed(venue, 'spotStopMarket', buy)
    expect(order).toMatchObject({ type: 'stop market', amount: '0.01', left: '0.01' })
    expect(order).not.toHaveProperty('price')
    await marked(venue, '61000', market)
    expect(holds(venue, 'spot/paper', 'BTC')).toBe('1.01')
    expect(await answered(venue, 'orderHistory', { order_id: order['order_id'] })).toMatchObject({
      [market]: [{ status: 'FILLED', deal_stock: '0.01', deal_money: '610.1' }],
    })
  }),
  beyond('triggers', 'with nobody on the other side it ends when it comes', async (venue) => {
    await traded(venue, '0.001', '60000', market)
    const { order_id } = await placed(venue, 'spotStopMarket', buy)
    await marked(venue, '61000', market)
    expect(await answered(venue, 'orderHistory', { order_id })).toMatchObject({
      [market]: [{ status: 'CANCELED', deal_stock: '0' }],
    })
  }),
  beyond('triggers', 'mistakes of waiting orders of the spot account have their codes', async (venue) => {
    await traded(venue, '0.001', '60000', market)
    const mistakes: [object, number, string][] = [
      [{ market: 'BTC_PERP' }, 31, 'market'],
      [{ activation_price: undefined }, 30, 'activation_price'],
      [{ activation_price: '61000.001' }, 33, 'activation_price'],
      [{ activation_price: '0' }, 33, 'activation_price'],
      [{ amount: '4.99' }, 32, 'amount'],
      [{ amount: '10.123456789' }, 32, 'amount'],
      [{ positionSide: 'LONG' }, 30, 'positionSide'],
      [{ reduceOnly: true }, 30, 'reduceOnly'],
    ]
    for (const [change, code, key] of mistakes)
      await refuses(venue, 'spotStopMarket', { ...buy, ...change }, code, key)
    await refuses(venue, 'spotStopLimit', { ...sell, price: '20000' }, 250, 'price')
    await refuses(venue, 'spotStopLimit', sell, 30, 'price')
  }),
]
