import { expect } from 'vitest'
import { attached, entry, exits, open, sold, tpsl, waiting } from './attaching.ts'
import { answered, beyond } from './clause.ts'
import { marked, perp, placed, refuses, traded } from './placing.ts'

export const attachedExits = [
  beyond('triggers', 'an order tells its exits, which are no orders before it fills', async (venue) => {
    const oto = { otoId: 1_000_000_000_001, stopLoss: '59000', takeProfit: '62000' }
    const order = await placed(venue, 'collateralLimit', entry)
    expect(order).toMatchObject({ order_id: 1_000_000_000_002, type: 'limit', status: 'OPEN', oto })
    expect(await open(venue)).toEqual([{ ...order, type: 'margin limit' }])
    const { oto: _, ...conditionalOrder } = order
    expect(await answered(venue, 'conditionalOrders')).toEqual({
      limit: 100,
      offset: 0,
      total: 1,
      records: [
        {
          id: oto.otoId,
          type: 'oto',
          stopLossPrice: '59000',
          takeProfitPrice: '62000',
          conditionalOrder,
        },
      ],
    })
    expect(await answered(venue, 'ocoOrders')).toEqual([])
    expect(await answered(venue, 'conditionalOrders', { market: 'ETH_PERP' })).toMatchObject({ total: 0 })
    expect(await answered(venue, 'conditionalOrders', {}, { as: 'rival' })).toMatchObject({ total: 0 })
    expect(await answered(venue, 'cancelOrder', { market: 'BTC_PERP', client_order_id: 'a' })).toMatchObject({
      order_id: order['order_id'],
    })
    expect(await answered(venue, 'conditionalOrders')).toMatchObject({ total: 0 })
    await sold(venue, '0.02')
    expect(await open(venue)).toEqual([])
  }),
  beyond('triggers', 'exits are for what has filled, and grow with each fill', async (venue) => {
    await attached(venue)
    await sold(venue, '0.005')
    expect(await waiting(venue)).toEqual(['59000 0.005', '62000 0.005'])
    await sold(venue, '0.01')
    expect(await waiting(venue)).toEqual(['59000 0.015', '62000 0.015'])
    expect(await tpsl(venue)).toEqual({
      takeProfitId: 1_000_000_000_003,
      takeProfit: '62000',
      stopLossId: 1_000_000_000_004,
      stopLoss: '59000',
    })
    await answered(venue, 'cancelOrder', { market: 'BTC_PERP', client_order_id: 'a' })
    expect(await waiting(venue)).toEqual(['59000 0.015', '62000 0.015'])
    expect((await open(venue)).every(({ reduceOnly }) => reduceOnly === true)).toBe(true)
  }),
  beyond('triggers', 'a market order has exits as well, on either side', async (venue) => {
    await traded(venue, '0.001')
    await placed(venue, 'collateralLimit', { ...perp, price: '59990' }, 'rival')
    const sell = { market: 'BTC_PERP', side: 'sell', amount: '0.02' }
    const filled = await placed(venue, 'collateralMarket', {
      ...sell,
      takeProfit: '57000',
      stopLoss: '61000',
    })
    expect(filled).toMatchObject({ status: 'FILLED', oto: { stopLoss: '61000', takeProfit: '57000' } })
    expect(await waiting(venue)).toEqual(['61000 0.02', '57000 0.02'])
    await placed(venue, 'collateralLimit', { ...perp, side: 'sell', price: '57010' }, 'rival')
    await marked(venue, '57000')
    expect(await answered(venue, 'openPositions')).toEqual([])
    expect(await waiting(venue)).toEqual([])
  }),
  beyond('triggers', 'one exit suffices, and each order of a bulk may have them', async (venue) => {
    const bulk = {
      orders: [
        { ...perp, takeProfit: '62000' },
        { ...perp, price: '59500', stopLoss: '59000' },
        { ...perp, stopLoss: '60000' },
        perp,
      ],
    }
    expect(await answered(venue, 'collateralBulk', bulk)).toMatchObject([
      { result: { oto: { takeProfit: '62000', stopLoss: null } } },
      { result: { oto: { takeProfit: null, stopLoss: '59000' } } },
      { error: { code: 106 } },
      { result: { oto: null } },
    ])
    await sold(venue, '0.02')
    expect(await waiting(venue)).toEqual(['62000 0.02'])
    expect(await tpsl(venue)).toEqual({
      takeProfitId: expect.any(Number),
      takeProfit: '62000',
      stopLossId: null,
      stopLoss: null,
    })
  }),
  beyond('triggers', 'exits lie on both sides of the price, and inside its band', async (venue) => {
    const wrong: [object, number, string][] = [
      [{ takeProfit: '60000' }, 105, 'takeProfit'],
      [{ stopLoss: '60000' }, 106, 'stopLoss'],
      [{ side: 'sell', takeProfit: '60000', stopLoss: '61000' }, 105, 'takeProfit'],
      [{ side: 'sell', takeProfit: '59000', stopLoss: '60000' }, 106, 'stopLoss'],
      [{ takeProfit: '62000.01' }, 33, 'takeProfit'],
      [{ stopLoss: '0' }, 33, 'stopLoss'],
      [{ takeProfit: 'x' }, 30, 'takeProfit'],
      [{ stopLoss: null }, 30, 'stopLoss'],
    ]
    for (const [change, code, key] of wrong)
      await refuses(venue, 'collateralLimit', { ...entry, ...change }, code, key)
    await traded(venue, '0.05')
    await refuses(venue, 'collateralLimit', { ...entry, takeProfit: '90000.1' }, 250, 'takeProfit')
    await refuses(venue, 'collateralLimit', { ...entry, stopLoss: '29999.9' }, 250, 'stopLoss')
    const closing = { ...entry, side: 'sell', takeProfit: '59000', stopLoss: '61000', reduceOnly: true }
    await refuses(venue, 'collateralLimit', closing, 30, 'takeProfit')
    await refuses(venue, 'spotLimit', { ...perp, market: 'BTC_USDT', stopLoss: '59000' }, 30, 'stopLoss')
    await sold(venue, '0.02')
    const atMarket = { market: 'BTC_PERP', side: 'buy', amount: '0.02' }
    await refuses(venue, 'collateralMarket', { ...atMarket, takeProfit: '59999' }, 105, 'takeProfit')
    await refuses(venue, 'collateralMarket', { ...atMarket, stopLoss: '60000' }, 106, 'stopLoss')
  }),
  beyond('triggers', 'a modified order keeps its exits, and they keep their sides', async (venue) => {
    const { order_id, otoId } = await attached(venue)
    const about = { market: 'BTC_PERP', order_id }
    await refuses(venue, 'modifyOrder', { ...about, price: '62000' }, 105, 'takeProfit')
    await refuses(venue, 'modifyOrder', { ...about, price: '59000' }, 106, 'stopLoss')
    const changed = await placed(venue, 'modifyOrder', { ...about, price: '60010', amount: '0.03' })
    expect(changed).toMatchObject({ oto: { otoId, takeProfit: '62000', stopLoss: '59000' } })
    await sold(venue, '0.03', '60010')
    expect(await waiting(venue)).toEqual(['59000 0.03', '62000 0.03'])
    const [exit] = await open(venue)
    const change = { market: 'BTC_PERP', order_id: exit?.['order_id'], activation_price: '58000' }
    await refuses(venue, 'modifyOrder', change, 160, 'error')
  }),
  beyond('triggers', 'orders with exits count among those that wait', async (venue) => {
    for (let index = 0; index < 100; index++) await attached(venue, { amount: '0.001', client_order_id: '' })
    await refuses(venue, 'collateralLimit', { ...entry, amount: '0.001' }, 103, 'error')
    await placed(venue, 'collateralLimit', perp)
  }),
  beyond('triggers', 'exits belong to one position in hedge mode', async (venue) => {
    await answered(venue, 'setHedgeMode', { hedgeMode: true })
    await attached(venue, { positionSide: 'LONG' })
    await sold(venue, '0.02')
    await placed(venue, 'collateralLimit', { ...perp, amount: '0.05', price: '60000' }, 'rival')
    const short = { ...perp, side: 'sell', positionSide: 'SHORT', takeProfit: '58000' }
    await placed(venue, 'collateralLimit', short)
    const positions: object[] = Object(await answered(venue, 'openPositions'))
    expect(positions).toMatchObject([
      { positionSide: 'LONG', tpsl: { takeProfit: '62000', stopLoss: '59000' } },
      { positionSide: 'SHORT', tpsl: { takeProfit: '58000', stopLoss: null } },
    ])
    const closing = { ...perp, side: 'sell', positionSide: 'LONG', takeProfit: '58000' }
    await refuses(venue, 'collateralLimit', closing, 30, 'takeProfit')
  }),
  beyond(
    'triggers',
    'a world that does not state it refuses orders with exits',
    async (venue) => {
      await refuses(venue, 'collateralLimit', entry, 30, 'takeProfit')
      await refuses(
        venue,
        'collateralMarket',
        { market: 'BTC_PERP', side: 'buy', amount: '1', stopLoss: '1' },
        30,
        'stopLoss',
      )
      expect(await placed(venue, 'collateralLimit', perp)).not.toHaveProperty('oto')
    },
    { world: { attachedExits: 'refused' } },
  ),
  beyond(
    'triggers',
    'exits have one name in both spellings',
    async (venue) => {
      const { oto } = await placed(venue, 'collateralLimit', { ...perp, ...exits, clientOrderId: 'a' })
      expect(oto).toEqual({ otoId: 1_000_000_000_001, stopLoss: '59000', takeProfit: '62000' })
      expect(await answered(venue, 'conditionalOrders')).toMatchObject({
        records: [{ type: 'oto', stopLossPrice: '59000', conditionalOrder: { clientOrderId: 'a' } }],
      })
    },
    { spelling: 'camel' },
  ),
]
