import { expect } from 'vitest'
import { contract } from '#src/venues/whitebit/contract/endpoint-table.ts'
import type { TestVenue } from '#test/support/venue.ts'
import { clause, type Clause } from './clause.ts'
import {
  done,
  element,
  errorOf,
  failsOn,
  fits,
  mainBalanceOf,
  order,
  refused,
  refusesKeys,
} from './reading.ts'
import { resources } from '#test/venues/whitebit/contract/spec/resources/resources.ts'
import { pingPath, privateNames } from './rows.ts'

const code = { ticker: 'USDT', amount: '1' }
const worker = { account: 'paper-pool', worker: 'rig-1' }
const outside = { accountName: 'paper-pool', destination: 'external_address' }

async function calls(venue: TestVenue, count: number, one: () => Promise<{ status: number }>): Promise<void> {
  for (let call = 1; call <= count; call++) {
    const { status } = await one()
    if (status !== 200) throw new Error(`call ${call} of ${count} was answered with status ${status}`)
  }
}

/** What a named field takes, and what it does not take, by example. */
async function bounded(
  venue: TestVenue,
  name: Parameters<typeof refusesKeys>[1],
  base: object,
  key: string,
  values: { good: readonly unknown[]; bad: readonly unknown[] },
): Promise<void> {
  for (const value of values.good) {
    const answer = await venue.signed(name, { ...base, [key]: value })
    expect(answer.status, `${key} ${String(value)} ${answer.body}`).toBe(200)
  }
  for (const value of values.bad) await refusesKeys(venue, name, { ...base, [key]: value }, [key])
}

/** Goes over a socket in `npm run slow` alone: in `npm test`, clauses with fewer calls are enough. */
function longClause(sentence: string, tell: Clause['tell']): Clause {
  return clause('8', sentence, tell, { isLong: true })
}

/** §8: rates and bounds, each to the last call and the last character. */
export const limits = [
  longClause('public endpoints: 2000 calls in 10 seconds pass, the next does not', async (venue) => {
    const ping = () => venue.send({ method: 'GET', path: pingPath })
    await calls(venue, 2000, ping)
    const answer = await ping()
    expect(answer).toMatchObject({ status: 429, retryAfter: '10' })
    resources.publicError.parse(JSON.parse(answer.body))
    venue.advance(9999)
    expect(await ping()).toMatchObject({ status: 429, retryAfter: '1' })
    venue.advance(1)
    await calls(venue, 2000, ping)
    expect((await ping()).status).toBe(429)
  }),
  longClause('flex investments list: 1000 calls in 10 seconds pass, the next does not', async (venue) => {
    const list = () => venue.signed('flexInvestments')
    await calls(venue, 1000, list)
    expect(errorOf(await list())).toMatchObject({ status: 429, code: 0 })
    venue.advance(9999)
    expect((await list()).status).toBe(429)
    venue.advance(1)
    await calls(venue, 1000, list)
    expect((await list()).status).toBe(429)
  }),
  longClause('the ten seconds begin with any call, not at fixed moments', async (venue) => {
    const list = () => venue.signed('flexInvestments')
    await calls(venue, 400, list)
    venue.advance(6000)
    await calls(venue, 600, list)
    expect(await list()).toMatchObject({ status: 429, retryAfter: '4' })
    venue.advance(4000)
    await calls(venue, 400, list)
    expect(await list()).toMatchObject({ status: 429, retryAfter: '6' })
  }),
  clause('8', 'a limit counts for one endpoint and one key, over both addresses', async (venue) => {
    await calls(venue, 500, () => venue.signed('flexPlans'))
    await calls(venue, 500, () => venue.signed('flexPlans', {}, { region: 'eu' }))
    expect((await venue.signed('flexPlans')).status).toBe(429)
    expect((await venue.signed('flexPlans', {}, { region: 'eu' })).status).toBe(429)
    expect((await venue.signed('flexInvestments')).status).toBe(200)
    expect((await venue.signed('flexPlans', {}, { as: 'rival' })).status).toBe(403)
    expect((await venue.send({ method: 'GET', path: pingPath })).status).toBe(200)
  }),
  longClause('a call over the limit uses up no nonce and does not act', async (venue) => {
    await calls(venue, 1000, () => venue.signed('createCode', code))
    const nonce = venue.nonce('paper')
    expect((await refused(venue, 'createCode', code, { nonce })).status).toBe(429)
    expect(await mainBalanceOf(venue, 'USDT')).toBe('99000')
    venue.advance(10_000)
    fits('createCode', await venue.signed('createCode', code))
  }),
  clause('8', 'the client understands that it was too much, and says so', async (venue) => {
    await calls(venue, 1000, () => venue.signed('flexPlans'))
    const outcome = await venue.paper.flexPlans({}, { deadlineMs: 9000 })
    expect(outcome).toMatchObject({ kind: 'refused', status: 429, throttle: 'rate' })
    venue.advance(10_000)
    await done(venue.paper.flexPlans())
  }),
  longClause('the other private endpoints allow what their kind allows', async (venue) => {
    const perTenSeconds: Partial<Record<(typeof privateNames)[number], number>> = {
      collateralBulk: 10_000,
      orderHistory: 12_000,
      tradingBalance: 12_000,
    }
    for (const name of privateNames) {
      const limit = { calls: perTenSeconds[name] ?? 1000, perMs: 10_000 }
      expect(contract[name].limit, name).toEqual(limit)
    }
    expect(contract.ping.limit).toEqual({ calls: 2000, perMs: 10_000 })
    await calls(venue, 1001, () => venue.signed('tradingBalance', { ticker: 'BTC' }))
  }),
  clause('8', 'flex plans: limit at most 100, offset at least 0', async (venue) => {
    await bounded(venue, 'flexPlans', {}, 'limit', { good: [1, 100], bad: [101, 0, 1000] })
    await bounded(venue, 'flexPlans', {}, 'offset', { good: [0, 100, 1_000_000], bad: [-1] })
  }),
  clause('8', 'interest payment history: limit 1 to 100, offset 0 to 10000', async (venue) => {
    await bounded(venue, 'fixedInterest', {}, 'limit', { good: [1, 100], bad: [0, 101, '1', 1.5, null] })
    await bounded(venue, 'fixedInterest', {}, 'offset', { good: [0, 10_000], bad: [-1, 10_001, '0', 0.5] })
  }),
  clause('8', 'flex investments list: limit 100 and offset 0 when absent', async (venue) => {
    expect(fits('flexInvestments', await venue.signed('flexInvestments'))).toMatchObject({
      limit: 100,
      offset: 0,
    })
    await bounded(venue, 'flexInvestments', {}, 'limit', { good: [1, 100], bad: [0, 101] })
  }),
  clause('8', 'transfer code amount: eight decimals, above zero', async (venue) => {
    const values = {
      good: ['0.00000001', '1.10000000'],
      bad: ['0.000000001', '0', '0.00000000', '1.123456789'],
    }
    await bounded(venue, 'createCode', code, 'amount', values)
  }),
  clause('8', 'transfer code amount: at most the main balance, which may all go', async (venue) => {
    await refusesKeys(venue, 'createCode', { ...code, amount: '100000.00000001' }, ['amount'])
    await done(venue.paper.createCode({ ...code, amount: '100000' }))
    expect(await mainBalanceOf(venue, 'USDT')).toBe('0')
    await refusesKeys(venue, 'createCode', { ...code, amount: '0.00000001' }, ['amount'])
  }),
  clause('8', 'transfer code passphrase: at most 25 characters', async (venue) => {
    const values = { good: ['x'.repeat(25), 'x'], bad: ['x'.repeat(26), 'x'.repeat(1000)] }
    await bounded(venue, 'createCode', code, 'passphrase', values)
  }),
  clause('8', 'payout address: at most 100 characters', async (venue) => {
    const longest = await refusesKeys(venue, 'payoutDestination', { ...outside, address: 'x'.repeat(100) }, [
      'address',
    ])
    const tooLong = await refusesKeys(venue, 'payoutDestination', { ...outside, address: 'x'.repeat(101) }, [
      'address',
    ])
    expect(longest.errors['address']?.[0]).not.toContain('100')
    expect(tooLong.errors['address']?.[0]).toContain('100')
  }),
  clause('8', 'mining account and worker: at most 255 characters', async (venue) => {
    await refusesKeys(venue, 'workerHashrate', { ...worker, account: 'x'.repeat(255) }, ['user'])
    await refusesKeys(venue, 'workerHashrate', { ...worker, worker: 'x'.repeat(255) }, ['worker'])
    for (const key of ['account', 'worker']) {
      const { errors } = await refusesKeys(venue, 'workerHashrate', { ...worker, [key]: 'x'.repeat(256) }, [
        key,
      ])
      expect(errors[key]?.[0]).toContain('255')
    }
    await refusesKeys(venue, 'accountHashrate', { account: 'x'.repeat(256) }, ['account'])
  }),
  clause('8', 'mining from and to: not after the current time', async (venue) => {
    const now = Math.floor(venue.clock.now() / 1000)
    for (const key of ['from', 'to']) {
      await bounded(venue, 'workerHashrate', worker, key, { good: [now, now - 1], bad: [now + 1] })
    }
    venue.advance(1000)
    for (const key of ['from', 'to']) {
      await bounded(venue, 'workerHashrate', worker, key, { good: [now + 1], bad: [now + 2] })
    }
  }),
  clause('8', 'bulk order amount: the minimum of its own market', async (venue) => {
    const minimums = {
      BTC_PERP: '0.001',
      ETH_PERP: '0.01',
      SOL_PERP: '0.1',
      BTC_USDT: '0.00001',
      ETH_USDT: '0.0001',
      SOL_USDT: '0.01',
    }
    for (const [market, amount] of Object.entries(minimums)) {
      const about = order({ market, price: amount.length > 5 ? '600000' : '9000' })
      expect((await element(venue, { ...about, amount })).error, market).toBeNull()
      const { amount: texts } = await failsOn(venue, { ...about, amount: `0.0${amount.slice(2)}` }, [
        'amount',
      ])
      expect(texts?.[0]).toContain(amount)
    }
  }),
  clause(
    '8',
    'a body of more than 64 KiB is refused, behind whatever else is wrong with the call',
    async (venue) => {
      const large = { ...code, description: 'x'.repeat(64 * 1024) }
      const headers = { 'X-TXC-PAYLOAD': 'x' }
      expect(await refused(venue, 'createCode', large, { headers })).toMatchObject({ status: 413, code: 0 })
      const text = { 'Content-type': 'text/plain' }
      expect((await refused(venue, 'createCode', large, { headers: { ...headers, ...text } })).status).toBe(
        415,
      )
      const body = 'x'.repeat(200_000)
      expect((await venue.send({ path: '/api/v4/none', body })).status).toBe(404)
      expect((await venue.send({ method: 'PUT', path: contract.createCode.path, body })).status).toBe(405)
      const posted = await venue.send({ path: pingPath, body })
      expect(resources.publicError.parse(JSON.parse(posted.body)).success).toBe(false)
    },
  ),
]
