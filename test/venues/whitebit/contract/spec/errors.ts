import { expect } from 'vitest'
import { clause } from './clause.ts'
import {
  element,
  errorOf,
  failsOn,
  fixedUsdt,
  flexClosed,
  flexUsdt,
  nowhere,
  order,
  place,
  refused,
  refusesKeys,
  refusesWhole,
} from './reading.ts'
import { resources } from '#test/venues/whitebit/contract/spec/resources/resources.ts'
import { exampleOf, pingPath, privateNames } from './rows.ts'

const documented = [0, 2, 30, 32, 422]
const full = { profile: 'full' } as const

/** §7: the shapes of errors and their codes. */
export const errors = [
  clause(
    '7',
    'a private error is code, message and errors, a list of texts for each parameter',
    async (venue) => {
      const answer = await venue.signed('createCode', { ticker: 'x', amount: 5 })
      expect(Object.keys(JSON.parse(answer.body))).toEqual(['code', 'message', 'errors'])
      expect(errorOf(answer).keys).toEqual(['amount', 'ticker'])
    },
  ),
  clause('7', 'errors may be empty, and is an object then', async (venue) => {
    expect((await refused(venue, 'mainBalance', {}, { nonce: null })).errors).toEqual({})
    expect(venue.exchanged[0]?.body).toMatch(/"errors":\{\}\}$/)
  }),
  clause('7', 'a public error is success false, a message and an array of params', async (venue) => {
    for (const about of [{ method: 'POST' }, { method: 'GET', query: 'a=1' }]) {
      const answer = await venue.send({ path: pingPath, ...about })
      expect(Object.keys(JSON.parse(answer.body))).toEqual(['success', 'message', 'params'])
      expect(resources.publicError.parse(JSON.parse(answer.body)).success).toBe(false)
    }
  }),
  clause('7', 'code 0 is a parameter that does not fit, named in errors', async (venue) => {
    const wrong = [
      ['flexInvestments', { plan: 'x' }, 'plan'],
      ['flexHistory', { plan: 'x' }, 'plan'],
      ['flexInvest', { plan: flexUsdt }, 'amount'],
      ['flexPlans', { limit: 0 }, 'limit'],
      ['fixedInterest', { planId: 'x' }, 'planId'],
      ['fixedInvest', { planId: fixedUsdt }, 'amount'],
      ['fixedClose', { id: nowhere }, 'id'],
      ['refundDeposit', { transaction_id: nowhere, address: 'x' }, 'transaction_id'],
      ['createCode', { ticker: 'USDT' }, 'amount'],
      ['payoutDestination', { accountName: 'x', destination: 'main_balance' }, 'user'],
      ['workerHashrate', { account: 'x', worker: 'x' }, 'user'],
      ['accountHashrate', { account: 'x' }, 'user'],
      ['depositAddress', { ticker: 'EUR' }, 'ticker'],
      ['editSubAccount', { ...exampleOf('editSubAccount'), id: nowhere }, 'id'],
      ['mainBalance', { ticker: 'x' }, 'ticker'],
    ] as const
    for (const [name, parameters, key] of wrong) await refusesKeys(venue, name, parameters, [key])
  }),
  clause('7', 'code 2 is a flex investment against the rules', async (venue) => {
    for (const about of [
      { plan: flexUsdt, amount: '1' },
      { plan: flexClosed, amount: '10' },
    ]) {
      const error = await refused(venue, 'flexInvest', about)
      expect([error.code, error.message]).toEqual([2, 'Inner validation failed'])
    }
  }),
  clause('7', 'code 30 is a whole request of the trading family, without a word in errors', async (venue) => {
    await refusesWhole(venue, 'collateralBulk', { orders: [] })
    await refusesWhole(venue, 'orderHistory', { limit: 0 })
    await refusesWhole(venue, 'tradingBalance', { ticker: 'x' })
  }),
  clause('7', 'code 32 is one order of a bulk, whatever was wrong with it', async (venue) => {
    await place(venue, venue.rival, { side: 'sell', price: '50100' })
    await failsOn(venue, { amount: '0.0001' }, ['amount'])
    await failsOn(venue, { market: 'XXX_YYY' }, ['market'])
    await failsOn(venue, { price: '0.05' }, ['price'])
    await failsOn(venue, { ioc: true, postOnly: true }, ['ioc'])
    await failsOn(venue, { price: '50100', postOnly: true }, ['postOnly'])
    await failsOn(venue, { amount: '100' }, ['amount'])
  }),
  clause('7', 'code 422 is an incorrect timestamp, and has no errors', async (venue) => {
    const answer = await venue.signed('accountHashrate', { account: 'paper-pool', from: 2, to: 1 })
    expect(answer.body).toBe('{"code":422,"message":"Incorrect timestamp"}')
  }),
  clause('7', 'a parameter of the flex list that does not fit has status 400', async (venue) => {
    expect((await refused(venue, 'flexInvestments', { ticker: 'x' })).status).toBe(400)
  }),
  clause('7', 'no call is answered with a code beyond the five', async (venue) => {
    const codes = new Set<unknown>()
    const collect = (value: unknown): void => {
      if (Array.isArray(value)) value.forEach(collect)
      else if (typeof value === 'object' && value !== null) {
        if ('code' in value && 'message' in value) codes.add(value.code)
        Object.values(value).forEach(collect)
      }
    }
    for (const name of privateNames) {
      await venue.signed(name, { colour: 'red' })
      await venue.signed(name, exampleOf(name), { as: 'rival' })
      await venue.signed(name, exampleOf(name), { nonce: '1' })
      await venue.signed(name, exampleOf(name), { headers: { 'X-TXC-SIGNATURE': 'x' } })
    }
    await venue.signed('flexInvest', { plan: flexClosed, amount: '10' })
    await venue.signed('collateralBulk', { orders: [{ ...order(), market: 'XXX_YYY' }] })
    await venue.signed('accountHashrate', { account: 'paper-pool', from: 2, to: 1 })
    for (const { body, path } of venue.exchanged) {
      if (!path.endsWith('/codes')) collect(JSON.parse(body))
    }
    expect(codes).toEqual(new Set(documented))
  }),
  clause(
    '7',
    'profile full sends the finer codes of the family in the same shapes',
    async (venue) => {
      const { error } = await element(venue, { market: 'XXX_YYY' })
      expect(error?.code).toBe(31)
      const id = { client_order_id: 'once', ioc: true }
      await venue.signed('collateralBulk', { orders: [{ ...order(), ...id }] })
      expect((await element(venue, id)).error?.code).toBe(36)
      const payload = { headers: { 'X-TXC-PAYLOAD': 'x' } }
      expect((await refused(venue, 'mainBalance', {}, payload)).code).toBe(9)
      const whole = await refused(venue, 'orderHistory', { limit: 0 })
      expect([whole.code, whole.keys]).toEqual([30, ['limit']])
      expect((await venue.signed('createCode', { ticker: 'USDT', amount: '1' })).status).toBe(201)
    },
    full,
  ),
  clause('7', 'a refusal changes nothing: balances and orders are as before', async (venue) => {
    const before = (await venue.signed('mainBalance')).body + (await venue.signed('tradingBalance')).body
    for (const name of privateNames) await venue.signed(name, { ...exampleOf(name), colour: 'red' })
    const after = (await venue.signed('mainBalance')).body + (await venue.signed('tradingBalance')).body
    expect(after).toBe(before)
  }),
]
