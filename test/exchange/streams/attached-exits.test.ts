import { afterEach, beforeEach, expect, test } from 'vitest'
import { done } from '#test/venues/whitebit/contract/spec/reading.ts'
import { openOwn, order, type Own } from './own-stream.ts'

let own: Own
beforeEach(async () => {
  own = await openOwn()
  await own.authorize()
})
afterEach(() => own.close())

const market = 'SOL_PERP'
const entry = { ...order('buy', '60', '2'), takeProfit: '66', stopLoss: '54' }
const exit = { market, type: 10, side: 1, reduce_only: true, price: '0' }
const profit = { ...exit, activation_price: '66' }
const stop = { ...exit, activation_price: '54' }

test('the exits of an order are new with its first fill, and change with each other one', async () => {
  await own.reader.ask('ordersPending_subscribe', market)
  await done(own.venue.paper.collateralLimit(entry))
  expect(await own.reader.take('ordersPending')).toMatchObject([[1, { type: 7, amount: '2' }]])
  await own.place('rival', order('sell', '60', '0.5'))
  expect(await own.reader.take('ordersPending', 3)).toMatchObject([
    [1, { ...profit, amount: '0.5', left: '0.5', status: 'OPEN' }],
    [1, { ...stop, amount: '0.5', left: '0.5', status: 'OPEN' }],
    [2, { type: 7, left: '1.5' }],
  ])
  await own.place('rival', order('sell', '60', '1.5'))
  expect(await own.reader.take('ordersPending', 3)).toMatchObject([
    [2, { ...profit, amount: '2', left: '2' }],
    [2, { ...stop, amount: '2', left: '2' }],
    [3, { type: 7, left: '0', status: 'FILLED' }],
  ])
  expect(await own.reader.ask('ordersPending_request', market, 0, 100)).toMatchObject({
    total: 2,
    records: [stop, profit],
  })
})

test('an exit that fills is told of after the end of the other one', async () => {
  await done(own.venue.paper.collateralLimit(entry))
  await own.place('rival', order('sell', '60', '2'))
  await own.place('rival', order('buy', '65.9', '2'))
  await own.reader.ask('ordersPending_subscribe', market)
  await own.reader.ask('ordersExecuted_subscribe', [market], 0)
  await own.place('rival', order('sell', '66', '0.1'), order('buy', '66', '0.1'))
  expect(await own.reader.take('ordersPending', 2)).toMatchObject([
    [3, { ...stop, status: 'CANCELED', left: '2' }],
    [3, { ...profit, status: 'FILLED', left: '0', deal_money: '131.8' }],
  ])
  expect(await own.reader.take('ordersExecuted', 2)).toMatchObject([[stop], [profit]])
})
