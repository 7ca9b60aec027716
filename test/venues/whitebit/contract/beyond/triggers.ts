import { expect } from 'vitest'
import { done } from '#test/venues/whitebit/contract/spec/reading.ts'
import { answered, beyond, holds } from './clause.ts'
import { frozen, marked, perp, placed, refuses, traded } from './placing.ts'

const begins = 1_790_000_000
const stop = {
  market: 'BTC_PERP',
  side: 'sell',
  amount: '0.02',
  price: '58900',
  activation_price: '59000',
} as const
const { price: _, ...trigger } = stop
const gone = { status: 400 }

export const triggers = [
  beyond('triggers', 'a stop-limit order waits and holds nothing', async (venue) => {
    const order = await placed(venue, 'collateralStopLimit', { ...stop, client_order_id: 'a', stp: 'cn' })
    expect(order).toEqual({
      order_id: 1_000_000_000_001,
      client_order_id: 'a',
      market: 'BTC_PERP',
      side: 'sell',
      type: 'stop limit',
      timestamp: begins + 0.25,
      deal_money: '0',
      deal_stock: '0',
      amount: '0.02',
      left: '0.02',
      deal_fee: '0',
      ioc: false,
      postOnly: false,
      price: '58900',
      activation_price: '59000',
      status: 'OPEN',
      stp: 'cn',
      positionSide: 'BOTH',
      rpi: false,
      reduceOnly: false,
    })
    expect(await frozen(venue)).toBe('0')
    expect(await answered(venue, 'openOrders')).toEqual([{ ...order, type: 'margin stop limit' }])
    expect(await answered(venue, 'openOrders', {}, { as: 'rival' })).toEqual([])
  }),
  beyond(
    'triggers',
    'it comes as a limit order when the last price reaches its own, under its id',
    async (venue) => {
      await traded(venue)
      const { order_id } = await done(venue.paper.collateralStopLimit(stop))
      await marked(venue, '59000.1')
      expect(await answered(venue, 'openOrders')).toMatchObject([{ order_id, activation_price: '59000' }])
      venue.advance(5000)
      await marked(venue, '59000')
      expect(await answered(venue, 'openOrders')).toMatchObject([
        { order_id, type: 'margin stop limit', price: '58900', activation_price: '59000', left: '0.02' },
      ])
      await placed(venue, 'collateralLimit', { ...perp, price: '58900' }, 'rival')
      expect(await answered(venue, 'openPositions')).toEqual([])
      // 50000 - 0.42 - 22, and 0.1178 as the maker of 1178.
      expect(holds(venue, 'collateral/paper', 'USDT')).toBe('49977.4622')
      expect(await answered(venue, 'orderHistory', { order_id })).toMatchObject({
        BTC_PERP: [
          {
            id: order_id,
            type: 'margin stop limit',
            status: 'FILLED',
            deal_money: '1178',
            activationPrice: '59000',
            activationCondition: 'lte',
            activated: begins + 5,
          },
        ],
      })
    },
  ),
  beyond('triggers', 'a trigger-market order comes as a market order', async (venue) => {
    await traded(venue)
    await placed(venue, 'collateralLimit', { ...perp, price: '58800', amount: '0.05' }, 'rival')
    const order = await done(venue.paper.collateralTriggerMarket(trigger))
    expect(order).toMatchObject({ type: 'stop market', activation_price: '59000', status: 'OPEN' })
    expect(order).not.toHaveProperty('price')
    await marked(venue, '58999')
    expect(await answered(venue, 'openPositions')).toEqual([])
    expect(await answered(venue, 'orderHistory', { order_id: order.order_id })).toMatchObject({
      BTC_PERP: [{ type: 'margin stop market', status: 'FILLED', deal_money: '1176' }],
    })
  }),
  beyond('triggers', 'a buy comes from below', async (venue) => {
    await traded(venue)
    const buy = { ...stop, side: 'buy', price: '61100', activation_price: '61000' }
    const { order_id } = await placed(venue, 'collateralStopLimit', buy)
    await marked(venue, '60999.9')
    expect(await frozen(venue)).toBe('0')
    await marked(venue, '61000')
    expect(await frozen(venue)).toBe('1222')
    await answered(venue, 'cancelAll')
    expect(await answered(venue, 'orderHistory', { order_id })).toMatchObject({
      BTC_PERP: [{ status: 'CANCELED', activationCondition: 'gte', activated: begins }],
    })
  }),
  beyond('triggers', 'what has been reached already comes at once', async (venue) => {
    await traded(venue)
    await placed(venue, 'collateralLimit', { ...perp, price: '59500' }, 'rival')
    await placed(venue, 'collateralTriggerMarket', { ...trigger, activation_price: '60001' })
    expect(await answered(venue, 'openPositions')).toEqual([])
    expect(await answered(venue, 'openOrders')).toEqual([])
  }),
  beyond('triggers', 'one that cannot be backed when it comes is canceled', async (venue) => {
    await traded(venue)
    const { order_id } = await placed(venue, 'collateralStopLimit', {
      ...stop,
      side: 'buy',
      amount: '2',
      price: '61000',
      activation_price: '61000',
    })
    await marked(venue, '61000')
    expect(await answered(venue, 'openOrders')).toEqual([])
    expect(await answered(venue, 'orderHistory', { order_id })).toMatchObject({
      BTC_PERP: [{ status: 'CANCELED', deal_stock: '0' }],
    })
  }),
  beyond('triggers', 'each mistake has its code and its field', async (venue) => {
    await traded(venue)
    for (const [name, order] of [
      ['collateralStopLimit', stop],
      ['collateralTriggerMarket', trigger],
      ['collateralOco', { ...stop, price: '62000', stop_limit_price: '58900' }],
    ] as const) {
      const mistakes: [object, number, string][] = [
        [{ activation_price: undefined }, 30, 'activation_price'],
        [{ activation_price: 'low' }, 30, 'activation_price'],
        [{ activation_price: '59000.01' }, 33, 'activation_price'],
        [{ activation_price: '0' }, 33, 'activation_price'],
        [{ market: 'BTC_EUR' }, 31, 'market'],
        [{ amount: '0.0001' }, 32, 'amount'],
        [{ client_order_id: 'a b' }, 36, 'client_order_id'],
        [{ postOnly: true }, 30, 'postOnly'],
      ]
      for (const [change, code, key] of mistakes)
        await refuses(venue, name, { ...order, ...change }, code, key)
      const equal = { ...order, activation_price: '60000' }
      await refuses(venue, name, equal, 101, 'activation_price', gone)
    }
    await refuses(venue, 'collateralTriggerMarket', stop, 30, 'price')
    await refuses(venue, 'collateralStopLimit', { ...stop, price: '29999.9' }, 250, 'price')
    await refuses(venue, 'collateralStopLimit', { ...stop, price: undefined }, 30, 'price')
  }),
  beyond('triggers', 'a client id is used by an order that waits, and a hundred may wait', async (venue) => {
    await placed(venue, 'collateralStopLimit', { ...stop, client_order_id: 'a' })
    await refuses(venue, 'collateralLimit', { ...perp, client_order_id: 'a' }, 36, 'client_order_id')
    expect(await answered(venue, 'executedHistory', { client_order_id: 'a' })).toEqual([])
    for (let count = 1; count < 100; count++) await placed(venue, 'collateralTriggerMarket', trigger)
    await refuses(venue, 'collateralTriggerMarket', trigger, 103, 'error')
    await refuses(venue, 'collateralStopLimit', stop, 103, 'error')
    await answered(venue, 'cancelOrder', { market: 'BTC_PERP', client_order_id: 'a' })
    await placed(venue, 'collateralStopLimit', stop)
  }),
  beyond('triggers', 'an order that waits is withdrawn like any other', async (venue) => {
    const { order_id } = await placed(venue, 'collateralStopLimit', { ...stop, client_order_id: 'a' })
    const named = { market: 'BTC_PERP', order_id }
    expect(await placed(venue, 'cancelOrder', named)).toMatchObject({
      order_id,
      status: 'CANCELED',
      activation_price: '59000',
    })
    await refuses(venue, 'cancelOrder', named, 2, 'order_id', gone)
    const history = await answered(venue, 'orderHistory', { order_id })
    expect(history).toMatchObject({ BTC_PERP: [{ status: 'CANCELED', activationPrice: '59000' }] })
    expect(JSON.stringify(history)).not.toContain('activated')
    await placed(venue, 'collateralStopLimit', { ...stop, client_order_id: 'b' })
    const orders = [{ market: 'BTC_PERP', client_order_id: 'b' }]
    expect(await answered(venue, 'cancelOrders', { orders })).toMatchObject([
      { result: { client_order_id: 'b' }, error: null },
    ])
    for (const [about, left] of [
      [{ market: 'ETH_PERP' }, 1],
      [{ type: ['spot', 'margin'] }, 1],
      [{ positionSide: 'long' }, 1],
      [{ type: ['futures'], market: 'BTC_PERP', positionSide: 'both' }, 0],
    ] as const) {
      await answered(venue, 'cancelAll')
      await placed(venue, 'collateralStopLimit', stop)
      await answered(venue, 'cancelAll', about)
      expect(await answered(venue, 'openOrders'), JSON.stringify(about)).toHaveLength(left)
    }
    await placed(venue, 'collateralStopLimit', stop)
    await answered(venue, 'killSwitch', { market: 'BTC_PERP', timeout: '5' })
    venue.advance(5000)
    expect(await answered(venue, 'openOrders')).toEqual([])
  }),
  beyond('triggers', 'an order that waits is changed into a new one that waits', async (venue) => {
    await traded(venue)
    const first = await placed(venue, 'collateralStopLimit', { ...stop, client_order_id: 'a' })
    const named = { market: 'BTC_PERP', client_order_id: 'a' }
    const changed = await placed(venue, 'modifyOrder', { ...named, price: '58000', amount: 0.01 })
    expect(changed).toMatchObject({
      client_order_id: 'a',
      price: '58000',
      amount: '0.01',
      activation_price: '59000',
      type: 'margin stop limit',
    })
    expect(changed['order_id']).not.toBe(first['order_id'])
    const moved = await done(venue.paper.modifyOrder({ ...named, activation_price: '59500' }))
    expect(moved).toMatchObject({ price: '58000', activation_price: '59500' })
    expect(await answered(venue, 'openOrders')).toHaveLength(1)
    await refuses(
      venue,
      'modifyOrder',
      { ...named, activation_price: '60000' },
      101,
      'activation_price',
      gone,
    )
    await refuses(venue, 'modifyOrder', { ...named, amount: '0.0001' }, 32, 'amount')
    await refuses(venue, 'modifyOrder', { ...named, price: '20000' }, 250, 'price')
    await placed(venue, 'modifyOrder', { ...named, activationPrice: '60001' })
    expect(await answered(venue, 'openOrders')).toMatchObject([{ activation_price: '60001', status: 'OPEN' }])
    expect(await frozen(venue)).toBe('0')
    const { order_id } = await placed(venue, 'collateralTriggerMarket', trigger)
    await refuses(venue, 'modifyOrder', { market: 'BTC_PERP', order_id, price: '1' }, 159, 'price')
    expect(
      await placed(venue, 'modifyOrder', { market: 'BTC_PERP', order_id, amount: '0.03' }),
    ).toMatchObject({
      amount: '0.03',
      type: 'margin stop market',
    })
  }),
]
