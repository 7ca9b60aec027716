import { expect } from 'vitest'
import { contract } from '#src/venues/whitebit/contract/endpoint-table.ts'
import { headersOf, type TestVenue } from '#test/support/venue.ts'
import type { Exchanged } from '#test/support/wire-tap.ts'
import type { WorldChange } from '#test/support/world.ts'
import { clause } from './clause.ts'
import {
  bulk,
  canceledDeposit,
  done,
  element,
  errorOf,
  failsOn,
  fits,
  kindsOf,
  last,
  nowhere,
  order,
  place,
  refused,
  refusesWhole,
} from './reading.ts'

const good = order()
const tooSmall = order({ amount: '0.0005' })
const orders = (count: number) => Array.from({ length: count }, () => ({ amount: '0.001', price: '5000' }))
const switched = (switches: WorldChange) => ({ world: { switches } })
const tooMany = (venue: TestVenue) => refusesWhole(venue, 'collateralBulk', { orders: orders(21).map(order) })

/** A signed call with a body in several lines. */
function spaced(venue: TestVenue): Promise<Exchanged> {
  const { path } = contract.mainBalance
  const body = JSON.stringify({ request: path, nonce: venue.nonce('paper') }, undefined, 2)
  return venue.send({ path, headers: headersOf('paper', body), body })
}

/** Where the specification is silent a world may choose: each switch is turned, and the difference seen. */
export const worlds = [
  clause(
    '1',
    'a world may ignore what no call has, but not a field that only profile full has',
    async (venue) => {
      const answer = await venue.signed('collateralBulk', {
        orders: [{ ...good, colour: 'red' }],
        colour: 'red',
      })
      expect(fits('collateralBulk', answer)).toMatchObject([{ error: null }])
      const reducing = await venue.signed('collateralBulk', { orders: [{ ...good, reduceOnly: true }] })
      expect(fits('collateralBulk', reducing)).toMatchObject([{ result: null }])
      await refusesWhole(venue, 'orderHistory', { startDate: 1 })
    },
    switched({ unknownParameters: 'ignore' }),
  ),
  clause('5.2', 'the body of a call may have blanks between its parts', async (venue) => {
    const { status } = await spaced(venue)
    expect(status).toBe(200)
  }),
  clause(
    '5.2',
    'a world may refuse blanks between the parts of a body, but not inside of texts',
    async (venue) => {
      expect(errorOf(await spaced(venue))).toMatchObject({ status: 400, message: 'Invalid payload.' })
      const [placed] = await bulk(venue, venue.paper, [{ client_order_id: 'one' }])
      expect(placed?.kind).toBe('accepted')
      const { errors } = await refused(venue, 'mainBalance', { ticker: ' " B\\' })
      expect(Object.keys(errors)).toEqual(['ticker'])
    },
    switched({ blanksInBody: 'refuse' }),
  ),
  ...(
    [
      ['included', 'ends with the error of the failing order', 2],
      ['absent', 'ends before the failing order', 1],
      ['full', 'has an error for every order after the failing one', 4],
    ] as const
  ).map(([stopOnFailAnswer, what, length]) =>
    clause(
      '4.8',
      `the answer to a stopped bulk ${what}, and the client leaves open at most what it omits`,
      async (venue) => {
        const asked = [good, tooSmall, good, good]
        const outcomes = await bulk(venue, venue.paper, asked, { stopOnFail: true })
        expect(fits('collateralBulk', last(venue))).toHaveLength(length)
        const [failing, later] = length === 1 ? ['unknown', 'unknown'] : ['refused', 'not-attempted']
        expect(kindsOf(outcomes)).toEqual(['accepted', failing, later, later])
      },
      switched({ stopOnFailAnswer }),
    ),
  ),
  clause('4.8', 'twenty orders are the most of one bulk', async (venue) => {
    expect(await bulk(venue, venue.paper, orders(20))).toHaveLength(20)
    await tooMany(venue)
  }),
  clause(
    '4.8',
    'a world may take ten orders at most',
    async (venue) => {
      expect(await bulk(venue, venue.paper, orders(10))).toHaveLength(10)
      await refusesWhole(venue, 'collateralBulk', { orders: orders(11).map(order) })
    },
    switched({ batchMax: '10' }),
  ),
  clause(
    '4.8',
    'a world may take any number of orders that fits into a body',
    async (venue) => {
      expect(kindsOf(await bulk(venue, venue.paper, orders(200)))).not.toContain('refused')
    },
    switched({ batchMax: 'none' }),
  ),
  clause('4.8', 'a client_order_id is used once and for ever', async (venue) => {
    const about = { client_order_id: 'once', ioc: true }
    await place(venue, venue.paper, about)
    await failsOn(venue, about, ['client_order_id'])
    const [again] = await bulk(venue, venue.paper, [about])
    expect(again).toMatchObject({ kind: 'refused', alreadyUsed: true })
    await place(venue, venue.rival, about)
  }),
  clause('4.8', 'an order that was refused does not use its client_order_id up', async (venue) => {
    await failsOn(venue, { client_order_id: 'once', amount: '0' }, ['amount'])
    await place(venue, venue.paper, { client_order_id: 'once' })
  }),
  clause(
    '4.8',
    'a world may free a client_order_id when its order is done, not before',
    async (venue) => {
      await place(venue, venue.paper, { client_order_id: 'again' })
      await failsOn(venue, { client_order_id: 'again' }, ['client_order_id'])
      await place(venue, venue.rival, { side: 'sell' })
      await place(venue, venue.paper, { client_order_id: 'again' })
    },
    switched({ clientIds: 'live' }),
  ),
  clause(
    '4.8',
    'a world may accept a postOnly order that would take, and cancel it at once',
    async (venue) => {
      await place(venue, venue.rival, { side: 'sell' })
      const crossed = await place(venue, venue.paper, { postOnly: true })
      expect(crossed).toMatchObject({ status: 'CANCELED', deal_stock: '0', left: '0.01' })
    },
    switched({ postOnlyCross: 'canceled' }),
  ),
  clause(
    '4.8',
    'a world may refuse positionSide SHORT',
    async (venue) => {
      await failsOn(venue, { positionSide: 'SHORT' }, ['positionSide'])
      expect((await element(venue, { positionSide: 'BOTH' })).error).toBeNull()
    },
    switched({ shortSide: 'refused' }),
  ),
  clause('4.8', 'an order is executed before the next request is looked at', async (venue) => {
    await place(venue, venue.paper, {})
    expect((await done(venue.paper.tradingBalance()))['USDT']?.freeze).toBe('500')
  }),
  clause(
    '4.8',
    'a world may execute an admitted order later than a request that came after it',
    async (venue) => {
      const admitted = venue.signed('collateralBulk', { orders: [good] })
      // The wait begins when the order is admitted: a later nonce of the same key is proof that it was.
      for (;;) {
        const known = venue.exchange.state.nonces.get('paper-key')?.last
        if (known !== undefined) break
        await new Promise(setImmediate)
      }
      expect((await done(venue.paper.tradingBalance()))['USDT']?.freeze).toBe('0')
      venue.advance(1999)
      expect((await done(venue.paper.tradingBalance()))['USDT']?.freeze).toBe('0')
      venue.advance(1)
      const [placed] = fits('collateralBulk', await admitted)
      expect(placed?.result?.timestamp).toBe(1_790_000_002.25)
      expect((await done(venue.paper.tradingBalance()))['USDT']?.freeze).toBe('500')
    },
    switched({ executionDelay: '2s' }),
  ),
  clause('4.10', 'a finished order is in the history at once', async (venue) => {
    await place(venue, venue.paper, { ioc: true })
    expect((await done(venue.paper.orderHistory()))['BTC_PERP']).toHaveLength(1)
  }),
  clause(
    '4.10',
    'a world may let a finished order into the history later',
    async (venue) => {
      await place(venue, venue.paper, { ioc: true })
      venue.advance(29_999)
      expect(await done(venue.paper.orderHistory())).toEqual({})
      venue.advance(1)
      expect((await done(venue.paper.orderHistory()))['BTC_PERP']).toHaveLength(1)
    },
    switched({ historyLag: '30s' }),
  ),
  clause(
    '4.17',
    'a world may hide what collateral orders hold',
    async (venue) => {
      await place(venue, venue.paper, {})
      const balance = (await done(venue.paper.tradingBalance()))['USDT']
      expect(balance).toEqual({ available: '50000', freeze: '0' })
    },
    switched({ collateralFreeze: 'hidden' }),
  ),
  clause('7', 'refusals have the status of their kind', async (venue) => {
    expect((await refused(venue, 'fixedClose', { id: nowhere })).status).toBe(400)
    expect((await refused(venue, 'tradingBalance', { ticker: 'x' })).status).toBe(422)
    expect((await refused(venue, 'accountHashrate', {}, { request: 'x' })).status).toBe(401)
    expect((await refused(venue, 'flexPlans', {}, { as: 'rival' })).status).toBe(403)
    const answer = await venue.signed('accountHashrate', { account: 'paper-pool', from: 2, to: 1 })
    expect(answer).toMatchObject({ status: 422, contentType: 'application/json' })
  }),
  ...(['200', '400', '422'] as const).map((refusalStatus) =>
    clause(
      '7',
      `a world may answer every refusal with status ${refusalStatus}, and the client still sees a refusal`,
      async (venue) => {
        const status = Number(refusalStatus)
        expect((await refused(venue, 'fixedClose', { id: nowhere })).status).toBe(status)
        expect((await refused(venue, 'tradingBalance', { ticker: 'x' })).status).toBe(status)
        expect((await refused(venue, 'mainBalance', {}, { nonce: null })).status).toBe(status)
        expect((await refused(venue, 'flexPlans', {}, { as: 'rival' })).status).toBe(status)
        // The one status that the specification has for a refusal.
        expect((await refused(venue, 'flexInvestments', { investmentStatus: 2 })).status).toBe(400)
        expect((await refused(venue, 'flexInvestments', {}, { as: 'rival' })).status).toBe(status)
        const close = await venue.paper.fixedClose({ id: nowhere })
        expect(close).toMatchObject({
          kind: 'refused',
          status,
          code: 0,
          errors: { id: [expect.any(String)] },
        })
        const about = { transaction_id: canceledDeposit, address: 'x' }
        expect(await venue.paper.refundDeposit(about)).toMatchObject({ kind: 'refused', code: 0 })
      },
      switched({ refusalStatus }),
    ),
  ),
  clause(
    '7',
    'a world of one status still answers a used nonce with 429',
    async (venue) => {
      fits('mainBalance', await venue.signed('mainBalance', {}, { nonce: '5' }))
      expect((await refused(venue, 'mainBalance', {}, { nonce: '5' })).status).toBe(429)
    },
    switched({ refusalStatus: '400' }),
  ),
  clause(
    '8',
    'a world may keep no limits at all',
    async (venue) => {
      for (let call = 0; call <= contract.flexInvestments.limit.calls; call++) {
        await venue.signed('flexInvestments')
      }
      expect(venue.exchanged.filter(({ status }) => status !== 200)).toEqual([])
    },
    switched({ rateLimits: 'off' }),
  ),
  clause(
    '8',
    'a world may answer too many calls like a gateway, in HTML, and the client rests all the same',
    async (venue) => {
      for (let call = 0; call < contract.flexPlans.limit.calls; call++) await venue.signed('flexPlans')
      const answer = await venue.signed('flexPlans')
      expect(answer).toMatchObject({ status: 429, contentType: 'text/html', retryAfter: undefined })
      expect(answer.body).toMatch(/^<html>/)
      const outcome = await venue.paper.flexPlans({}, { deadlineMs: 900 })
      expect(outcome.kind).toBe('unanswered')
      expect(errorOf(await venue.signed('flexPlans', {}, { nonce: '1' })).status).toBe(429)
      const ping = { method: 'GET', path: contract.ping.path }
      for (let call = 0; call < contract.ping.limit.calls; call++) await venue.send(ping)
      expect(await venue.send(ping)).toMatchObject({
        status: 429,
        contentType: 'text/html',
        body: answer.body,
      })
    },
    switched({ tooManyRequests: 'html' }),
  ),
]
