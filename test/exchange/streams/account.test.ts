import { afterEach, beforeEach, expect, test } from 'vitest'
import { readStream, type StreamReader } from '#test/support/stream-reader.ts'
import { beginsAtMs, openVenue, type Venue } from '#test/support/venue.ts'

let venue: Venue
let reader: StreamReader

beforeEach(async () => {
  venue = await openVenue('socket', { profile: 'full', world: { accounts: { paper: { leverage: '5' } } } })
  reader = await readStream(venue.streamUrl)
})
afterEach(async () => {
  await reader.close()
  await venue.close()
})

const at = beginsAtMs / 1000
const success = { status: 'success' }
const unauthorized = { error: { code: 6, message: 'require authentication' } }

function order(side: 'buy' | 'sell', price: string, amount: string, rest: object = {}) {
  return { market: 'SOL_PERP', side, price, amount, ...rest }
}

function place(as: 'paper' | 'rival', ...orders: ReturnType<typeof order>[]) {
  return venue[as].collateralBulk({ orders })
}

async function token(as: 'paper' | 'rival' = 'paper'): Promise<string> {
  const outcome = await venue[as].streamToken()
  if (outcome.kind !== 'accepted') throw new Error(`no token: ${outcome.kind}`)
  return outcome.value.websocket_token
}

async function authorized(): Promise<void> {
  expect(await reader.ask('authorize', await token(), 'public')).toEqual(success)
}

async function beat(count: number): Promise<void> {
  for (let beats = 0; beats < count; beats++) {
    venue.turn(100)
    await reader.ask('ping')
  }
}

test('private channels ask who is there; a token opens them once, for five minutes', async () => {
  expect(await reader.ask('ordersPending_subscribe', 'SOL_PERP')).toEqual(unauthorized)
  expect(await reader.ask('balanceSpot_request')).toEqual(unauthorized)
  const old = await token()
  venue.turn(20_000)
  await reader.ask('ping')
  const fresh = await token()
  for (const later of [40_000, 40_000, 40_000, 40_000, 40_000, 40_000, 40_000]) {
    venue.turn(later)
    await reader.ask('ping')
  }
  const invalid = { error: { code: 1, message: 'invalid argument' } }
  expect(await reader.ask('authorize', old, 'public')).toEqual(invalid)
  expect(await reader.ask('authorize', fresh, 'public')).toEqual(success)
  expect(await reader.ask('authorize', fresh, 'public')).toEqual(invalid)
  expect(await reader.ask('ordersPending_subscribe', 'SOL_PERP')).toEqual(success)
})

/** What a pending order of these tests looks like, beside what is named. */
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

test('an order that rests is told of when it comes, when it trades, and when it has ended', async () => {
  await authorized()
  await reader.ask('ordersPending_subscribe', 'SOL_PERP')
  await place('paper', order('buy', '60', '2', { client_order_id: 'l-1', postOnly: true }))
  const mine = { client_order_id: 'l-1', post_only: true }
  expect(await reader.take('ordersPending')).toEqual([[1, pending(mine)]])

  await place('rival', order('sell', '60', '0.5'))
  const part = {
    status: 'PARTIALLY_FILLED',
    left: '1.5',
    deal_stock: '0.5',
    deal_money: '30',
    deal_fee: '0.003',
  }
  expect(await reader.take('ordersPending')).toEqual([[2, pending({ ...mine, ...part })]])
  const listed = { limit: 100, offset: 0, total: 1, records: [pending({ ...mine, ...part })] }
  expect(await reader.ask('ordersPending_request', 'SOL_PERP', 0, 100)).toEqual(listed)

  venue.turn(2000)
  await place('rival', order('sell', '60', '1.5'))
  const whole = {
    status: 'FILLED',
    left: '0',
    deal_stock: '2',
    deal_money: '120',
    deal_fee: '0.012',
    mtime: at + 2,
  }
  expect(await reader.take('ordersPending')).toEqual([[3, pending({ ...mine, ...whole })]])
  expect(await reader.ask('ordersPending_request', 'SOL_PERP', 0, 100)).toMatchObject({
    total: 0,
    records: [],
  })
})

test('an order that fills at once has one event, its end, and others see nothing of it', async () => {
  await authorized()
  await place('rival', order('sell', '60', '2'))
  await reader.ask('ordersPending_subscribe')
  await place('paper', order('buy', '61', '2'))
  const told = await reader.rest('ordersPending')
  expect(told).toEqual([
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
  await reader.ask('ordersPending_subscribe', 'BTC_PERP')
  await place('paper', order('buy', '59', '2'))
  expect(await reader.rest('ordersPending')).toEqual([])
  await reader.ask('ordersPending_unsubscribe')
  await place('paper', order('buy', '100', '0.1', { market: 'BTC_PERP' }))
  expect(await reader.rest('ordersPending')).toEqual([])
})

test('an order that waits for a price is told of twice under one id, when it is sent and when it comes', async () => {
  await authorized()
  await reader.ask('ordersPending_subscribe', 'SOL_PERP')
  const about = { market: 'SOL_PERP', side: 'buy', amount: '2', price: '62', activation_price: '61' } as const
  await venue.paper.collateralStopLimit(about)
  const waiting = pending({ type: 9, price: '62', activation_price: '61' })
  const told = await reader.take('ordersPending')
  expect(told).toEqual([[1, waiting]])
  const listed = await reader.ask('ordersPending_request', 'SOL_PERP', 0, 100)
  expect(listed).toEqual({ limit: 100, offset: 0, total: 1, records: [waiting] })
  await place('rival', order('buy', '61', '1'))
  const { id } = Object(told[0])[1]
  await place('paper', order('sell', '61', '1', { client_order_id: 'x' }))
  const all = await reader.rest('ordersPending')
  expect(all).toMatchObject([
    [3, { client_order_id: 'x', status: 'FILLED' }],
    [1, { id, type: 9, price: '62', activation_price: '61', status: 'OPEN' }],
  ])
})

test('ended orders have a channel of their own, which can leave out market or limit orders', async () => {
  await authorized()
  const executed = () => reader.rest('ordersExecuted')
  expect(await reader.ask('ordersExecuted_subscribe', ['SOL_PERP'], 1)).toEqual(success)
  await place('paper', order('buy', '60', '2', { ioc: true }))
  const canceled = pending({ ioc: true, status: 'CANCELED' })
  expect(await executed()).toEqual([[canceled]])
  await reader.ask('ordersExecuted_subscribe', ['SOL_PERP'], 2)
  await place('paper', order('buy', '60', '2', { ioc: true }))
  expect(await executed()).toEqual([])
  await place('rival', order('sell', '61', '2'))
  await venue.paper.collateralMarket({ market: 'SOL_PERP', side: 'buy', amount: '2' })
  const taken = { type: 8, price: '0', left: '0', deal_stock: '2', deal_money: '122', deal_fee: '0.0427' }
  expect(await executed()).toEqual([[pending({ ...taken, status: 'FILLED' })]])
  await reader.ask('ordersExecuted_subscribe', [], 0)
  await place('paper', order('buy', '60', '2', { ioc: true }))
  expect(await executed()).toEqual([[canceled]])
  const page = { limit: 1, offset: 1, records: [canceled] }
  const only = { market: 'SOL_PERP', order_types: [7] }
  expect(await reader.ask('ordersExecuted_request', only, 1, 1)).toEqual(page)
  const others = { market: 'SOL_PERP', order_types: [8] }
  expect(await reader.ask('ordersExecuted_request', others, 0, 9)).toMatchObject({ records: [taken] })
  expect(await reader.ask('ordersExecuted_request', { market: 'A_B' }, 0, 1)).toMatchObject({
    error: { code: 9 },
  })
  await reader.ask('ordersExecuted_unsubscribe')
  await place('paper', order('buy', '60', '2', { ioc: true }))
  expect(await executed()).toEqual([])
})

test('deals are flat tuples, one for each trade, and can be asked for', async () => {
  await authorized()
  expect(await reader.ask('deals_subscribe', ['SOL_PERP'])).toEqual(success)
  await place('rival', order('sell', '60', '1'), order('sell', '61', '1'))
  await place('paper', order('buy', '61', '1.5', { client_order_id: 'b' }))
  await place('paper', order('buy', '59', '1'))
  await place('rival', order('sell', '59', '0.1'))
  const id = expect.any(Number)
  expect(await reader.rest('deals')).toEqual([
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
  const asked = await reader.ask('deals_request', 'SOL_PERP', 0, 1)
  expect(asked).toEqual({ offset: 0, limit: 1, records: [newest] })
  expect(await reader.ask('deals_request', 'SOL_PERP', 2, 5)).toMatchObject({ records: [{ id: 1 }] })
  expect(await reader.ask('deals_request', 'BTC_PERP', 0, 5)).toMatchObject({ records: [] })
})

test('balances come when they have changed, once a second, and agree with what is read', async () => {
  await authorized()
  const read = async () => {
    const answer = await venue.paper.tradingBalance()
    return answer.kind === 'answer' ? answer.value : answer
  }
  expect(await reader.ask('balanceSpot_request')).toEqual(await read())
  expect(await reader.ask('balanceSpot_request', ['USDT'])).toMatchObject({ error: { code: 1 } })
  expect(await reader.ask('balanceSpot_request', 'XXX')).toMatchObject({ error: { code: 1 } })
  expect(await reader.ask('balanceSpot_subscribe', 'USDT', 'BTC')).toEqual(success)
  await beat(10)
  expect(await reader.rest('balanceSpot')).toEqual([])
  await venue.paper.transfer({ ticker: 'USDT', amount: '12.5', from: 'spot', to: 'main' })
  await venue.paper.transfer({ ticker: 'USDT', amount: '0.5', from: 'main', to: 'spot' })
  await beat(9)
  expect(await reader.rest('balanceSpot')).toEqual([])
  await beat(1)
  const now = await read()
  expect(await reader.rest('balanceSpot')).toEqual([[{ USDT: Object(now)['USDT'] }]])
  await beat(10)
  expect(await reader.rest('balanceSpot')).toEqual([])
})

test('the collateral balance tells what is free, with and without the leverage', async () => {
  await authorized()
  await reader.ask('balanceMargin_subscribe', 'USDT')
  const before = {
    balance: '50000',
    borrow: '0',
    available_without_borrow: '50000',
    available_with_borrow: '250000',
  }
  expect(await reader.ask('balanceMargin_request', 'USDT')).toEqual({ USDT: before })
  await place('rival', order('sell', '60', '1'))
  await place('paper', order('buy', '60', '1'))
  await beat(14)
  expect(await reader.rest('balanceMargin')).toEqual([])
  await beat(1)
  // The fee of 0.021 is gone, a fifth of 60 is held as margin.
  const told = { a: 'USDT', B: '49999.979', b: '0', av: '49987.979', ab: '249939.895' }
  expect(await reader.rest('balanceMargin')).toEqual([[told]])
})

test('positions come every second, all of them, whatever has changed', async () => {
  await authorized()
  await reader.ask('positionsMargin_subscribe')
  await beat(10)
  expect(await reader.rest('positionsMargin')).toEqual([{ total: 0, records: [] }])
  await place('rival', order('buy', '60', '3'), order('buy', '59', '1'))
  await place('paper', order('sell', '59', '4'))
  await beat(20)
  const position = {
    id: expect.any(Number),
    market: 'SOL_PERP',
    ctime: at + 1,
    mtime: at + 1,
    amount: '-4',
    amount_in_money: '239',
    base_price: '59.75',
    pnl: '3',
    liq_price: expect.any(String),
    liq_stage: null,
    unrealized_funding: '0',
    funding: '0',
    margin: '47.8',
    free_margin: expect.any(String),
    realized_pnl: '-0.08365',
    position_side: 'BOTH',
  }
  const all = { total: 1, records: [position] }
  expect(await reader.rest('positionsMargin')).toEqual([all, all])
  await reader.ask('positionsMargin_unsubscribe')
  await beat(10)
  expect(await reader.rest('positionsMargin')).toEqual([])
})
