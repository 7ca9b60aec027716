import { expect } from 'vitest'
import { clause } from './clause.ts'
import {
  bulk,
  done,
  element,
  failsOn,
  fits,
  kindsOf,
  order,
  place,
  refusesWhole,
  type SpecOrder,
} from './reading.ts'

const good = order()
const tooSmall = order({ amount: '0.0005' })

/** §4.8: the request, its orders and the answer. */
export const bulkOrders = [
  clause(
    '4.8',
    'places several orders in one request, answered in the order of the request',
    async (venue) => {
      const prices = ['49000', '48000', '50000', '47000']
      const outcomes = await bulk(
        venue,
        venue.paper,
        prices.map((price) => ({ price })),
      )
      expect(outcomes.map((each) => each.kind === 'accepted' && each.order.price)).toEqual(prices)
      const ids = outcomes.map((each) => (each.kind === 'accepted' ? each.order.order_id : 0))
      expect(new Set(ids).size).toBe(4)
    },
  ),
  clause('4.8', 'an element holds either a result or an error, and null for the other', async (venue) => {
    const answer = await venue.signed('collateralBulk', { orders: [good, tooSmall] })
    const [placed, failed] = fits('collateralBulk', answer)
    expect(placed?.error).toBeNull()
    expect(placed?.result).not.toBeNull()
    expect(failed?.result).toBeNull()
    expect(Object.keys(failed?.error ?? {}).sort()).toEqual(['code', 'errors', 'message'])
  }),
  clause('4.8', 'an amount below the minimum fails with code 32 and the minimum in words', async (venue) => {
    const { amount } = await failsOn(venue, { amount: '0.0009' }, ['amount'])
    expect(amount?.[0]).toContain('0.001')
    expect((await element(venue, { amount: '0.001' })).error).toBeNull()
  }),
  clause('4.8', 'side is buy or sell', async (venue) => {
    for (const side of ['buy', 'sell']) expect((await element(venue, { side })).result?.side).toBe(side)
    for (const side of ['BUY', 'both', '', 1, null]) await failsOn(venue, { side }, ['side'])
  }),
  clause('4.8', 'amount moves in steps of its market and lies above zero', async (venue) => {
    for (const amount of ['0', '0.0', '0.0015', '1.00000000000000001'])
      await failsOn(venue, { amount }, ['amount'])
    expect((await element(venue, { amount: '0.0020000' })).result?.amount).toBe('0.002')
  }),
  clause('4.8', 'price moves in steps of its market and lies above zero', async (venue) => {
    for (const price of ['0', '0.00', '50000.05']) await failsOn(venue, { price }, ['price'])
    expect((await element(venue, { price: '50000.10' })).result?.price).toBe('50000.1')
  }),
  clause('4.8', 'market is one that the venue has', async (venue) => {
    for (const market of ['BTC_EUR', 'btc_perp', 'BTC', '', '__proto__', 7, null]) {
      await failsOn(venue, { market }, ['market'])
    }
  }),
  clause('4.8', 'side, amount, price and market are needed', async (venue) => {
    const answer = await venue.signed('collateralBulk', { orders: [{}] })
    const [only] = fits('collateralBulk', answer)
    expect(Object.keys(only?.error?.errors ?? {}).sort()).toEqual(['amount', 'market', 'price', 'side'])
  }),
  clause('4.8', 'a total below or above what its market allows fails', async (venue) => {
    await failsOn(venue, { amount: '0.001', price: '4999.9' }, ['total'])
    await failsOn(venue, { amount: '1000', price: '50000' }, ['total'])
    expect((await element(venue, { amount: '0.001', price: '5000' })).error).toBeNull()
  }),
  clause('4.8', 'postOnly rests, and fails where it would take', async (venue) => {
    expect(await place(venue, venue.paper, { postOnly: true })).toMatchObject({
      status: 'OPEN',
      postOnly: true,
    })
    await place(venue, venue.rival, { side: 'sell', price: '50100' })
    await failsOn(venue, { price: '50100', postOnly: true }, ['postOnly'])
    expect(await done(venue.paper.orderHistory({}))).toEqual({})
  }),
  clause('4.8', 'ioc takes what is there and leaves nothing behind', async (venue) => {
    await place(venue, venue.rival, { side: 'sell', amount: '0.01' })
    const taken = await place(venue, venue.paper, { amount: '0.03', ioc: true })
    expect(taken).toMatchObject({ ioc: true, deal_stock: '0.01', left: '0.02', status: 'CANCELED' })
    expect((await place(venue, venue.rival, { side: 'sell', amount: '0.02' })).deal_stock).toBe('0')
  }),
  clause('4.8', 'rpi rests as a maker behind the others at its price', async (venue) => {
    expect((await place(venue, venue.paper, { rpi: true, client_order_id: 'hidden' })).rpi).toBe(true)
    await place(venue, venue.paper, { client_order_id: 'plain' })
    await place(venue, venue.rival, { side: 'sell' })
    const history = await done(venue.paper.orderHistory())
    expect(history['BTC_PERP']?.map((each) => each.client_order_id)).toEqual(['plain'])
    await place(venue, venue.rival, { side: 'sell', price: '51000' })
    await failsOn(venue, { price: '51000', rpi: true }, ['rpi'])
  }),
  clause(
    '4.8',
    'postOnly, ioc and rpi are booleans, false when absent, and exclude each other',
    async (venue) => {
      expect((await element(venue, {})).result).toMatchObject({ postOnly: false, ioc: false, rpi: false })
      for (const flag of ['postOnly', 'ioc', 'rpi']) {
        for (const value of ['true', 1, null]) await failsOn(venue, { [flag]: value }, [flag])
      }
      for (const pair of [
        ['ioc', 'postOnly'],
        ['ioc', 'rpi'],
        ['rpi', 'postOnly'],
      ]) {
        await failsOn(venue, Object.fromEntries(pair.map((flag) => [flag, true])), [pair[0] ?? ''])
      }
    },
  ),
  clause('4.8', 'client_order_id comes back, and may be empty any number of times', async (venue) => {
    expect((await element(venue, { client_order_id: 'a.B-c_9' })).result?.client_order_id).toBe('a.B-c_9')
    for (let time = 0; time < 2; time++) {
      expect((await element(venue, { client_order_id: '' })).result?.client_order_id).toBe('')
    }
  }),
  clause(
    '4.8',
    'client_order_id is text of at most 64 letters, digits, dots, dashes, underscores',
    async (venue) => {
      expect((await element(venue, { client_order_id: 'x'.repeat(64) })).error).toBeNull()
      for (const id of ['x'.repeat(65), 'a b', 'ä', 'a/b', 7, null]) {
        await failsOn(venue, { client_order_id: id }, ['client_order_id'])
      }
    },
  ),
  clause('4.8', 'positionSide is LONG when absent, and LONG, SHORT and BOTH come back', async (venue) => {
    expect((await element(venue, {})).result?.positionSide).toBe('LONG')
    for (const positionSide of ['LONG', 'SHORT', 'BOTH']) {
      expect((await element(venue, { positionSide })).result?.positionSide).toBe(positionSide)
    }
    for (const positionSide of ['long', '', null, 1]) await failsOn(venue, { positionSide }, ['positionSide'])
  }),
  clause('4.8', 'an order that the account cannot pay for fails by itself', async (venue) => {
    await failsOn(venue, { amount: '1', price: '50000' }, ['amount'])
    expect((await element(venue, { amount: '0.99', price: '50000' })).error).toBeNull()
  }),
  clause('4.8', 'stopOnFail is false unless told otherwise: every order is processed', async (venue) => {
    for (const about of [{}, { stopOnFail: false }]) {
      const outcomes = await bulk(venue, venue.paper, [tooSmall, good, { market: 'BTC_EUR' }, good], about)
      expect(kindsOf(outcomes)).toEqual(['refused', 'accepted', 'refused', 'accepted'])
    }
  }),
  clause('4.8', 'stopOnFail true stops at the first order whose form is wrong', async (venue) => {
    const orders = [good, tooSmall, order({ client_order_id: 'after' })]
    const outcomes = await bulk(venue, venue.paper, orders, { stopOnFail: true })
    expect(kindsOf(outcomes)).toEqual(['accepted', 'refused', 'not-attempted'])
    expect((await element(venue, { client_order_id: 'after' })).error).toBeNull()
  }),
  clause('4.8', 'stopOnFail true stops at the first order that cannot be executed', async (venue) => {
    await place(venue, venue.rival, { side: 'sell', price: '50100' })
    const crossing = order({ price: '50100', postOnly: true })
    const outcomes = await bulk(venue, venue.paper, [good, crossing, good], { stopOnFail: true })
    expect(kindsOf(outcomes)).toEqual(['accepted', 'refused', 'not-attempted'])
    expect((await done(venue.paper.tradingBalance()))['USDT']?.freeze).toBe('500')
  }),
  clause('4.8', 'stopOnFail true without a failure processes every order', async (venue) => {
    const outcomes = await bulk(venue, venue.paper, [good, good, good], { stopOnFail: true })
    expect(kindsOf(outcomes)).toEqual(['accepted', 'accepted', 'accepted'])
  }),
  clause('4.8', 'orders before the failing one stay placed', async (venue) => {
    await bulk(venue, venue.paper, [{ price: '50000' }, tooSmall], { stopOnFail: true })
    expect((await place(venue, venue.rival, { side: 'sell' })).status).toBe('FILLED')
  }),
  clause(
    '4.8',
    'a request that fails as a whole has code 30, no errors, and places nothing',
    async (venue) => {
      const requests: object[] = [
        {},
        { orders: [] },
        { orders: {} },
        { orders: 'all' },
        { orders: [7] },
        { orders: [null] },
        { orders: [[]] },
        { orders: [good], stopOnFail: 'true' },
        { orders: [good], stopOnFail: 1 },
        { orders: [good], stop: true },
      ]
      for (const request of requests) await refusesWhole(venue, 'collateralBulk', request)
      expect((await done(venue.paper.tradingBalance()))['USDT']?.freeze).toBe('0')
    },
  ),
  clause('4.8', 'a field of an order that the table does not list fails that order alone', async (venue) => {
    const wrong: Record<string, unknown> = { ...good, postonly: true }
    const answer = await venue.signed('collateralBulk', { orders: [wrong, good] })
    const [first, second] = fits('collateralBulk', answer)
    expect(Object.keys(first?.error?.errors ?? {})).toEqual(['postonly'])
    expect(second?.error).toBeNull()
  }),
  clause('4.8', 'the client sends nothing when an order does not fit', async (venue) => {
    const wrong: SpecOrder = { ...good, amount: 'much' }
    const outcome = await venue.paper.collateralBulk({ orders: [good, wrong] })
    expect(outcome).toMatchObject({ kind: 'not-sent', problems: { 'orders.1.amount': [expect.any(String)] } })
    expect(venue.exchanged).toEqual([])
    await bulk(venue, venue.paper, [good])
  }),
  clause(
    '4.8',
    'orders of two accounts trade with each other at the price of the one that rested',
    async (venue) => {
      await place(venue, venue.rival, { side: 'sell', price: '50000', amount: '0.01' })
      const taken = await place(venue, venue.paper, { price: '50500', amount: '0.01' })
      expect(taken).toMatchObject({ deal_money: '500', deal_fee: '0.175', left: '0', status: 'FILLED' })
      const sold = (await done(venue.rival.orderHistory()))['BTC_PERP']?.[0]
      expect(sold).toMatchObject({ deal_money: '500', deal_fee: '0.05', status: 'FILLED' })
    },
  ),
]
