import { expect } from 'vitest'
import { clause } from './clause.ts'
import { bulk, done, last, place, refusesKeys, refusesWhole, shown } from './reading.ts'

const ioc = { ioc: true, amount: '0.001' }

/** §4.10, §4.17 and §4.18: finished orders and balances. */
export const tradingReads = [
  clause('4.10', 'answers an object by market, each with its orders, the newest first', async (venue) => {
    await bulk(venue, venue.paper, [
      { ...ioc, client_order_id: 'a' },
      { ...ioc, client_order_id: 'b', market: 'ETH_PERP', amount: '1', price: '10' },
      { ...ioc, client_order_id: 'c' },
    ])
    const history = await shown(venue, 'orderHistory', venue.paper.orderHistory())
    expect(Object.keys(history).sort()).toEqual(['BTC_PERP', 'ETH_PERP'])
    expect(history['BTC_PERP']?.map((each) => each.client_order_id)).toEqual(['c', 'a'])
  }),
  clause('4.10', 'market narrows the answer to one', async (venue) => {
    await bulk(venue, venue.paper, [ioc, { ...ioc, market: 'BTC_USDT' }])
    for (const market of ['BTC_PERP', 'BTC_USDT']) {
      const history = await shown(venue, 'orderHistory', venue.paper.orderHistory({ market }))
      expect(Object.keys(history)).toEqual([market])
    }
    expect(await done(venue.paper.orderHistory({ market: 'ETH_PERP' }))).toEqual({})
  }),
  clause('4.10', 'limit and offset cut the page over all markets', async (venue) => {
    const ids = ['a', 'b', 'c', 'd']
    for (const id of ids) await place(venue, venue.paper, { ...ioc, client_order_id: id })
    const idsFor = async (page: { limit?: number; offset?: number }) =>
      (await done(venue.paper.orderHistory(page)))['BTC_PERP']?.map((each) => each.client_order_id)
    expect(await idsFor({ limit: 2 })).toEqual(['d', 'c'])
    expect(await idsFor({ limit: 2, offset: 1 })).toEqual(['c', 'b'])
    expect(await idsFor({ offset: 3 })).toEqual(['a'])
    expect(await idsFor({ offset: 4 })).toBeUndefined()
  }),
  clause('4.10', 'limit is 50 unless told otherwise, and 500 at most', async (venue) => {
    const twenty = Array.from({ length: 20 }, () => ioc)
    for (let time = 0; time < 3; time++) await bulk(venue, venue.paper, twenty)
    expect((await done(venue.paper.orderHistory()))['BTC_PERP']).toHaveLength(50)
    expect((await done(venue.paper.orderHistory({ limit: 500 })))['BTC_PERP']).toHaveLength(60)
    await refusesWhole(venue, 'orderHistory', { limit: 501 })
  }),
  clause('4.10', 'orders of others are not in the answer, which is an empty object then', async (venue) => {
    await place(venue, venue.rival, ioc)
    expect(await shown(venue, 'orderHistory', venue.paper.orderHistory())).toEqual({})
    expect(last(venue).body).toBe('{}')
  }),
  clause('4.10', 'a request that does not fit has code 30 and no errors', async (venue) => {
    const wrong = [
      { market: 'BTC_EUR' },
      { market: 'btc_perp' },
      { market: 7 },
      { limit: 0 },
      { limit: '5' },
      { offset: -1 },
      { offset: 0.5 },
      { orderId: 1 },
      { order_id: 1 },
      { status: 'FILLED' },
      { startDate: 1 },
    ]
    for (const parameters of wrong) await refusesWhole(venue, 'orderHistory', parameters)
  }),
  clause('4.17', 'ticker limits the answer to one currency', async (venue) => {
    for (const ticker of ['BTC', 'SOL', 'EUR']) {
      const balance = await shown(venue, 'tradingBalance', venue.paper.tradingBalance({ ticker }))
      expect(Object.keys(balance)).toEqual([ticker])
    }
  }),
  clause('4.17', 'freeze shows what resting collateral orders hold', async (venue) => {
    await bulk(venue, venue.paper, [
      { amount: '0.01', price: '50000' },
      { amount: '0.02', price: '40000' },
    ])
    const balance = await shown(venue, 'tradingBalance', venue.paper.tradingBalance({ ticker: 'USDT' }))
    expect(balance['USDT']).toEqual({ available: '50000', freeze: '1300' })
    await place(venue, venue.rival, { side: 'sell', amount: '0.01', price: '50000' })
    expect((await done(venue.paper.tradingBalance()))['USDT']?.freeze).toBe('800')
  }),
  clause(
    '4.17',
    'freeze is the notional divided by the leverage of the account',
    async (venue) => {
      await place(venue, venue.paper, { amount: '0.01', price: '50000' })
      expect((await done(venue.paper.tradingBalance()))['USDT']?.freeze).toBe('100')
    },
    { world: { accounts: { paper: { leverage: '5' } } } },
  ),
  clause('4.17', 'a ticker that does not fit has code 30 and no errors', async (venue) => {
    for (const ticker of ['ZZZ', 'usdt', '', 7, ['USDT']])
      await refusesWhole(venue, 'tradingBalance', { ticker })
    await refusesWhole(venue, 'tradingBalance', { currency: 'USDT' })
  }),
  clause('4.18', 'ticker limits the answer to one currency, also without money', async (venue) => {
    for (const [ticker, balance] of [
      ['BTC', '2'],
      ['SOL', '0'],
      ['EUR', '0'],
    ] as const) {
      const answer = await shown(venue, 'mainBalance', venue.paper.mainBalance({ ticker }))
      expect(answer).toEqual({ [ticker]: { main_balance: balance } })
    }
  }),
  clause('4.18', 'a ticker that does not fit is refused under its name', async (venue) => {
    for (const ticker of ['ZZZ', 'usdt', '', 7, '__proto__']) {
      await refusesKeys(venue, 'mainBalance', { ticker }, ['ticker'])
    }
  }),
  clause('4.18', 'each account sees its own', async (venue) => {
    expect(await done(venue.rival.mainBalance())).toEqual({ USDT: { main_balance: '100000' } })
    expect(await done(venue.reader.mainBalance())).toEqual({})
  }),
]
