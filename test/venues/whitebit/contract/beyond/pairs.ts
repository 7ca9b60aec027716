import { expect } from 'vitest'
import type { TestVenue } from '#test/support/venue.ts'
import { done } from '#test/venues/whitebit/contract/spec/reading.ts'
import { answered, beyond, holds } from './clause.ts'
import { frozen, marked, perp, placed, refuses, traded } from './placing.ts'

const pair = {
  market: 'BTC_PERP',
  side: 'sell',
  amount: '0.02',
  price: '62000',
  activation_price: '59000',
  stop_limit_price: '58900',
} as const
const gone = { status: 400 }

/** `paper` is long, with a pair around the last price; gives back the ids of its orders. */
async function paired(venue: TestVenue, about: object = {}) {
  await traded(venue)
  const { stop_loss, take_profit } = await placed(venue, 'collateralOco', {
    ...pair,
    client_order_id: 'a',
    ...about,
  })
  return { stop: Object(stop_loss)['order_id'], profit: Object(take_profit)['order_id'] }
}

const statuses = async (venue: TestVenue) => {
  const { BTC_PERP = [] }: { BTC_PERP?: { id: number; status: string }[] } = Object(
    await answered(venue, 'orderHistory'),
  )
  return Object.fromEntries(BTC_PERP.map(({ id, status }) => [id, status]))
}

export const pairs = [
  beyond('triggers', 'a pair is a limit order that rests and a stop that waits', async (venue) => {
    await traded(venue)
    const answer = await done(venue.paper.collateralOco({ ...pair, side: 'sell', client_order_id: 'a' }))
    expect(answer).toMatchObject({
      id: 1_000_000_000_002,
      reduceOnly: false,
      take_profit: {
        order_id: 1_000_000_000_002,
        client_order_id: 'a',
        type: 'limit',
        price: '62000',
        status: 'OPEN',
      },
      stop_loss: {
        order_id: 1_000_000_000_003,
        client_order_id: '',
        type: 'stop limit',
        price: '58900',
        activation_price: '59000',
        status: 'OPEN',
      },
    })
    const listed = {
      ...answer,
      take_profit: { ...answer.take_profit, type: 'margin limit' },
      stop_loss: { ...answer.stop_loss, type: 'margin stop limit' },
    }
    expect(await answered(venue, 'ocoOrders')).toEqual([listed])
    expect(await answered(venue, 'conditionalOrders')).toEqual({
      limit: 100,
      offset: 0,
      total: 1,
      records: [{ ...listed, type: 'oco' }],
    })
    expect(await answered(venue, 'openOrders')).toEqual([listed.stop_loss, listed.take_profit])
  }),
  beyond('triggers', 'when the limit order trades the stop will not come', async (venue) => {
    const { stop, profit } = await paired(venue)
    await placed(venue, 'collateralLimit', { ...perp, amount: '0.005', price: '62000' }, 'rival')
    expect(await answered(venue, 'ocoOrders')).toEqual([])
    expect(await answered(venue, 'openOrders')).toMatchObject([{ order_id: profit, left: '0.015' }])
    await marked(venue, '58000')
    expect(await answered(venue, 'openPositions')).toMatchObject([{ amount: '0.015' }])
    expect(await statuses(venue)).toMatchObject({ [stop]: 'CANCELED' })
  }),
  beyond('triggers', 'when the stop comes the limit order ends', async (venue) => {
    const { stop, profit } = await paired(venue, { reduceOnly: true })
    await placed(venue, 'collateralLimit', { ...perp, price: '58950' }, 'rival')
    await marked(venue, '59000')
    expect(await answered(venue, 'openOrders')).toEqual([])
    expect(await answered(venue, 'openPositions')).toEqual([])
    expect(await statuses(venue)).toMatchObject({ [stop]: 'FILLED', [profit]: 'CANCELED' })
    // 50000 - 0.42 - 21, and 0.035 percent of 1179.
    expect(holds(venue, 'collateral/paper', 'USDT')).toBe('49978.16735')
  }),
  beyond('triggers', 'a pair ends whole, whichever of its orders is named', async (venue) => {
    await traded(venue)
    const about = { market: 'BTC_PERP' }
    const ways = [
      (profit: number) => answered(venue, 'cancelConditional', { ...about, id: profit }),
      (_: number, stop: number) => answered(venue, 'cancelConditional', { ...about, id: stop }),
      (profit: number) => answered(venue, 'cancelOco', { ...about, order_id: profit }),
      (_: number, stop: number) => answered(venue, 'cancelOco', { ...about, order_id: stop }),
      (profit: number) => answered(venue, 'cancelOrder', { ...about, order_id: profit }),
      (_: number, stop: number) => answered(venue, 'cancelOrder', { ...about, order_id: stop }),
      () => answered(venue, 'cancelAll'),
    ]
    for (const end of ways) {
      const { stop_loss, take_profit } = await done(venue.paper.collateralOco({ ...pair, amount: '0.05' }))
      expect(await frozen(venue)).toBe('1860')
      await end(take_profit.order_id, stop_loss.order_id)
      expect(await answered(venue, 'openOrders')).toEqual([])
      expect(await statuses(venue)).toMatchObject({
        [stop_loss.order_id]: 'CANCELED',
        [take_profit.order_id]: 'CANCELED',
      })
      expect(await frozen(venue)).toBe('0')
    }
  }),
  beyond('triggers', 'both orders are told of when a pair is withdrawn by its own id', async (venue) => {
    const { stop, profit } = await paired(venue)
    expect(await done(venue.paper.cancelOco({ market: 'BTC_PERP', client_order_id: 'a' }))).toMatchObject({
      id: profit,
      take_profit: { order_id: profit, status: 'CANCELED' },
      stop_loss: { order_id: stop, status: 'CANCELED' },
    })
  }),
  beyond('triggers', 'a pair may be narrowed to a market and a page', async (venue) => {
    await paired(venue)
    await placed(venue, 'collateralOco', {
      ...pair,
      market: 'ETH_PERP',
      amount: '1',
      price: '3200',
      activation_price: '2900',
      stop_limit_price: '2890',
    })
    const ids = async (about: object) =>
      (await done(venue.paper.ocoOrders(about))).map(({ take_profit }) => take_profit.market)
    expect(await ids({})).toEqual(['ETH_PERP', 'BTC_PERP'])
    expect(await ids({ market: 'BTC_PERP' })).toEqual(['BTC_PERP'])
    expect(await ids({ limit: 1, offset: 1 })).toEqual(['BTC_PERP'])
    const page = await done(venue.paper.conditionalOrders({ limit: 1, offset: 1 }))
    expect(page).toMatchObject({ limit: 1, offset: 1, total: 2, records: [{ type: 'oco' }] })
    expect(await answered(venue, 'conditionalOrders', {}, { as: 'rival' })).toMatchObject({ total: 0 })
    await refuses(venue, 'ocoOrders', { market: 'BTC_EUR' }, 31, 'market')
    await refuses(venue, 'conditionalOrders', { market: 'BTC_EUR' }, 31, 'market')
  }),
  beyond('triggers', 'a pair lies around the last price, and its limit order must rest', async (venue) => {
    await refuses(venue, 'collateralOco', { ...pair, price: '59000' }, 105, 'price')
    await traded(venue)
    await refuses(venue, 'collateralOco', { ...pair, price: '60000' }, 105, 'price')
    await refuses(venue, 'collateralOco', { ...pair, activation_price: '60500' }, 106, 'activation_price')
    await refuses(venue, 'collateralOco', { ...pair, stop_limit_price: '20000' }, 251, 'stop_limit_price')
    await refuses(venue, 'collateralOco', { ...pair, stop_limit_price: '58900.01' }, 33, 'stop_limit_price')
    await refuses(venue, 'collateralOco', { ...pair, stop_limit_price: undefined }, 30, 'stop_limit_price')
    await refuses(venue, 'collateralOco', { ...pair, amount: '2' }, 10, 'amount')
    const buy = { ...pair, side: 'buy', price: '58000', activation_price: '61000', stop_limit_price: '61100' }
    await refuses(venue, 'collateralOco', { ...buy, price: '60000' }, 105, 'price')
    await refuses(venue, 'collateralOco', { ...buy, activation_price: '59000' }, 106, 'activation_price')
    await refuses(venue, 'collateralOco', { ...buy, reduceOnly: true }, 116, 'reduceOnly')
    await placed(venue, 'collateralLimit', { ...perp, side: 'sell', price: '58000' }, 'rival')
    await refuses(venue, 'collateralOco', buy, 105, 'price')
    await answered(venue, 'cancelAll', {}, { as: 'rival' })
    await placed(venue, 'collateralOco', buy)
  }),
  beyond('triggers', 'what is no pair cannot be withdrawn as one', async (venue) => {
    const { order_id } = await placed(venue, 'collateralLimit', perp)
    const stop = await placed(venue, 'collateralStopLimit', { ...perp, activation_price: '61000' })
    for (const id of [order_id, stop['order_id'], 7]) {
      await refuses(venue, 'cancelConditional', { market: 'BTC_PERP', id }, 2, 'id', gone)
      await refuses(venue, 'cancelOco', { market: 'BTC_PERP', order_id: id }, 2, 'order_id', gone)
    }
    await refuses(venue, 'cancelOco', { market: 'BTC_PERP' }, 30, 'client_order_id order_id')
    await refuses(venue, 'cancelConditional', { market: 'BTC_EUR', id: 7 }, 31, 'market')
    await refuses(venue, 'cancelOco', { market: 'BTC_EUR', order_id: 7 }, 31, 'market')
    expect(await answered(venue, 'openOrders')).toHaveLength(2)
  }),
  beyond(
    'triggers',
    'pairs speak camel too',
    async (venue) => {
      await traded(venue)
      const { stop_loss } = await placed(venue, 'collateralOco', { ...pair, clientOrderId: 'a' })
      expect(stop_loss).toMatchObject({ orderId: 1_000_000_000_003, clientOrderId: '', dealMoney: '0' })
      expect(await answered(venue, 'conditionalOrders')).toMatchObject({
        records: [{ type: 'oco', takeProfit: { clientOrderId: 'a' }, stopLoss: { dealFee: '0' } }],
      })
      expect(await answered(venue, 'cancelOco', { market: 'BTC_PERP', clientOrderId: 'a' })).toMatchObject({
        stop_loss: { orderId: 1_000_000_000_003, status: 'CANCELED' },
      })
    },
    { spelling: 'camel' },
  ),
]
