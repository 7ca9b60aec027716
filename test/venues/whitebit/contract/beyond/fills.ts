import { expect } from 'vitest'
import { done } from '#test/venues/whitebit/contract/spec/reading.ts'
import { answered, beyond } from './clause.ts'
import { perp, placed, refuses, spot, traded } from './placing.ts'

const begins = 1_790_000_000

export const fills = [
  beyond('fills', 'both sides of a trade have a deal, under one id, each with its own fee', async (venue) => {
    await placed(venue, 'collateralLimit', { ...perp, side: 'sell', client_order_id: 'a' }, 'rival')
    venue.advance(1500)
    await placed(venue, 'collateralLimit', { ...perp, amount: '0.03', client_order_id: 'b' })
    const deal = {
      id: 1,
      time: begins + 1.75,
      amount: '0.02',
      price: '60000',
      deal: '1200',
      feeAsset: 'USDT',
    }
    expect(await answered(venue, 'executedHistory', { market: 'BTC_PERP' })).toEqual([
      { ...deal, client_order_id: 'b', side: 'buy', role: 2, fee: '0.42', order_id: 1_000_000_000_001 },
    ])
    expect(await answered(venue, 'executedHistory', { market: 'BTC_PERP' }, { as: 'rival' })).toEqual([
      { ...deal, client_order_id: 'a', side: 'sell', role: 1, fee: '0.12', order_id: 2_000_000_000_001 },
    ])
    expect(await answered(venue, 'orderDeals', { order_id: 1_000_000_000_001 })).toEqual({
      records: [
        { ...deal, client_order_id: 'b', role: 2, fee: '0.42', dealOrderId: 2_000_000_000_001, rpi: false },
      ],
      offset: 0,
      limit: 50,
    })
  }),
  beyond(
    'fills',
    'deals are a list for one market, and lists by market without one, the newest first',
    async (venue) => {
      expect(await answered(venue, 'executedHistory')).toEqual([])
      await traded(venue, '0.01', '60000')
      await traded(venue, '0.02', '61000')
      await placed(venue, 'spotLimit', { ...spot, side: 'sell' })
      await placed(venue, 'spotMarket', { market: 'BTC_USDT', side: 'buy', amount: '600' }, 'rival')
      expect(await answered(venue, 'executedHistory')).toMatchObject({
        BTC_PERP: [
          { amount: '0.02', price: '61000' },
          { amount: '0.01', price: '60000' },
        ],
        BTC_USDT: [{ amount: '0.01', price: '60000', role: 1, side: 'sell', fee: '0.6' }],
      })
      expect(await answered(venue, 'executedHistory', { market: 'BTC_USDT' })).toHaveLength(1)
      expect(await answered(venue, 'executedHistory', { market: 'ETH_PERP' })).toEqual([])
      const list = await done(venue.rival.executedHistory({ market: 'BTC_USDT' }))
      expect(list).toMatchObject([{ role: 2, side: 'buy', fee: '0.6' }])
    },
  ),
  beyond('fills', 'deals are narrowed by order, time and page', async (venue) => {
    for (const [index, client_order_id] of ['a', 'b', 'c'].entries()) {
      await placed(
        venue,
        'collateralLimit',
        { ...perp, side: 'sell', price: String(60_000 + index) },
        'rival',
      )
      await placed(venue, 'collateralLimit', { ...perp, client_order_id, price: String(60_000 + index) })
      venue.advance(10_000)
    }
    const ids = async (about: object) => {
      const answer = await answered(venue, 'executedHistory', { market: 'BTC_PERP', ...about })
      const deals: { client_order_id: string }[] = Object(answer)
      return deals.map((deal) => deal.client_order_id).join('')
    }
    expect(await ids({})).toBe('cba')
    expect(await ids({ client_order_id: 'b' })).toBe('b')
    expect(await ids({ startDate: begins + 10 })).toBe('cb')
    expect(await ids({ startDate: begins + 1, endDate: begins + 19 })).toBe('b')
    expect(await ids({ endDate: begins })).toBe('a')
    expect(await ids({ limit: 2 })).toBe('cb')
    expect(await ids({ limit: '1', offset: '1' })).toBe('b')
    expect(await ids({ offset: 3 })).toBe('')
    const { order_id } = await placed(venue, 'collateralLimit', {
      ...perp,
      client_order_id: 'd',
      price: '50000',
    })
    expect(await ids({ client_order_id: 'd' })).toBe('')
    expect(await answered(venue, 'orderDeals', { order_id, market: 'SOL_USDT', limit: 10 })).toMatchObject({
      records: [],
      limit: 10,
    })
  }),
  beyond(
    'fills',
    'the deals of one order are told from the newest, against whomever it met',
    async (venue) => {
      for (const price of ['60000', '60001', '60002']) {
        await placed(venue, 'collateralLimit', { ...perp, side: 'sell', amount: '0.01', price }, 'rival')
      }
      const { order_id } = await placed(venue, 'collateralMarket', {
        market: 'BTC_PERP',
        side: 'buy',
        amount: '0.03',
      })
      const { records } = await done(venue.paper.orderDeals({ order_id: Number(order_id) }))
      expect(records.map(({ price, dealOrderId }) => [price, dealOrderId])).toEqual([
        ['60002', 2_000_000_000_003],
        ['60001', 2_000_000_000_002],
        ['60000', 2_000_000_000_001],
      ])
      const page = await done(venue.paper.orderDeals({ order_id: Number(order_id), limit: 1, offset: 1 }))
      expect(page).toMatchObject({ records: [{ price: '60001' }], offset: 1, limit: 1 })
    },
  ),
  beyond('fills', 'orders of others, and orders that never were, have no deals', async (venue) => {
    await traded(venue)
    for (const order_id of [2_000_000_000_001, 7]) {
      expect(await answered(venue, 'orderDeals', { order_id })).toEqual({ records: [], offset: 0, limit: 50 })
    }
    await refuses(venue, 'executedHistory', { client_order_id: 'never' }, 30, 'orderHistory')
    await refuses(venue, 'executedHistory', { market: 'BTC_EUR' }, 31, 'market')
    await refuses(venue, 'executedHistory', { limit: 501 }, 30, 'limit')
    await refuses(venue, 'orderDeals', {}, 30, 'order_id')
    await refuses(venue, 'orderDeals', { order_id: 7, limit: 101 }, 30, 'limit')
  }),
  beyond(
    'fills',
    'deals speak camel too',
    async (venue) => {
      await traded(venue)
      const [deal] = Object(await answered(venue, 'executedHistory', { market: 'BTC_PERP' }))
      expect(deal).toMatchObject({ orderId: 1_000_000_000_001, clientOrderId: '' })
      const answer = await answered(venue, 'orderDeals', { orderId: String(deal['orderId']) })
      expect(answer).toMatchObject({ records: [{ clientOrderId: '', dealOrderId: 2_000_000_000_001 }] })
    },
    { spelling: 'camel' },
  ),
  beyond(
    'fills',
    'the history of orders holds those of both accounts, by their full names',
    async (venue) => {
      expect(await answered(venue, 'orderHistory')).toEqual([])
      await placed(venue, 'spotLimit', { ...spot, side: 'sell', ioc: true })
      await traded(venue)
      await placed(venue, 'collateralLimit', { ...perp, side: 'sell', reduceOnly: true, postOnly: true })
      await placed(venue, 'collateralMarket', { market: 'BTC_PERP', side: 'buy', amount: '0.01' }, 'rival')
      expect(await answered(venue, 'orderHistory')).toEqual({
        BTC_USDT: [
          {
            id: 1_000_000_000_001,
            client_order_id: '',
            amount: '0.02',
            price: '60000',
            type: 'limit',
            side: 'sell',
            ctime: begins + 0.25,
            ftime: begins + 0.25,
            deal_fee: '0',
            deal_stock: '0',
            deal_money: '0',
            postOnly: false,
            ioc: true,
            rpi: false,
            status: 'CANCELED',
            feeAsset: 'USDT',
          },
        ],
        BTC_PERP: [
          {
            id: 1_000_000_000_002,
            client_order_id: '',
            amount: '0.02',
            price: '60000',
            type: 'margin limit',
            side: 'buy',
            ctime: begins + 0.25,
            ftime: begins + 0.25,
            deal_fee: '0.42',
            deal_stock: '0.02',
            deal_money: '1200',
            postOnly: false,
            ioc: false,
            rpi: false,
            status: 'FILLED',
            feeAsset: 'USDT',
            positionSide: 'BOTH',
            reduceOnly: false,
          },
        ],
      })
      expect(await answered(venue, 'orderHistory', {}, { as: 'rival' })).toMatchObject({
        BTC_PERP: [{ type: 'margin market' }, { type: 'margin limit' }],
      })
    },
  ),
  beyond(
    'fills',
    'a world may limit the days of a list of finished orders, and how old they can be',
    async (venue) => {
      const day = 86_400
      await placed(venue, 'collateralLimit', { ...perp, side: 'sell', amount: '0.01' }, 'rival')
      await placed(venue, 'collateralLimit', { ...perp, amount: '0.01', client_order_id: 'old' })
      const count = async (name: 'orderHistory' | 'executedHistory', about: object = {}) => {
        const answer = await answered(venue, name, about)
        return Object.values(Object(answer)).flat().length
      }
      await venue.operator.advance(31 * day - 60)
      expect(await count('orderHistory')).toBe(1)
      await venue.operator.advance(120)
      const now = begins + 31 * day + 60
      expect(await count('orderHistory')).toBe(0)
      expect(await count('orderHistory', { startDate: begins, endDate: begins + 31 * day })).toBe(1)
      expect(await count('orderHistory', { client_order_id: 'old' })).toBe(1)
      // An end in the future means now.
      expect(await count('orderHistory', { startDate: now - 31 * day + 30, endDate: now + day })).toBe(0)
      const range = { startDate: begins, endDate: begins + 31 * day + 1 }
      await refuses(venue, 'orderHistory', range, 30, 'endDate')
      expect(await count('executedHistory')).toBe(1)
      // The orders are of 2026-09-21; it is 2027-03-21 now, and 2027-03-22 a day later.
      await venue.operator.advance(150 * day)
      expect(await count('orderHistory', { startDate: begins, endDate: begins + day })).toBe(1)
      expect(await count('executedHistory')).toBe(1)
      await venue.operator.advance(day)
      await refuses(venue, 'orderHistory', { startDate: begins, endDate: begins + day }, 30, 'startDate')
      expect(await count('executedHistory')).toBe(0)
    },
    { world: { switches: { historySpan: '31d' } } },
  ),
  beyond('fills', 'the history of orders is narrowed by id, end and time', async (venue) => {
    await placed(venue, 'collateralLimit', { ...perp, side: 'sell', amount: '0.01' }, 'rival')
    await placed(venue, 'collateralLimit', { ...perp, client_order_id: 'part', ioc: true })
    venue.advance(10_000)
    await placed(venue, 'collateralLimit', { ...perp, client_order_id: 'none', ioc: true })
    await placed(venue, 'collateralLimit', { ...perp, side: 'sell', amount: '0.01' }, 'rival')
    venue.advance(10_000)
    const { order_id } = await placed(venue, 'collateralLimit', {
      ...perp,
      amount: '0.01',
      client_order_id: 'all',
    })
    const ids = async (about: object) => {
      const answer: { BTC_PERP?: { client_order_id: string }[] } = Object(
        await answered(venue, 'orderHistory', about),
      )
      return (answer.BTC_PERP ?? []).map((order) => order.client_order_id)
    }
    expect(await ids({})).toEqual(['all', 'none', 'part'])
    expect(await ids({ status: 'ALL' })).toEqual(['all', 'none', 'part'])
    expect(await ids({ status: 'FILLED' })).toEqual(['all'])
    expect(await ids({ status: 'CANCELED' })).toEqual(['none', 'part'])
    expect(await ids({ status: 'PARTIALLY_FILLED' })).toEqual(['part'])
    expect(await ids({ status: 'CANCELED', limit: 1, offset: 1 })).toEqual(['part'])
    expect(await ids({ startDate: begins + 10 })).toEqual(['all', 'none'])
    expect(await ids({ startDate: String(begins + 10), endDate: begins + 19 })).toEqual(['none'])
    expect(await ids({ order_id })).toEqual(['all'])
    expect(await ids({ order_id, client_order_id: 'none', status: 'CANCELED' })).toEqual(['all'])
    expect(await ids({ client_order_id: 'none', status: 'FILLED', endDate: 0 })).toEqual(['none'])
    expect(await ids({ order_id: 7 })).toEqual([])
    expect(await ids({ market: 'ETH_PERP', order_id })).toEqual([])
    await refuses(venue, 'orderHistory', { client_order_id: 'never' }, 30, 'orderHistory')
    await refuses(venue, 'orderHistory', { status: 'filled' }, 30, 'status')
    await refuses(venue, 'orderHistory', { startDate: -1 }, 30, 'startDate')
  }),
]
