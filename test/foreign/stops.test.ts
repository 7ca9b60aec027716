import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { done } from '#test/venues/whitebit/contract/spec/reading.ts'
import { patience } from '#test/support/patience.ts'
import { dealsOf, heard, meet, products, type Meeting } from './meeting.ts'

let meeting: Meeting
beforeAll(async () => {
  meeting = await meet()
  await meeting.stranger.loadMarkets()
  for (const market of ['BTC_USDT', 'BTC_PERP']) await lastAt(market, '60000')
})
afterAll(() => meeting.close())

/** The rival trades with itself, and the last price is where that was. */
async function lastAt(market: string, price: string): Promise<void> {
  const amount = '0.001'
  for (const side of ['sell', 'buy'] as const)
    await done(meeting.rival.collateralLimit({ market, side, amount, price }))
}

/** The order that waits under this id, as our client reads it, in its words. */
async function waiting(market: string, id: string) {
  const [order] = await done(meeting.paper.openOrders({ market, order_id: Number(id) }))
  return {
    id: String(order?.order_id),
    // It calls an empty one none.
    clientOrderId: order?.client_order_id || undefined,
    side: order?.side,
    amount: Number(order?.amount),
    remaining: Number(order?.left),
    triggerPrice: Number(order?.activation_price),
    price: order?.price === undefined ? undefined : Number(order.price),
    status: 'open',
  }
}

test.each(products)('a market order of $name waits for its price, is moved, and comes', async (product) => {
  const { stranger } = meeting
  const { symbol, market, about } = product
  const placed = await stranger.createOrder(symbol, 'market', 'sell', 0.01, undefined, {
    ...about,
    triggerPrice: 59_000,
  })
  expect(placed).toMatchObject({ symbol, side: 'sell', type: 'market', status: 'open', triggerPrice: 59_000 })
  expect(await stranger.fetchOrder(placed.id, symbol)).toMatchObject(await waiting(market, placed.id))
  const moved = await stranger.editOrder(placed.id, symbol, 'market', 'sell', undefined, undefined, {
    triggerPrice: 59_500,
  })
  expect(moved).toMatchObject(await waiting(market, moved.id))
  expect(moved).toMatchObject({ triggerPrice: 59_500, amount: 0.01, clientOrderId: placed.clientOrderId })

  await done(meeting.rival.collateralLimit({ market, side: 'buy', amount: '0.01', price: '59490' }))
  await lastAt(market, '59500')
  expect(await stranger.fetchOrder(moved.id, symbol)).toMatchObject({
    status: 'closed',
    filled: 0.01,
    cost: 594.9,
  })
  expect(await dealsOf(meeting, market, moved.id)).toMatchObject([{ price: 59_490, takerOrMaker: 'taker' }])
  await lastAt(market, '60000')
})

test('a limit order of the spot account waits, and rests when its price has come', async () => {
  const { stranger } = meeting
  const [symbol, market] = ['BTC/USDT', 'BTC_USDT']
  const placed = await stranger.createOrder(symbol, 'limit', 'buy', 0.01, 61_000, { triggerPrice: 60_500 })
  expect(placed).toMatchObject({ ...(await waiting(market, placed.id)), type: 'limit', price: 61_000 })
  expect((await stranger.fetchBalance()).used.USDT).toBe(0)
  await lastAt(market, '60500')
  expect(await stranger.fetchOpenOrders(symbol)).toMatchObject([{ id: placed.id, triggerPrice: 60_500 }])
  expect((await stranger.fetchBalance()).used.USDT).toBe(610.61)
  expect(await stranger.cancelOrder(placed.id, symbol)).toMatchObject({ status: 'canceled', filled: 0 })
  await lastAt(market, '60000')
})

test('a buy of the spot account waits with an amount of money', async () => {
  const { stranger } = meeting
  const [symbol, market] = ['BTC/USDT', 'BTC_USDT']
  const about = { cost: 122, triggerPrice: 61_000 }
  const { id } = await stranger.createOrder(symbol, 'market', 'buy', 0, undefined, about)
  expect(await waiting(market, id)).toMatchObject({ amount: 0.002, triggerPrice: 61_000, price: undefined })
  await done(meeting.rival.collateralLimit({ market, side: 'sell', amount: '0.01', price: '61000' }))
  await lastAt(market, '61000')
  expect(await stranger.fetchOrder(id, symbol)).toMatchObject({ status: 'closed', filled: 0.002, cost: 122 })
  await done(meeting.rival.cancelAll({}))
})

test('a limit order of the collateral account that waits goes by a call of its own', async () => {
  const { stranger } = meeting
  // Its usual way leads to the spot account, which knows no futures.
  const usual = stranger.createOrder('BTC/USDT:USDT', 'limit', 'buy', 0.01, 61_000, { triggerPrice: 60_500 })
  await expect(usual).rejects.toThrow('Market is not available')
  const order = { market: 'BTC_PERP', side: 'buy', amount: '0.01', price: '61000', activation_price: '60500' }
  const { orderId } = await stranger.v4PrivatePostOrderCollateralStopLimit(order)
  const expected = await waiting('BTC_PERP', String(orderId))
  expect(await stranger.fetchOpenOrders('BTC/USDT:USDT')).toMatchObject([expected])
  await stranger.cancelAllOrders('BTC/USDT:USDT')
  expect(await stranger.fetchOpenOrders()).toEqual([])
})

test('hears of an order that waits, when it is moved and when it comes', async () => {
  const { stranger, paper } = meeting
  const [symbol, market] = ['BTC/USDT:USDT', 'BTC_PERP']
  const order = { market, side: 'sell', amount: '0.01', price: '59000', activation_price: '59500' } as const
  const place = async () => (await done(paper.collateralStopLimit(order))).order_id
  const withdraw = (order_id: number) => done(paper.cancelOrder({ market, order_id }))
  await heard(stranger.watchOrders(symbol), async () => withdraw(await place()))
  const id = await place()
  const kept = () => [...stranger.orders].find((each: { id: string }) => each.id === String(id))
  await vi.waitFor(() => expect(kept()).toMatchObject({ status: 'open', triggerPrice: 59_500 }), patience)
  expect(kept()).toMatchObject(await waiting(market, String(id)))
  await lastAt(market, '59500')
  await withdraw(id)
  await vi.waitFor(() => expect(kept()).toMatchObject({ status: 'canceled', remaining: 0.01 }), patience)
})
