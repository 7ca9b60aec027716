import { afterEach, beforeEach, expect, test } from 'vitest'
import { beginsAtMs } from '#test/support/venue.ts'
import { openOwn, order, success, type Own } from './own-stream.ts'

let own: Own

beforeEach(async () => {
  own = await openOwn()
})
afterEach(() => own.close())

const at = beginsAtMs / 1000

/** A pending order of these tests, with the named fields changed. */
function pending(rest: object) {
  return {
    id: expect.any(Number),
    market: 'SOL_PERP',
    type: 7,
    side: 2,
    post_only: false,
    ioc: false,
    ctime: at,
    mtime: at,
    price: '60',
    amount: '2',
    left: '2',
    deal_stock: '0',
    deal_money: '0',
    deal_fee: '0',
    client_order_id: '',
    stp: 'no',
    status: 'OPEN',
    position_side: 'BOTH',
    rpi: false,
    retail: false,
    reduce_only: false,
    ...rest,
  }
}

test('a resting order is reported when it is placed, when it trades, and when it ends', async () => {
  await own.authorize()
  await own.reader.ask('ordersPending_subscribe', 'SOL_PERP')
  await own.place('paper', order('buy', '60', '2', { client_order_id: 'l-1', postOnly: true }))
  const mine = { client_order_id: 'l-1', post_only: true }
  expect(await own.reader.take('ordersPending')).toEqual([[1, pending(mine)]])

  await own.place('rival', order('sell', '60', '0.5'))
  const part = {
    status: 'PARTIALLY_FILLED',
    left: '1.5',
    deal_stock: '0.5',
    deal_money: '30',
    deal_fee: '0.003',
  }
  expect(await own.reader.take('ordersPending')).toEqual([[2, pending({ ...mine, ...part })]])
  const listed = { limit: 100, offset: 0, total: 1, records: [pending({ ...mine, ...part })] }
  expect(await own.reader.ask('ordersPending_request', 'SOL_PERP', 0, 100)).toEqual(listed)

  own.venue.advance(2000)
  await own.place('rival', order('sell', '60', '1.5'))
  const whole = {
    status: 'FILLED',
    left: '0',
    deal_stock: '2',
    deal_money: '120',
    deal_fee: '0.012',
    mtime: at + 2,
  }
  expect(await own.reader.take('ordersPending')).toEqual([[3, pending({ ...mine, ...whole })]])
  expect(await own.reader.ask('ordersPending_request', 'SOL_PERP', 0, 100)).toMatchObject({
    total: 0,
    records: [],
  })
})

test('an order that fills at once has one event, its end, and other accounts do not see it', async () => {
  await own.authorize()
  await own.place('rival', order('sell', '60', '2'))
  await own.reader.ask('ordersPending_subscribe')
  await own.place('paper', order('buy', '61', '2'))
  const reported = await own.reader.rest('ordersPending')
  expect(reported).toEqual([
    [
      3,
      pending({
        price: '61',
        left: '0',
        deal_stock: '2',
        deal_money: '120',
        deal_fee: '0.042',
        status: 'FILLED',
      }),
    ],
  ])
  await own.reader.ask('ordersPending_subscribe', 'BTC_PERP')
  await own.place('paper', order('buy', '59', '2'))
  expect(await own.reader.rest('ordersPending')).toEqual([])
  await own.reader.ask('ordersPending_unsubscribe')
  await own.place('paper', order('buy', '100', '0.1', { market: 'BTC_PERP' }))
  expect(await own.reader.rest('ordersPending')).toEqual([])
})

test('a waiting order is reported twice under one id, when it is placed and when it activates', async () => {
  await own.authorize()
  await own.reader.ask('ordersPending_subscribe', 'SOL_PERP')
  const about = { market: 'SOL_PERP', side: 'buy', amount: '2', price: '62', activation_price: '61' } as const
  await own.venue.paper.collateralStopLimit(about)
  const waiting = pending({ type: 9, price: '62', activation_price: '61' })
  const reported = await own.reader.take('ordersPending')
  expect(reported).toEqual([[1, waiting]])
  const listed = await own.reader.ask('ordersPending_request', 'SOL_PERP', 0, 100)
  expect(listed).toEqual({ limit: 100, offset: 0, total: 1, records: [waiting] })
  await own.place('rival', order('buy', '61', '1'))
  const { id } = Object(reported[0])[1]
  await own.place('paper', order('sell', '61', '1', { client_order_id: 'x' }))
  const all = await own.reader.rest('ordersPending')
  expect(all).toMatchObject([
    [3, { client_order_id: 'x', status: 'FILLED' }],
    [1, { id, type: 9, price: '62', activation_price: '61', status: 'OPEN' }],
  ])
})

test('finished orders have their own channel, which can exclude market or limit orders', async () => {
  await own.authorize()
  const executed = () => own.reader.rest('ordersExecuted')
  expect(await own.reader.ask('ordersExecuted_subscribe', ['SOL_PERP'], 1)).toEqual(success)
  await own.place('paper', order('buy', '60', '2', { ioc: true }))
  const canceled = pending({ ioc: true, status: 'CANCELED' })
  expect(await executed()).toEqual([[canceled]])
  await own.reader.ask('ordersExecuted_subscribe', ['SOL_PERP'], 2)
  await own.place('paper', order('buy', '60', '2', { ioc: true }))
  expect(await executed()).toEqual([])
  await own.place('rival', order('sell', '61', '2'))
  await own.venue.paper.collateralMarket({ market: 'SOL_PERP', side: 'buy', amount: '2' })
  const taken = { type: 8, price: '0', left: '0', deal_stock: '2', deal_money: '122', deal_fee: '0.0427' }
  expect(await executed()).toEqual([[pending({ ...taken, status: 'FILLED' })]])
  await own.reader.ask('ordersExecuted_subscribe', [], 0)
  await own.place('paper', order('buy', '60', '2', { ioc: true }))
  expect(await executed()).toEqual([[canceled]])
  const page = { limit: 1, offset: 1, records: [canceled] }
  const only = { market: 'SOL_PERP', order_types: [7] }
  expect(await own.reader.ask('ordersExecuted_request', only, 1, 1)).toEqual(page)
  const others = { market: 'SOL_PERP', order_types: [8] }
  expect(await own.reader.ask('ordersExecuted_request', others, 0, 9)).toMatchObject({ records: [taken] })
  expect(await own.reader.ask('ordersExecuted_request', { market: 'A_B' }, 0, 1)).toMatchObject({
    error: { code: 9 },
  })
  await own.reader.ask('ordersExecuted_unsubscribe')
  await own.place('paper', order('buy', '60', '2', { ioc: true }))
  expect(await executed()).toEqual([])
})

test('deals are flat tuples, one for each trade, and can be requested', async () => {
  await own.authorize()
  expect(await own.reader.ask('deals_subscribe', ['SOL_PERP'])).toEqual(success)
  await own.place('rival', order('sell', '60', '1'), order('sell', '61', '1'))
  await own.place('paper', order('buy', '61', '1.5', { client_order_id: 'b' }))
  await own.place('paper', order('buy', '59', '1'))
  await own.place('rival', order('sell', '59', '0.1'))
  const id = expect.any(Number)
  expect(await own.reader.rest('deals')).toEqual([
    [1, at, 'SOL_PERP', id, '60', '1', '0.021', 'b', 2, 2, 'USDT'],
    [2, at, 'SOL_PERP', id, '61', '0.5', '0.010675', 'b', 2, 2, 'USDT'],
    [3, at, 'SOL_PERP', id, '59', '0.1', '0.00059', '', 2, 1, 'USDT'],
  ])
  const newest = {
    id: 3,
    time: at,
    market: 'SOL_PERP',
    order_id: id,
    deal_order_id: id,
    client_order_id: '',
    side: 2,
    role: 1,
    price: '59',
    amount: '0.1',
    deal: '5.9',
    fee: '0.00059',
    fee_asset: 'USDT',
  }
  const asked = await own.reader.ask('deals_request', 'SOL_PERP', 0, 1)
  expect(asked).toEqual({ offset: 0, limit: 1, records: [newest] })
  expect(await own.reader.ask('deals_request', 'SOL_PERP', 2, 5)).toMatchObject({ records: [{ id: 1 }] })
  expect(await own.reader.ask('deals_request', 'BTC_PERP', 0, 5)).toMatchObject({ records: [] })
})
