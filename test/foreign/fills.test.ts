import { afterAll, beforeAll, expect, test } from 'vitest'
import { done } from '#test/venues/whitebit/contract/spec/reading.ts'
import { dealsOf, meet, products, type Meeting } from './meeting.ts'

let meeting: Meeting
beforeAll(async () => {
  meeting = await meet()
  await meeting.stranger.loadMarkets()
})
afterAll(() => meeting.close())

/** The rival's order, for the stranger to meet. */
async function offer(market: string, side: 'buy' | 'sell', amount: string, price: string): Promise<void> {
  await done(meeting.rival.collateralLimit({ market, side, amount, price }))
}

const containing = (expected: object): unknown => expect.objectContaining(expected)

test.each(products)('an order of $name that takes is filled, and so are its records', async (product) => {
  const { stranger, paper } = meeting
  const { symbol, market, about } = product
  await offer(market, 'sell', '0.003', '60010')
  await offer(market, 'sell', '0.004', '60020')
  const bought = await stranger.createOrder(symbol, 'limit', 'buy', 0.005, 60_030, about)
  expect(bought).toMatchObject({
    symbol,
    status: 'closed',
    side: 'buy',
    filled: 0.005,
    remaining: 0,
    cost: 300.07,
  })
  const deals = await dealsOf(meeting, market, bought.id)
  expect(deals.map(({ amount }) => amount)).toEqual([0.003, 0.002])
  const mine = (await stranger.fetchMyTrades(symbol)).filter(
    ({ order }: { order: string }) => order === bought.id,
  )
  expect(mine).toEqual(deals.map(containing))
  const everywhere = await stranger.fetchMyTrades()
  expect(everywhere.filter(({ order }: { order: string }) => order === bought.id)).toEqual(mine)
  const ofOrder: object[] = await stranger.fetchOrderTrades(bought.id, symbol)
  expect(ofOrder).toEqual(
    deals.map(({ id, timestamp, takerOrMaker, price, amount, cost, fee }) =>
      containing({ id, timestamp, takerOrMaker, price, amount, cost, fee }),
    ),
  )
  const { [market]: orders = [] } = await done(paper.orderHistory({ market, limit: 1 }))
  expect(await stranger.fetchOrder(bought.id, symbol)).toMatchObject({
    id: String(orders[0]?.id),
    status: 'closed',
    filled: Number(orders[0]?.deal_stock),
    cost: Number(orders[0]?.deal_money),
    fee: { cost: Number(orders[0]?.deal_fee), currency: 'USDT' },
    lastTradeTimestamp: Math.trunc((orders[0]?.ftime ?? 0) * 1000),
  })
  const closed = await stranger.fetchClosedOrders(symbol, undefined, 50)
  expect(closed.map(({ id }: { id: string }) => id)).toContain(bought.id)

  await offer(market, 'buy', '0.005', '59990')
  const sold = await stranger.createOrder(symbol, 'market', 'sell', 0.005, undefined, about)
  expect(sold).toMatchObject({
    status: 'closed',
    type: 'market',
    filled: 0.005,
    cost: 299.95,
    average: 59_990,
  })
  expect(await dealsOf(meeting, market, sold.id)).toHaveLength(1)
  await done(meeting.rival.cancelAll({}))
})

test('buys for an amount of money', async () => {
  const { stranger } = meeting
  await offer('BTC_USDT', 'sell', '0.01', '60000')
  const bought = await stranger.createMarketBuyOrderWithCost('BTC/USDT', 120)
  expect(bought).toMatchObject({ status: 'closed', filled: 0.002, cost: 120, average: 60_000 })
  await done(meeting.rival.cancelAll({}))
})

test.each(products)('postOnly and ioc of $name do what they say', async ({ symbol, market, about }) => {
  const { stranger, rival } = meeting
  await offer(market, 'sell', '0.003', '60010')
  const postOnly = stranger.createOrder(symbol, 'limit', 'buy', 0.005, 60_010, { ...about, postOnly: true })
  await expect(postOnly).rejects.toMatchObject({ name: 'ExchangeError' })
  const ioc = await stranger.createOrder(symbol, 'limit', 'buy', 0.005, 60_010, {
    ...about,
    timeInForce: 'IOC',
  })
  expect(ioc).toMatchObject({ status: 'canceled', timeInForce: 'IOC', filled: 0.003, remaining: 0.002 })
  expect(await stranger.fetchOpenOrders(symbol)).toEqual([])
  await offer(market, 'buy', '0.003', '60000')
  await stranger.createOrder(symbol, 'market', 'sell', 0.003, undefined, about)
  await done(rival.cancelAll({}))
})
