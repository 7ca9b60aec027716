import { expect } from 'vitest'
import { clause } from './clause.ts'
import {
  bulk,
  dayMs,
  done,
  element,
  fixedUsdt,
  flexUsdt,
  kindsOf,
  mainBalanceOf,
  place,
  refusesKeys,
} from './reading.ts'

/** §3: states, and the ways from one to the next. */
export const states = [
  clause('3', 'a flex investment is ACTIVE from its first amount on', async (venue) => {
    expect((await done(venue.paper.flexInvestments())).data).toEqual([])
    await done(venue.paper.flexInvest({ plan: flexUsdt, amount: '10' }))
    venue.advance(100 * dayMs)
    expect((await done(venue.paper.flexInvestments({ investmentStatus: 1 }))).data).toHaveLength(1)
    expect((await done(venue.paper.flexInvestments({ investmentStatus: 0 }))).data).toEqual([])
  }),
  clause('3', 'a second amount joins the flex investment of the same plan', async (venue) => {
    await done(venue.paper.flexInvest({ plan: flexUsdt, amount: '10' }))
    await done(venue.paper.flexInvest({ plan: flexUsdt, amount: '15.5' }))
    const { data } = await done(venue.paper.flexInvestments())
    expect(data.map(({ invested }) => invested)).toEqual(['25.5'])
  }),
  clause('3', 'an order that finds no other side rests, and is in no history', async (venue) => {
    expect((await place(venue, venue.paper, {})).status).toBe('OPEN')
    expect(await done(venue.paper.orderHistory())).toEqual({})
  }),
  clause('3', 'an order with some fills is PARTIALLY_FILLED until it is FILLED', async (venue) => {
    await place(venue, venue.rival, { side: 'sell', amount: '0.01' })
    expect((await place(venue, venue.paper, { amount: '0.02' })).status).toBe('PARTIALLY_FILLED')
    expect(await done(venue.paper.orderHistory())).toEqual({})
    expect((await place(venue, venue.rival, { side: 'sell', amount: '0.01' })).status).toBe('FILLED')
    expect((await done(venue.paper.orderHistory()))['BTC_PERP']?.map(({ status }) => status)).toEqual([
      'FILLED',
    ])
  }),
  clause('3', 'an ioc order that is not filled ends as CANCELED', async (venue) => {
    expect((await place(venue, venue.paper, { ioc: true })).status).toBe('CANCELED')
    const history = await done(venue.paper.orderHistory())
    expect(history['BTC_PERP']?.map(({ status }) => status)).toEqual(['CANCELED'])
  }),
  clause('3', 'a finished order never changes again', async (venue) => {
    await place(venue, venue.paper, { ioc: true })
    await place(venue, venue.rival, { side: 'sell' })
    await place(venue, venue.paper, {})
    const before = await done(venue.paper.orderHistory())
    venue.advance(dayMs)
    await place(venue, venue.rival, { side: 'sell' })
    await place(venue, venue.paper, {})
    const after = await done(venue.paper.orderHistory())
    expect(after['BTC_PERP']?.slice(1)).toEqual(before['BTC_PERP'])
  }),
  ...(['NEW', 'ACTIVE'] as const).map((restingStatus) =>
    clause(
      '3',
      `a world may call a resting order ${restingStatus}`,
      async (venue) => {
        expect((await place(venue, venue.paper, {})).status).toBe(restingStatus)
        const { result } = await element(venue, { ioc: true, side: 'sell', amount: '0.02' })
        expect(result?.status).toBe('CANCELED')
      },
      { world: { switches: { restingStatus } } },
    ),
  ),
  clause('3', 'closing an active fixed-term investment brings the principal back', async (venue) => {
    const { id } = await done(venue.paper.fixedInvest({ planId: fixedUsdt, amount: '1000' }))
    expect(await mainBalanceOf(venue, 'USDT')).toBe('99000')
    await done(venue.paper.fixedClose({ id }))
    expect(await mainBalanceOf(venue, 'USDT')).toBe('100000')
  }),
  clause('3', 'a closed fixed-term investment stays closed and earns no more', async (venue) => {
    const { id } = await done(venue.paper.fixedInvest({ planId: fixedUsdt, amount: '1000' }))
    await done(venue.paper.fixedClose({ id }))
    await refusesKeys(venue, 'fixedClose', { id }, ['id'])
    venue.advance(3 * dayMs)
    expect(await mainBalanceOf(venue, 'USDT')).toBe('100000')
    expect((await done(venue.paper.fixedInterest())).records).toEqual([])
  }),
  clause('3', 'a fixed-term investment ends by itself after its term', async (venue) => {
    const { id } = await done(venue.paper.fixedInvest({ planId: fixedUsdt, amount: '1000' }))
    venue.advance(31 * dayMs)
    expect((await done(venue.paper.fixedInterest())).records).toHaveLength(30)
    expect(await mainBalanceOf(venue, 'USDT')).toBe('100008.219178')
    await refusesKeys(venue, 'fixedClose', { id }, ['id'])
  }),
  clause('3', 'orders meet the best price first and, at one price, the oldest order', async (venue) => {
    const sell = { side: 'sell', amount: '0.01' } as const
    await bulk(venue, venue.rival, [
      { ...sell, price: '50100', client_order_id: 'dearer' },
      { ...sell, price: '50000', client_order_id: 'first' },
      { ...sell, price: '50000', client_order_id: 'second' },
    ])
    expect(kindsOf(await bulk(venue, venue.paper, [{ amount: '0.02', price: '50200' }]))).toEqual([
      'accepted',
    ])
    const filled = (await done(venue.rival.orderHistory()))['BTC_PERP'] ?? []
    expect(filled.map((each) => [each.client_order_id, each.deal_money])).toEqual([
      ['second', '500'],
      ['first', '500'],
    ])
  }),
]
