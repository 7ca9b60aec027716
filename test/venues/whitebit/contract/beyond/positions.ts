import { expect } from 'vitest'
import { done } from '#test/venues/whitebit/contract/spec/reading.ts'
import { answered, beyond, holds } from './clause.ts'
import { marked, perp, placed, refuses, traded } from './placing.ts'

const begins = 1_790_000_000.25
const sell = { ...perp, side: 'sell' } as const

export const positions = [
  beyond('positions', 'there are none before the first trade', async (venue) => {
    expect(await answered(venue, 'openPositions')).toEqual([])
    expect(await answered(venue, 'positionHistory')).toEqual([])
    await placed(venue, 'collateralLimit', perp)
    expect(await answered(venue, 'openPositions')).toEqual([])
  }),
  beyond('positions', 'a trade opens one on either side, the short one below zero', async (venue) => {
    await traded(venue)
    venue.advance(1000)
    await marked(venue, '61000')
    const position = {
      market: 'BTC_PERP',
      openDate: begins,
      liquidationPrice: null,
      liquidationState: null,
      margin: '1200',
      funding: '0',
      unrealizedFunding: '0',
      tpsl: null,
      positionSide: 'BOTH',
      basePrice: '60000',
    }
    expect(await answered(venue, 'openPositions')).toEqual([
      {
        ...position,
        positionId: 2,
        modifyDate: begins,
        amount: '0.02',
        // 1.666... percent of 1200
        pnl: '20',
        unrealizedPnl: '20',
        pnlPercent: '1.66',
        // 50000 - 0.42 + 20 - 1200
        freeMargin: '48819.58',
      },
    ])
    expect(await answered(venue, 'openPositions', {}, { as: 'rival' })).toMatchObject([
      { positionId: 1, amount: '-0.02', modifyDate: begins + 1, positionSide: 'BOTH' },
    ])
    expect(await answered(venue, 'openPositions', { market: 'BTC_PERP' })).toHaveLength(1)
    expect(await answered(venue, 'openPositions', { market: 'ETH_PERP' })).toEqual([])
    expect(await answered(venue, 'openPositions', { symbol: 'ETH_PERP' })).toHaveLength(1)
    await refuses(venue, 'openPositions', { market: 'BTC_EUR' }, 31, 'market')
  }),
  beyond(
    'positions',
    'under leverage a position has a price at which it would be lost, and a call before that',
    async (venue) => {
      await traded(venue)
      // (1200 - 299.58) / 0.02 / 0.97 is 46413.402...
      expect(await answered(venue, 'openPositions')).toMatchObject([
        { margin: '240', freeMargin: '59.58', liquidationPrice: '46413.4', liquidationState: null },
      ])
      await marked(venue, '56000')
      expect(await done(venue.paper.openPositions({}))).toMatchObject([
        { pnl: '-80', pnlPercent: '-33.33', freeMargin: '0', liquidationState: 'margin_call' },
      ])
    },
    { world: { accounts: { paper: { collateral: { USDT: '300' }, leverage: '5' } } } },
  ),
  beyond(
    'positions',
    'a position that is lost is told of as liquidated, piece by piece',
    async (venue) => {
      await traded(venue)
      await placed(venue, 'collateralLimit', { ...perp, amount: '1', price: '46000' }, 'rival')
      await marked(venue, '46300')
      const events = await done(venue.paper.positionHistory({}))
      expect(events.at(-1)).toMatchObject({ amount: '0.02', liquidationState: null })
      for (const event of events.slice(0, -1)) expect(event.liquidationState).toBe('liquidation')
      expect(events.length).toBeGreaterThan(1)
      const deals: { client_order_id: string; order_id: number }[] = Object(
        await answered(venue, 'executedHistory', { market: 'BTC_PERP' }),
      )
      expect(deals.length).toBe(events.length)
      for (const deal of deals.slice(0, -1)) {
        expect(deal.client_order_id).toBe(`liquidation_${deal.order_id}_!`)
      }
    },
    { world: { accounts: { paper: { collateral: { USDT: '300' }, leverage: '5' } } } },
  ),
  beyond('positions', 'closing sells all of it at the market', async (venue) => {
    await traded(venue)
    await placed(venue, 'collateralLimit', { ...perp, price: '59000' }, 'rival')
    expect(await done(venue.paper.closePosition({ positionId: 2, market: 'BTC_PERP' }))).toEqual([])
    expect(await answered(venue, 'openPositions')).toEqual([])
    // 50000 - 0.42 - 20 - 0.413
    expect(holds(venue, 'collateral/paper', 'USDT')).toBe('49979.167')
    expect(await answered(venue, 'orderHistory', { limit: 1 })).toMatchObject({
      BTC_PERP: [{ type: 'margin market', side: 'sell', status: 'FILLED', reduceOnly: true }],
    })
    await refuses(venue, 'closePosition', { positionId: 2, market: 'BTC_PERP' }, 104, 'positionId')
  }),
  beyond('positions', 'what nobody takes within the band stays open', async (venue) => {
    await traded(venue)
    const close = { positionId: 2, market: 'BTC_PERP', positionSide: 'SHORT' }
    await refuses(venue, 'closePosition', close, 12, 'amount')
    await placed(venue, 'collateralLimit', { ...perp, amount: '0.005' }, 'rival')
    expect(await answered(venue, 'closePosition', close)).toEqual([])
    expect(await answered(venue, 'openPositions')).toMatchObject([{ positionId: 2, amount: '0.015' }])
    await refuses(venue, 'closePosition', { ...close, market: 'ETH_PERP' }, 104, 'positionId')
    await refuses(venue, 'closePosition', { ...close, market: 'BTC_EUR' }, 31, 'market')
    await refuses(venue, 'closePosition', { ...close, positionId: 1 }, 104, 'positionId')
    await refuses(venue, 'closePosition', { ...close, positionId: undefined }, 30, 'positionId')
  }),
  beyond('positions', 'the history tells of every fill, and of both ends of a turn', async (venue) => {
    await traded(venue)
    venue.advance(10_000)
    await placed(venue, 'collateralLimit', { ...perp, amount: '0.05', price: '61000' }, 'rival')
    await placed(venue, 'collateralLimit', { ...sell, amount: '0.05', price: '61000' })
    const event = {
      market: 'BTC_PERP',
      realizedFunding: '0',
      liquidationPrice: null,
      liquidationState: null,
      isHedge: false,
    }
    const turn = { id: 1_000_000_000_002, price: '61000', fundingFee: null }
    expect(await answered(venue, 'positionHistory')).toEqual([
      {
        ...event,
        positionId: 4,
        openDate: begins + 10,
        modifyDate: begins + 10,
        amount: '-0.03',
        basePrice: '61000',
        // 0.035 percent of 3050
        orderDetail: { ...turn, tradeAmount: '0.03', tradeFee: '1.0675', realizedPnl: '-1.0675' },
        side: 'SHORT',
      },
      {
        ...event,
        positionId: 2,
        openDate: begins,
        modifyDate: begins + 10,
        amount: '0',
        basePrice: '0',
        orderDetail: { ...turn, tradeAmount: '0.02', tradeFee: '0', realizedPnl: '20' },
        side: 'LONG',
      },
      {
        ...event,
        positionId: 2,
        openDate: begins,
        modifyDate: begins,
        amount: '0.02',
        basePrice: '60000',
        orderDetail: {
          id: 1_000_000_000_001,
          tradeAmount: '0.02',
          price: '60000',
          tradeFee: '0.42',
          fundingFee: null,
          realizedPnl: '-0.42',
        },
        side: 'LONG',
      },
    ])
    expect(holds(venue, 'collateral/paper', 'USDT')).toBe('50018.5125')
  }),
  beyond('positions', 'the history is narrowed by market, position, time and page', async (venue) => {
    await traded(venue)
    venue.advance(10_000)
    await traded(venue, '1', '3000', 'ETH_PERP')
    venue.advance(10_000)
    await traded(venue, '0.01', '61000')
    const ids = async (about: object) =>
      (await done(venue.paper.positionHistory(about))).map((event) => [event.positionId, event.amount])
    const [opened, ether, added] = [
      [2, '0.02'],
      [4, '1'],
      [2, '0.03'],
    ]
    expect(await ids({})).toEqual([added, ether, opened])
    expect(await ids({ market: 'BTC_PERP' })).toEqual([added, opened])
    expect(await ids({ positionId: 4 })).toEqual([ether])
    expect(await ids({ positionId: 1 })).toEqual([])
    expect(await ids({ startDate: 1_790_000_010 })).toEqual([added, ether])
    expect(await ids({ startDate: 1_790_000_001, endDate: 1_790_000_019 })).toEqual([ether])
    expect(await ids({ limit: 1, offset: 1 })).toEqual([ether])
    const [first] = await done(venue.paper.positionHistory({ limit: 1 }))
    // (1200 + 610) / 0.03, cut.
    expect(first?.basePrice).toBe('60333.33333333')
    await refuses(venue, 'positionHistory', { market: 'BTC_EUR' }, 31, 'market')
    await refuses(venue, 'positionHistory', { limit: 101 }, 30, 'limit')
  }),
  beyond('positions', 'nothing is paid as funding while the last price is the mark price', async (venue) => {
    await traded(venue)
    venue.advance(100_000_000)
    expect(await answered(venue, 'fundingHistory', { market: 'BTC_PERP' })).toEqual({
      records: [],
      limit: 100,
      offset: 0,
    })
    await refuses(venue, 'fundingHistory', {}, 30, 'market')
    await refuses(venue, 'fundingHistory', { market: 'BTC_EUR' }, 31, 'market')
  }),
]
