import { expect } from 'vitest'
import { clause } from './clause.ts'
import {
  dayMs,
  done,
  fixedBtc,
  fixedUsdt,
  flexBtc,
  flexClosed,
  flexUsdt,
  mainBalanceOf,
  nowhere,
  refused,
  refusesKeys,
  shown,
} from './reading.ts'

const poor = { world: { accounts: { paper: { main: { USDT: '50' } } } } }

/** §4.3 and §4.5 to §4.7: money into plans, its interest, and the way back. */
export const investments = [
  clause('4.3', 'takes the amount from the main account and answers the transaction', async (venue) => {
    const call = venue.paper.flexInvest({ plan: flexUsdt, amount: '250.5' })
    const { data } = await shown(venue, 'flexInvest', call)
    expect(await mainBalanceOf(venue, 'USDT')).toBe('99749.5')
    const history = await done(venue.paper.flexHistory({ transaction: data.transaction_id }))
    expect(history.data.map(({ amount }) => amount)).toEqual(['250.5'])
  }),
  clause(
    '4.3',
    'withReinvest adds earnings to the investment, which otherwise pays them out',
    async (venue) => {
      await done(venue.paper.flexInvest({ plan: flexUsdt, amount: '1000', withReinvest: true }))
      await done(venue.paper.flexInvest({ plan: flexBtc, amount: '1', withReinvest: false }))
      venue.advance(dayMs)
      const { data } = await done(venue.paper.flexInvestments())
      expect(data.map((each) => [each.invested, each.withAutoReinvest])).toEqual([
        ['1000.32876712', true],
        ['1', false],
      ])
      expect(await mainBalanceOf(venue, 'USDT')).toBe('99000')
      expect(await mainBalanceOf(venue, 'BTC')).toBe('1.00005479')
    },
  ),
  clause('4.3', 'without withReinvest a new investment does not reinvest', async (venue) => {
    await done(venue.paper.flexInvest({ plan: flexUsdt, amount: '10' }))
    expect((await done(venue.paper.flexInvestments())).data[0]?.withAutoReinvest).toBe(false)
  }),
  clause('4.3', 'a missing plan or amount is answered with validation.required', async (venue) => {
    const both = await refusesKeys(venue, 'flexInvest', {}, ['plan', 'amount'])
    expect(both.errors).toMatchObject({ plan: ['validation.required'], amount: ['validation.required'] })
    await refusesKeys(venue, 'flexInvest', { amount: '10' }, ['plan'])
    await refusesKeys(venue, 'flexInvest', { plan: flexUsdt }, ['amount'])
  }),
  clause('4.3', 'an amount that is not numeric or a plan that is no UUID has code 0', async (venue) => {
    for (const amount of ['ten', '', 10, null]) {
      await refusesKeys(venue, 'flexInvest', { plan: flexUsdt, amount }, ['amount'])
    }
    for (const plan of ['', 'usdt', 7, null, '22222222-2222-4222-8222-00000000001']) {
      await refusesKeys(venue, 'flexInvest', { plan, amount: '10' }, ['plan'])
    }
    const flag = { plan: flexUsdt, amount: '10', withReinvest: 'yes' }
    await refusesKeys(venue, 'flexInvest', flag, ['withReinvest'])
  }),
  ...(
    [
      ['an amount below the minimum', { plan: flexUsdt, amount: '9.99999999' }, 'amount', /less/],
      ['an amount above the maximum', { plan: flexUsdt, amount: '10000.00000001' }, 'amount', /more/],
      ['a plan that takes no investments', { plan: flexClosed, amount: '10' }, 'plan', /./],
      ['a plan that nobody offers', { plan: nowhere, amount: '10' }, 'plan', /./],
    ] as const
  ).map(([what, parameters, key, words]) =>
    clause('4.3', `${what} is an inner validation error with code 2 on ${key}`, async (venue) => {
      const error = await refused(venue, 'flexInvest', parameters)
      expect(error).toMatchObject({ code: 2, message: 'Inner validation failed', keys: [key] })
      expect(error.errors[key]?.[0]).toMatch(words)
      expect(await mainBalanceOf(venue, 'USDT')).toBe('100000')
    }),
  ),
  clause(
    '4.3',
    'an amount above the main balance is an inner validation error with code 2 on balance',
    async (venue) => {
      const error = await refused(venue, 'flexInvest', { plan: flexUsdt, amount: '50.00000001' })
      expect(error).toMatchObject({ code: 2, message: 'Inner validation failed', keys: ['balance'] })
      await done(venue.paper.flexInvest({ plan: flexUsdt, amount: '50' }))
      expect(await mainBalanceOf(venue, 'USDT')).toBe('0')
    },
    poor,
  ),
  clause(
    '4.3',
    'the bounds themselves are good amounts, and the maximum holds for the sum',
    async (venue) => {
      await done(venue.paper.flexInvest({ plan: flexUsdt, amount: '10' }))
      const more = await refused(venue, 'flexInvest', { plan: flexUsdt, amount: '9990.00000001' })
      expect(more).toMatchObject({ code: 2, keys: ['amount'] })
      await done(venue.paper.flexInvest({ plan: flexUsdt, amount: '9990' }))
      await done(venue.paper.flexInvest({ plan: flexBtc, amount: '1' }))
    },
  ),
  clause('4.5', 'lists payments of interest, the newest first, with the page it shows', async (venue) => {
    await done(venue.paper.fixedInvest({ planId: fixedUsdt, amount: '1000' }))
    venue.advance(3 * dayMs)
    const list = await shown(venue, 'fixedInterest', venue.paper.fixedInterest())
    expect([list.limit, list.offset, list.records.length]).toEqual([100, 0, 3])
    const times = list.records.map(({ timestamp }) => timestamp)
    expect(times).toEqual(times.toSorted((a, b) => b - a))
  }),
  clause('4.5', 'planId and ticker each narrow the list', async (venue) => {
    await done(venue.paper.fixedInvest({ planId: fixedUsdt, amount: '1000' }))
    await done(venue.paper.fixedInvest({ planId: fixedBtc, amount: '1' }))
    venue.advance(dayMs)
    const tickersFor = async (filter: Parameters<typeof venue.paper.fixedInterest>[0]) =>
      (await done(venue.paper.fixedInterest(filter))).records.map(({ ticker }) => ticker)
    expect((await tickersFor({})).toSorted()).toEqual(['BTC', 'USDT'])
    expect(await tickersFor({ planId: fixedBtc })).toEqual(['BTC'])
    expect(await tickersFor({ ticker: 'USDT' })).toEqual(['USDT'])
    expect(await tickersFor({ ticker: 'ETH' })).toEqual([])
  }),
  clause('4.5', 'limit and offset cut the page and come back in the answer', async (venue) => {
    const { id } = await done(venue.paper.fixedInvest({ planId: fixedUsdt, amount: '1000' }))
    venue.advance(3 * dayMs)
    const all = (await done(venue.paper.fixedInterest())).records
    const page = await shown(venue, 'fixedInterest', venue.paper.fixedInterest({ limit: 1, offset: 1 }))
    expect(page).toEqual({ limit: 1, offset: 1, records: [all[1]] })
    expect(page.records[0]?.investmentId).toBe(id)
  }),
  clause('4.5', 'a filter that does not fit is refused under its own name', async (venue) => {
    for (const planId of ['plan', nowhere, 7]) {
      await refusesKeys(venue, 'fixedInterest', { planId }, ['planId'])
    }
    for (const ticker of ['usdt', 'ZZZ', 7, '']) {
      await refusesKeys(venue, 'fixedInterest', { ticker }, ['ticker'])
    }
    await refusesKeys(venue, 'fixedInterest', { planId: 'p', ticker: 'x' }, ['planId', 'ticker'])
    await refusesKeys(venue, 'fixedInterest', { planId: 'p', ticker: 'ZZZ' }, ['planId', 'ticker'])
  }),
  clause('4.6', 'takes the amount from the main account and answers the id', async (venue) => {
    const call = venue.paper.fixedInvest({ planId: fixedUsdt, amount: '1000' })
    const { id } = await shown(venue, 'fixedInvest', call)
    expect(await mainBalanceOf(venue, 'USDT')).toBe('99000')
    const second = await done(venue.paper.fixedInvest({ planId: fixedUsdt, amount: '10' }))
    expect(second.id).not.toBe(id)
  }),
  clause('4.6', 'planId and amount are needed, and a plan that nobody offers is refused', async (venue) => {
    await refusesKeys(venue, 'fixedInvest', {}, ['planId', 'amount'])
    for (const planId of ['plan', nowhere, 7, flexUsdt]) {
      await refusesKeys(venue, 'fixedInvest', { planId, amount: '10' }, ['planId'])
    }
  }),
  clause('4.6', 'an amount outside the bounds of the plan is refused and nothing moves', async (venue) => {
    for (const amount of ['0', '9.99', '10000.01']) {
      await refusesKeys(venue, 'fixedInvest', { planId: fixedUsdt, amount }, ['amount'])
    }
    expect(await mainBalanceOf(venue, 'USDT')).toBe('100000')
    await done(venue.paper.fixedInvest({ planId: fixedUsdt, amount: '10000' }))
    await done(venue.paper.fixedInvest({ planId: fixedUsdt, amount: '10' }))
  }),
  clause(
    '4.6',
    'an amount above the main balance is refused',
    async (venue) => {
      await refusesKeys(venue, 'fixedInvest', { planId: fixedUsdt, amount: '50.01' }, ['amount'])
      await done(venue.paper.fixedInvest({ planId: fixedUsdt, amount: '50' }))
    },
    poor,
  ),
  clause('4.7', 'gives the principal back and answers an empty object', async (venue) => {
    const { id } = await done(venue.paper.fixedInvest({ planId: fixedBtc, amount: '1' }))
    expect(await shown(venue, 'fixedClose', venue.paper.fixedClose({ id }))).toEqual({})
    expect(await mainBalanceOf(venue, 'BTC')).toBe('2')
  }),
  clause(
    '4.7',
    'closing early keeps the interest of whole days and pays none for the rest',
    async (venue) => {
      const { id } = await done(venue.paper.fixedInvest({ planId: fixedUsdt, amount: '1000' }))
      venue.advance(1.5 * dayMs)
      await done(venue.paper.fixedClose({ id }))
      expect(await mainBalanceOf(venue, 'USDT')).toBe('100000.2739726')
    },
  ),
  clause(
    '4.7',
    'an investment that does not exist is a validation error on id that says so',
    async (venue) => {
      const error = await refusesKeys(venue, 'fixedClose', { id: nowhere }, ['id'])
      expect(error.errors['id']?.[0]).toMatch(/not found/)
      for (const parameters of [{}, { id: 'x' }, { id: 7 }, { id: '' }]) {
        await refusesKeys(venue, 'fixedClose', parameters, ['id'])
      }
    },
  ),
  clause(
    '4.7',
    'an investment of somebody else is answered like one that does not exist',
    async (venue) => {
      const { id } = await done(venue.paper.fixedInvest({ planId: fixedUsdt, amount: '10' }))
      const about = { as: 'rival' } as const
      const theirs = await refusesKeys(venue, 'fixedClose', { id }, ['id'], about)
      expect(theirs).toEqual(await refusesKeys(venue, 'fixedClose', { id: nowhere }, ['id'], about))
      await done(venue.paper.fixedClose({ id }))
    },
    { world: { accounts: { rival: { partner: 'true' } } } },
  ),
]
