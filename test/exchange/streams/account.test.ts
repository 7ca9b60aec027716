import { afterEach, beforeEach, expect, test } from 'vitest'
import { beginsAtMs } from '#test/support/venue.ts'
import { openOwn, order, success, type Own } from './own-stream.ts'

let own: Own

beforeEach(async () => {
  own = await openOwn()
})
afterEach(() => own.close())

const at = beginsAtMs / 1000
const unauthorized = { error: { code: 6, message: 'require authentication' } }

test('private channels require authorization; a token is valid once, for five minutes', async () => {
  expect(await own.reader.ask('ordersPending_subscribe', 'SOL_PERP')).toEqual(unauthorized)
  expect(await own.reader.ask('balanceSpot_request')).toEqual(unauthorized)
  const old = await own.token()
  own.venue.advance(20_000)
  await own.reader.ask('ping')
  const fresh = await own.token()
  for (const later of [40_000, 40_000, 40_000, 40_000, 40_000, 40_000, 40_000]) {
    own.venue.advance(later)
    await own.reader.ask('ping')
  }
  const invalid = { error: { code: 1, message: 'invalid argument' } }
  expect(await own.reader.ask('authorize', old, 'public')).toEqual(invalid)
  expect(await own.reader.ask('authorize', fresh, 'public')).toEqual(success)
  expect(await own.reader.ask('authorize', fresh, 'public')).toEqual(invalid)
  expect(await own.reader.ask('ordersPending_subscribe', 'SOL_PERP')).toEqual(success)
})

test('balances arrive when changed, once a second, and equal those of the endpoint', async () => {
  await own.authorize()
  const read = async () => {
    const answer = await own.venue.paper.tradingBalance()
    return answer.kind === 'answer' ? answer.value : answer
  }
  expect(await own.reader.ask('balanceSpot_request')).toEqual(await read())
  expect(await own.reader.ask('balanceSpot_request', ['USDT'])).toMatchObject({ error: { code: 1 } })
  expect(await own.reader.ask('balanceSpot_request', 'DOGE')).toMatchObject({ error: { code: 1 } })
  expect(await own.reader.ask('balanceSpot_subscribe', 'USDT', 'BTC')).toEqual(success)
  await own.beat(10)
  expect(await own.reader.rest('balanceSpot')).toEqual([])
  await own.venue.paper.transfer({ ticker: 'USDT', amount: '12.5', from: 'spot', to: 'main' })
  await own.venue.paper.transfer({ ticker: 'USDT', amount: '0.5', from: 'main', to: 'spot' })
  await own.beat(9)
  expect(await own.reader.rest('balanceSpot')).toEqual([])
  await own.beat(1)
  const now = await read()
  expect(await own.reader.rest('balanceSpot')).toEqual([[{ USDT: Object(now)['USDT'] }]])
  await own.beat(10)
  expect(await own.reader.rest('balanceSpot')).toEqual([])
})

test('the collateral balance shows the free amount, with and without leverage', async () => {
  await own.authorize()
  await own.reader.ask('balanceMargin_subscribe', 'USDT')
  const before = {
    balance: '50000',
    borrow: '0',
    available_without_borrow: '50000',
    available_with_borrow: '250000',
  }
  expect(await own.reader.ask('balanceMargin_request', 'USDT')).toEqual({ USDT: before })
  await own.place('rival', order('sell', '60', '1'))
  await own.place('paper', order('buy', '60', '1'))
  await own.beat(14)
  expect(await own.reader.rest('balanceMargin')).toEqual([])
  await own.beat(1)
  // The fee of 0.021 is paid, and a fifth of 60 is margin.
  const reported = { a: 'USDT', B: '49999.979', b: '0', av: '49987.979', ab: '249939.895' }
  expect(await own.reader.rest('balanceMargin')).toEqual([[reported]])
})

test('all positions arrive every second, changed or not', async () => {
  await own.authorize()
  await own.reader.ask('positionsMargin_subscribe')
  await own.beat(10)
  expect(await own.reader.rest('positionsMargin')).toEqual([{ total: 0, records: [] }])
  await own.place('rival', order('buy', '60', '3'), order('buy', '59', '1'))
  await own.place('paper', order('sell', '59', '4'))
  await own.beat(20)
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
  expect(await own.reader.rest('positionsMargin')).toEqual([all, all])
  await own.reader.ask('positionsMargin_unsubscribe')
  await own.beat(10)
  expect(await own.reader.rest('positionsMargin')).toEqual([])
})
