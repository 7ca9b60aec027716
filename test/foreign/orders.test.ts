import { afterAll, beforeAll, expect, test } from 'vitest'
import { done } from '#test/venues/whitebit/contract/spec/reading.ts'
import { meet, products, type Meeting } from './meeting.ts'

let meeting: Meeting
beforeAll(async () => {
  meeting = await meet()
  await meeting.stranger.loadMarkets()
})
afterAll(() => meeting.close())

type Order = Awaited<ReturnType<typeof openOrder>>

/** The one order that rests under this id, as our client reads it. */
async function openOrder(market: string, id: string) {
  const found = await done(meeting.paper.openOrders({ market, order_id: Number(id) }))
  expect(found).toHaveLength(1)
  const [order] = found
  if (order === undefined) throw new Error('there is no such order')
  return order
}

/** The same in its words. */
function told(order: Order, status: string) {
  return {
    id: String(order.order_id),
    clientOrderId: order.client_order_id,
    timestamp: Math.round(order.timestamp * 1000),
    side: order.side,
    status,
    amount: Number(order.amount),
    filled: Number(order.deal_stock),
    remaining: Number(order.left),
    cost: Number(order.deal_money),
    price: Number(order.price),
    postOnly: order.postOnly,
  }
}

test.each(products)(
  'places, sees, changes and withdraws a $name order',
  async ({ symbol, market, about }) => {
    const { stranger } = meeting
    const placed = await stranger.createOrder(symbol, 'limit', 'buy', 0.02, 59_000, {
      ...about,
      postOnly: true,
    })
    const resting = await openOrder(market, placed.id)
    expect(placed).toMatchObject(told(resting, 'open'))
    expect(placed).toMatchObject({ symbol, type: 'limit', timeInForce: 'PO', amount: 0.02, price: 59_000 })
    expect(await stranger.fetchOpenOrders(symbol)).toEqual([expect.objectContaining(told(resting, 'open'))])
    expect(await stranger.fetchOpenOrders()).toEqual([expect.objectContaining(told(resting, 'open'))])
    expect(await stranger.fetchOrder(placed.id, symbol)).toMatchObject(told(resting, 'open'))

    const changed = await stranger.editOrder(placed.id, symbol, 'limit', 'buy', 0.03, 58_000)
    expect(changed).toMatchObject({
      ...told(await openOrder(market, changed.id), 'open'),
      amount: 0.03,
      price: 58_000,
    })
    expect(changed.id).not.toBe(placed.id)
    expect(changed.clientOrderId).toBe(placed.clientOrderId)

    const canceled = await stranger.cancelOrder(changed.id, symbol)
    expect(canceled).toMatchObject({ id: changed.id, status: 'canceled', filled: 0, remaining: 0.03 })
    expect(await stranger.fetchOpenOrders(symbol)).toEqual([])
    expect(await stranger.fetchOrder(changed.id, symbol)).toMatchObject({
      id: changed.id,
      status: 'canceled',
    })
    await expect(stranger.cancelOrder(changed.id, symbol)).rejects.toMatchObject({ name: 'OrderNotFound' })
  },
)

test.each(products)('withdraws all $name orders and no others', async ({ name, symbol }) => {
  const { stranger, paper } = meeting
  const placed = new Map<string, string>()
  for (const product of products) {
    const { id } = await stranger.createOrder(product.symbol, 'limit', 'buy', 0.001, 59_000, product.about)
    placed.set(product.name, id)
  }
  await stranger.cancelAllOrders(symbol, name === 'margin' ? { isMargin: true } : {})
  const left = (await done(paper.openOrders())).map(({ order_id }) => String(order_id))
  const others = [...placed].filter(([other]) => other !== name).map(([, id]) => id)
  expect(left.toSorted()).toEqual(others.toSorted())
  await done(paper.cancelAll({}))
})

test('sets a kill switch, and takes it away', async () => {
  const { stranger, paper } = meeting
  const symbol = 'BTC/USDT:USDT'
  const { startTime, cancellationTime } = await stranger.cancelAllOrdersAfter(60_000, { symbol })
  expect(cancellationTime - startTime).toBe(60)
  expect(await done(paper.killSwitches({}))).toEqual([
    expect.objectContaining({ market: 'BTC_PERP', startTime, cancellationTime }),
  ])
  // To take it away it sends the word null, which is no number of seconds; the value null is what helps.
  await expect(stranger.cancelAllOrdersAfter(0, { symbol })).rejects.toThrow('Timeout should be')
  await stranger.cancelAllOrdersAfter(0, { symbol, timeout: null })
  expect(await done(paper.killSwitches({}))).toEqual([])
})

test('what does not fit is refused under a name that it knows', async () => {
  const { stranger } = meeting
  // A price lies outside of the band only where there has been one.
  await done(
    meeting.rival.collateralLimit({ market: 'BTC_PERP', side: 'sell', amount: '0.001', price: '60000' }),
  )
  await stranger.createOrder('BTC/USDT:USDT', 'market', 'buy', 0.001)
  const refusal = async (...order: unknown[]): Promise<string> => {
    const placing: Promise<unknown> = stranger.createOrder(...order)
    return placing.then(
      () => 'accepted',
      ({ name }: Error) => name,
    )
  }
  expect(await refusal('BTC/USDT', 'limit', 'buy', 5, 59_000)).toBe('InsufficientFunds')
  expect(await refusal('BTC/USDT:USDT', 'limit', 'buy', 5, 59_000)).toBe('InsufficientFunds')
  expect(await refusal('BTC/USDT', 'limit', 'buy', 0.000005, 59_000)).toBe('InvalidOrder')
  expect(await refusal('BTC/USDT:USDT', 'limit', 'buy', 0.01, 10_000)).toBe('InvalidOrder')
  expect(await refusal('BTC/USDT:USDT', 'limit', 'buy', 0.01, 59_000, { reduceOnly: true })).toBe(
    'ExchangeError',
  )
  const nobody = await meeting.another()
  nobody.secret = 'not-the-secret'
  await expect(nobody.fetchBalance()).rejects.toMatchObject({ name: 'AuthenticationError' })
  nobody.apiKey = 'reader-key'
  nobody.secret = 'reader-secret'
  const order = nobody.createOrder('BTC/USDT', 'limit', 'buy', 0.01, 59_000)
  await expect(order).rejects.toMatchObject({ name: 'PermissionDenied' })
})
