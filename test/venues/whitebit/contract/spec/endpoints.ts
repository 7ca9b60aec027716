import { expect } from 'vitest'
import { contract } from '#src/venues/whitebit/contract/endpoint-table.ts'
import { clause } from './clause.ts'
import {
  bulk,
  canceledDeposit,
  done,
  errorOf,
  fits,
  last,
  nowhere,
  order,
  place,
  refused,
  shown,
  tronAddress,
} from './reading.ts'
import { resources } from '#test/venues/whitebit/contract/spec/resources/resources.ts'
import { exampleOf, privateNames, rows } from './rows.ts'

const camel = { spelling: 'camel' } as const
const refund = { transaction_id: canceledDeposit, address: tronAddress }

/** §4 before its first endpoint, and the other spelling of the wire. */
export const endpoints = [
  ...rows.map(([section, path, name]) =>
    clause(section, `${name} is a POST of JSON to ${path}`, async (venue) => {
      await venue.paper.call(name, exampleOf(name))
      const { method, headers, sent, contentType } = last(venue)
      expect([method, last(venue).path, headers['content-type']]).toEqual(['POST', path, 'application/json'])
      const { request: _request, nonce: _nonce, ...parameters } = JSON.parse(sent)
      expect(parameters).toEqual(exampleOf(name))
      expect(contentType).toBe('application/json')
    }),
  ),
  clause('4', 'request and nonce are needed in the body of every call', async (venue) => {
    for (const name of privateNames) {
      for (const about of [{ request: null }, { nonce: null }]) {
        const error = await refused(venue, name, exampleOf(name), about)
        expect(error, name).toMatchObject({ status: 401, code: 0 })
      }
    }
  }),
  clause('4', 'no other method than POST does anything', async (venue) => {
    for (const method of ['PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      const answer = await venue.send({ method, path: contract.createCode.path, body: '{}' })
      expect(errorOf(answer), method).toMatchObject({ status: 405, code: 0 })
      expect(answer.allow).toBe('POST')
    }
  }),
  clause(
    '4.8',
    'a world of the other spelling is written to and read alike',
    async (venue) => {
      const placed = await venue.paper.collateralBulk({
        orders: [order({ client_order_id: 'x', ioc: true })],
      })
      expect(placed.orders[0]).toMatchObject({ kind: 'accepted', order: { client_order_id: 'x' } })
      expect(last(venue).sent).toContain('"clientOrderId":"x"')
      expect(last(venue).body).toMatch(/"orderId":\d+,"clientOrderId":"x".*"dealMoney":"0","dealStock":"0"/)
      expect((await done(venue.paper.orderHistory()))['BTC_PERP']?.[0]?.deal_fee).toBe('0')
      expect(last(venue).body).toContain('"dealFee":"0"')
    },
    camel,
  ),
  clause(
    '4.8',
    'both spellings of a request are understood, and answered in that of the world',
    async (venue) => {
      const { client_order_id: _, ...plain } = order()
      const answer = await venue.signed('collateralBulk', { orders: [{ ...plain, clientOrderId: 'x' }] })
      expect(fits('collateralBulk', answer)[0]?.result?.client_order_id).toBe('x')
      const both = { orders: [{ ...plain, clientOrderId: 'y', client_order_id: 'z' }] }
      const [only] = fits('collateralBulk', await venue.signed('collateralBulk', both))
      expect(Object.keys(only?.error?.errors ?? {})).toEqual(['clientOrderId'])
    },
  ),
  clause(
    '4.9',
    'a world of the other spelling refunds alike',
    async (venue) => {
      expect(await shown(venue, 'refundDeposit', venue.paper.refundDeposit(refund))).toEqual({
        id: canceledDeposit,
      })
      expect(last(venue).sent).toContain('"transactionId"')
    },
    camel,
  ),
  clause(
    '7',
    'a world of the other spelling names in errors what was written, and the client reads its own names',
    async (venue) => {
      const { client_order_id: _, ...plain } = order()
      const named = { ...plain, clientOrderId: 'a b' }
      const [refusal] = fits('collateralBulk', await venue.signed('collateralBulk', { orders: [named] }))
      expect(Object.keys(refusal?.error?.errors ?? {})).toEqual(['clientOrderId'])
      const twice = { orders: [order({ client_order_id: 'once' }), order({ client_order_id: 'once' })] }
      const outcome = await venue.paper.collateralBulk(twice)
      expect(last(venue).body).toContain('"errors":{"clientOrderId":')
      expect(outcome.orders[1]).toMatchObject({
        alreadyUsed: true,
        errors: { client_order_id: [expect.any(String)] },
      })
      expect((await refused(venue, 'refundDeposit', { transactionId: 'x' })).errors).toMatchObject({
        transactionId: ['The selected transaction id is invalid.'],
      })
      const unknown = { ...refund, transaction_id: nowhere }
      expect(await venue.paper.refundDeposit(unknown)).toMatchObject({
        kind: 'refused',
        errors: { transaction_id: [expect.any(String)] },
      })
      expect(errorOf(last(venue)).keys).toEqual(['transactionId'])
    },
    camel,
  ),
  clause('4.8', 'nothing keeps an account from trading with itself', async (venue) => {
    await bulk(venue, venue.paper, [{ side: 'sell', price: '50000' }])
    expect(await place(venue, venue.paper, { price: '50000' })).toMatchObject({ status: 'FILLED' })
    expect((await done(venue.paper.orderHistory()))['BTC_PERP']).toHaveLength(2)
  }),
  clause('4.13', 'points are hourly and reach back a day, unless told otherwise', async (venue) => {
    const call = venue.paper.workerHashrate({ account: 'paper-pool', worker: 'rig-1' })
    const { data } = await shown(venue, 'workerHashrate', call)
    expect(data.hashrates).toHaveLength(24)
    expect((data.hashrates[1]?.time ?? 0) - (data.hashrates[0]?.time ?? 0)).toBe(3600)
  }),
  clause(
    '4.10',
    'an empty array of other venues of the family is read as no orders',
    async (venue) => {
      expect(await done(venue.paper.orderHistory())).toEqual({})
      expect(last(venue).body).toBe('[]')
    },
    { profile: 'full' },
  ),
  clause(
    '8',
    'strangers share an allowance of their own, which is not that of the owner',
    async (venue) => {
      const wrong = () => venue.signed('mainBalance', {}, { headers: { 'X-TXC-SIGNATURE': '0'.repeat(128) } })
      for (let call = 1; call <= 10_000; call++) {
        const { status } = await wrong()
        if (status !== 401) throw new Error(`call ${call} was answered with status ${status}`)
      }
      const answer = await wrong()
      expect(answer).toMatchObject({ status: 429, retryAfter: '10' })
      expect(resources.privateError.parse(JSON.parse(answer.body)).code).toBe(0)
      await done(venue.paper.mainBalance())
      venue.advance(10_000)
      expect((await wrong()).status).toBe(401)
    },
    { isLong: true },
  ),
]
