import { expect, test } from 'vitest'
import type { EndpointName } from '#src/venues/whitebit/contract/endpoint-table.ts'
import { contract } from '#src/venues/whitebit/contract/endpoint-table.ts'
import { unreadText } from '#src/venues/whitebit/client/answers/partial-answer.ts'
import {
  clientOf,
  failed,
  json,
  order,
  placed,
  settled,
} from '#test/venues/whitebit/client/scripted-venue.ts'

async function read(name: EndpointName, answer: unknown) {
  const { client, clock } = clientOf(() => json(200, answer))
  return settled(client.call(name, {}, { deadlineMs: 1000 }), clock)
}

const [position] = contract.openPositions.example.response
const [resting] = contract.openOrders.example.response
const [record] = contract.orderHistory.example.response.BTC_PERP

test('of a list the elements that fit are read, and the others are named with their places', async () => {
  const odd = { ...position, market: 'ETH_PERP', amount: null }
  const outcome = await read('openPositions', [position, odd, 'none'])
  expect(outcome).toMatchObject({ kind: 'answer', value: [{ market: 'BTC_PERP', amount: '0.02' }] })
  const unread = 'unread' in outcome ? (outcome.unread ?? []) : []
  expect(unread.map((each) => unreadText('positions', each))).toEqual([
    'positions: the bot cannot read [1].amount: null',
    'positions: the bot cannot read [2]: "none"',
  ])
  expect(unread[0]?.value).toEqual(odd)
})

test('lists by market and balances by currency are read in the same way, in both spellings', async () => {
  const { client_order_id, deal_stock, deal_money, deal_fee: _, ...same } = record ?? {}
  const camel = {
    ...same,
    clientOrderId: client_order_id,
    dealStock: deal_stock,
    dealMoney: deal_money,
    dealFee: 'free',
  }
  const history = await read('orderHistory', { BTC_PERP: [record, camel], ETH_PERP: 'none' })
  expect(history).toMatchObject({ kind: 'answer', value: { BTC_PERP: [{ id: record?.id }] } })
  expect('unread' in history && history.unread?.map(({ path }) => path)).toEqual([
    ['BTC_PERP', 1, 'deal_fee'],
    ['ETH_PERP'],
  ])
  const balance = await read('tradingBalance', {
    BTC: { available: '1', freeze: '0' },
    USDT: { available: '1' },
  })
  expect(balance).toMatchObject({ kind: 'answer', value: { BTC: { available: '1', freeze: '0' } } })
  expect('unread' in balance && balance.unread).toHaveLength(1)
})

test('a field that the bot does not read is left out where it does not fit, and nothing is named', async () => {
  const odd = { ...resting, stp: null, rpi: 1, oto: { id: 1 }, deal_fee: '-0.01' }
  const outcome = await read('openOrders', [odd])
  const { stp: _, rpi: __, oto: ___, ...rest } = odd
  expect(outcome).toEqual({ kind: 'answer', value: [rest] })
})

test('what has no element of the shape of the call is no answer', async () => {
  const refusal = { success: false, message: 'maintenance' }
  for (const name of ['ticker', 'orderHistory', 'tradingBalance', 'openPositions', 'accountSummary'] as const)
    expect((await read(name, refusal)).kind, name).toBe(name === 'ticker' ? 'refused' : 'unanswered')
})

test('an element of a bulk that cannot be read is unknown in its place, and the others are what they say', async () => {
  const orders = ['a', 'b', 'c'].map((id) => Object.assign({}, order, { client_order_id: id }))
  const [first, odd] = [placed({ client_order_id: 'a' }), placed({ client_order_id: 'b', deal_fee: 'free' })]
  const answer = [first, odd, failed(32, 'Validation failed')]
  for (const stopOnFail of [false, true]) {
    const outcome = await clientOf(() => json(200, answer)).client.collateralBulk({ orders, stopOnFail })
    expect(outcome.orders.map(({ kind }) => kind)).toEqual(['accepted', 'unknown', 'refused'])
  }
})

test('an order of a bulk is accepted without a field that the bot does not read', async () => {
  const orders = [{ ...order, client_order_id: 'a' }]
  const answer = [placed({ client_order_id: 'a', stp: null })]
  const outcome = await clientOf(() => json(200, answer)).client.collateralBulk({ orders })
  const { stp: _, ...rest } = placed({ client_order_id: 'a' }).result
  expect(outcome).toEqual({ kind: 'answered', orders: [{ kind: 'accepted', order: rest }] })
})
