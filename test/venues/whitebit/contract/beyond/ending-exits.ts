import { expect } from 'vitest'
import { attached, gone, open, sold, statuses, waiting } from './attaching.ts'
import { answered, beyond, holds } from './clause.ts'
import { marked, perp, placed, refuses } from './placing.ts'

export const endingExits = [
  beyond('triggers', 'the stop loss closes what has filled, and ends the take profit', async (venue) => {
    await attached(venue)
    await sold(venue, '0.02')
    await placed(venue, 'collateralLimit', { ...perp, price: '58950' }, 'rival')
    await marked(venue, '59000')
    expect(await open(venue)).toEqual([])
    expect(await answered(venue, 'openPositions')).toEqual([])
    expect(await statuses(venue)).toEqual({
      1_000_000_000_002: 'FILLED',
      1_000_000_000_003: 'CANCELED',
      1_000_000_000_004: 'FILLED',
    })
    // 50000 - 21; fees: 0.01 percent of 1200 as maker, 0.035 percent of 1179 as taker.
    expect(holds(venue, 'collateral/paper', 'USDT')).toBe('49978.46735')
    await refuses(venue, 'cancelOto', { market: 'BTC_PERP', otoId: 1_000_000_000_001 }, 2, 'otoId', gone)
  }),
  beyond('triggers', 'the take profit closes what has filled, and ends the stop loss', async (venue) => {
    await attached(venue)
    await sold(venue, '0.02')
    await placed(venue, 'collateralLimit', { ...perp, price: '61990' }, 'rival')
    await marked(venue, '62000')
    expect(await answered(venue, 'openPositions')).toEqual([])
    expect(await statuses(venue)).toMatchObject({
      1_000_000_000_003: 'FILLED',
      1_000_000_000_004: 'CANCELED',
    })
    // 50000 + 39.8; fees: 0.01 percent of 1200 as maker, 0.035 percent of 1239.8 as taker.
    expect(holds(venue, 'collateral/paper', 'USDT')).toBe('50039.24607')
  }),
  beyond('triggers', 'what fills after an exit gets exits of its own', async (venue) => {
    const { otoId } = await attached(venue)
    await sold(venue, '0.005')
    await placed(venue, 'collateralLimit', { ...perp, amount: '0.005', price: '61990' }, 'rival')
    await answered(venue, 'cancelAll', {}, { as: 'rival' })
    await placed(
      venue,
      'collateralMarket',
      {
        market: 'BTC_PERP',
        side: 'sell',
        amount: '0.001',
      },
      'rival',
    )
    expect(await waiting(venue)).toEqual(['59000 0.006', '62000 0.006'])
    await placed(venue, 'collateralLimit', { ...perp, amount: '0.006', price: '61990' }, 'rival')
    await marked(venue, '62000')
    expect(await waiting(venue)).toEqual([])
    await sold(venue, '0.004')
    expect(await waiting(venue)).toEqual(['59000 0.004', '62000 0.004'])
    expect(await answered(venue, 'cancelOto', { market: 'BTC_PERP', otoId })).toEqual([])
    expect(await open(venue)).toEqual([])
    expect(await answered(venue, 'openPositions')).toMatchObject([{ amount: '0.004', tpsl: null }])
  }),
  beyond('triggers', 'an OTO ends whole by its id, and its exits end together', async (venue) => {
    const market = 'BTC_PERP'
    const ways = [
      (otoId: number) => answered(venue, 'cancelOto', { market, otoId }),
      (otoId: number) => answered(venue, 'cancelConditional', { market, id: otoId }),
      () => answered(venue, 'cancelAll'),
      () => answered(venue, 'killSwitch', { market, timeout: '5', types: ['futures'] }),
    ]
    for (const [index, end] of ways.entries()) {
      const { otoId } = await attached(venue, { client_order_id: `e${index}` })
      await sold(venue, '0.005')
      expect(await open(venue)).toHaveLength(3)
      await end(otoId)
      if (index === 3) venue.advance(5000)
      expect(await open(venue)).toEqual([])
      await refuses(venue, 'cancelOto', { market, otoId }, 2, 'otoId', gone)
    }
    const { order_id, otoId } = await attached(venue, { client_order_id: 'last' })
    await sold(venue, '0.005')
    const exit = (await open(venue)).find(({ type }) => type === 'margin stop market')
    await answered(venue, 'cancelOrder', { market, order_id: exit?.['order_id'] })
    expect(await open(venue)).toMatchObject([{ order_id, oto: null }])
    await refuses(venue, 'cancelOto', { market, otoId }, 2, 'otoId', gone)
    await refuses(venue, 'cancelOto', { market: 'BTC_EUR', otoId }, 31, 'market')
  }),
  beyond('triggers', 'the OTO of another account or market is unknown', async (venue) => {
    const { otoId } = await attached(venue)
    await refuses(venue, 'cancelOto', { market: 'ETH_PERP', otoId }, 2, 'otoId', gone)
    await refuses(venue, 'cancelOto', { market: 'BTC_PERP', otoId }, 2, 'otoId', { ...gone, as: 'rival' })
    expect(await open(venue)).toHaveLength(1)
  }),
  beyond('triggers', 'exits end with their position, however it closes', async (venue) => {
    for (const close of [
      async () => {
        const [{ positionId }] = Object(await answered(venue, 'openPositions'))
        await placed(venue, 'collateralLimit', perp, 'rival')
        await answered(venue, 'closePosition', { positionId, market: 'BTC_PERP' })
      },
      async () => {
        await placed(venue, 'collateralLimit', { ...perp, amount: '0.05' }, 'rival')
        await placed(venue, 'collateralLimit', { ...perp, side: 'sell', amount: '0.03' })
      },
    ]) {
      await attached(venue, { client_order_id: '' })
      await sold(venue, '0.02')
      expect(await waiting(venue)).toHaveLength(2)
      await close()
      expect(await waiting(venue)).toEqual([])
      await answered(venue, 'cancelAll', {}, { as: 'rival' })
    }
    expect(await answered(venue, 'openPositions')).toMatchObject([{ amount: '-0.01', tpsl: null }])
  }),
  beyond(
    'triggers',
    'a liquidation ends the order and its exits',
    async (venue) => {
      await attached(venue, { amount: '0.8', stopLoss: undefined })
      await sold(venue, '0.8')
      const low = { client_order_id: 'low', price: '50000', stopLoss: undefined }
      const { order_id, otoId } = await attached(venue, low)
      expect(await waiting(venue)).toEqual(['62000 0.8'])
      await placed(venue, 'collateralLimit', { ...perp, amount: '2', price: '52000' }, 'rival')
      await marked(venue, '52500')
      // A part of the position is left.
      expect(await waiting(venue)).toEqual(['62000 0.8'])
      await answered(venue, 'cancelAll', {}, { as: 'rival' })
      await marked(venue, '48000')
      expect(await answered(venue, 'openPositions')).toEqual([])
      expect(await waiting(venue)).toEqual([])
      expect(await statuses(venue)).toMatchObject({
        [order_id]: 'AUTO_CANCELED_LIQUIDATION',
        1_000_000_000_003: 'CANCELED',
      })
      await refuses(venue, 'cancelOto', { market: 'BTC_PERP', otoId }, 2, 'otoId', gone)
    },
    {
      world: {
        accounts: { paper: { collateral: { USDT: '7000' }, leverage: '10' }, rival: { leverage: '10' } },
      },
    },
  ),
]
