import { expect } from 'vitest'
import { beginsAtMs, type TestVenue } from '#test/support/venue.ts'
import { clause } from './clause.ts'
import {
  dayMs,
  done,
  flexBtc,
  flexClosed,
  flexUsdt,
  mainBalanceOf,
  nowhere,
  refusesKeys,
  shown,
} from './reading.ts'

const beganAt = Math.floor(beginsAtMs / 1000)

/** One investment in dollars, one in bitcoin, a minute apart. */
async function investTwice(venue: TestVenue): Promise<{ usdt: string; btc: string }> {
  await done(venue.paper.flexInvest({ plan: flexUsdt, amount: '1000' }))
  venue.advance(60_000)
  await done(venue.paper.flexInvest({ plan: flexBtc, amount: '0.5', withReinvest: true }))
  const { data } = await done(venue.paper.flexInvestments())
  return { usdt: data[0]?.id ?? '', btc: data[1]?.id ?? '' }
}

const rivalIsPartner = { world: { accounts: { rival: { partner: 'true' } } } }

/** §4.1, §4.2 and §4.4: the three lists of flexible investments. */
export const flexLists = [
  clause('4.1', 'lists what the caller invested, with the page that it shows', async (venue) => {
    const { usdt, btc } = await investTwice(venue)
    const list = await shown(venue, 'flexInvestments', venue.paper.flexInvestments())
    expect(list.data.map(({ id }) => id)).toEqual([usdt, btc])
  }),
  clause('4.1', 'limit is 100 and offset 0 unless told otherwise', async (venue) => {
    const list = await shown(venue, 'flexInvestments', venue.paper.flexInvestments())
    expect(list).toEqual({ data: [], limit: 100, offset: 0 })
  }),
  clause('4.1', 'limit and offset cut the page and come back in the answer', async (venue) => {
    const { usdt, btc } = await investTwice(venue)
    const first = await shown(venue, 'flexInvestments', venue.paper.flexInvestments({ limit: 1 }))
    expect([first.limit, first.offset, first.data.map(({ id }) => id)]).toEqual([1, 0, [usdt]])
    const call = venue.paper.flexInvestments({ limit: 1, offset: 1 })
    const second = await shown(venue, 'flexInvestments', call)
    expect([second.limit, second.offset, second.data.map(({ id }) => id)]).toEqual([1, 1, [btc]])
    expect((await done(venue.paper.flexInvestments({ offset: 2 }))).data).toEqual([])
  }),
  clause('4.1', 'ticker, plan and investment each narrow the list', async (venue) => {
    const { usdt, btc } = await investTwice(venue)
    const idsFor = async (filter: Parameters<typeof venue.paper.flexInvestments>[0]) =>
      (await done(venue.paper.flexInvestments(filter))).data.map(({ id }) => id)
    expect(await idsFor({ ticker: 'BTC' })).toEqual([btc])
    expect(await idsFor({ ticker: 'ETH' })).toEqual([])
    expect(await idsFor({ plan: flexUsdt })).toEqual([usdt])
    expect(await idsFor({ plan: flexClosed })).toEqual([])
    expect(await idsFor({ investment: btc })).toEqual([btc])
    expect(await idsFor({ investment: btc, ticker: 'USDT' })).toEqual([])
  }),
  clause('4.1', 'investmentStatus 1 is for active ones, 0 for closed ones', async (venue) => {
    await investTwice(venue)
    expect((await done(venue.paper.flexInvestments({ investmentStatus: 1 }))).data).toHaveLength(2)
    expect((await done(venue.paper.flexInvestments({ investmentStatus: 0 }))).data).toEqual([])
  }),
  clause('4.1', 'the answer is fresh: an amount shows in the very next list', async (venue) => {
    expect((await done(venue.paper.flexInvestments())).data).toEqual([])
    await done(venue.paper.flexInvest({ plan: flexUsdt, amount: '10' }))
    expect((await done(venue.paper.flexInvestments())).data[0]?.invested).toBe('10')
    await done(venue.paper.flexInvest({ plan: flexUsdt, amount: '10' }))
    expect((await done(venue.paper.flexInvestments())).data[0]?.invested).toBe('20')
  }),
  clause('4.1', 'a filter that does not fit is refused with status 400 under its own name', async (venue) => {
    const wrong = {
      ticker: ['usdt', 'ZZZ', '', 7, ['USDT'], '__proto__'],
      plan: ['plan', nowhere, 7, flexUsdt.toUpperCase().replaceAll('2', 'A')],
      investment: ['', 'inv_none', 7, 'x'.repeat(65)],
      investmentStatus: [2, -1, '1', true, 0.5],
      limit: [0, 101, '5', 1.5, -1, 1e21],
      offset: [-1, '0', 0.5],
    }
    for (const [key, values] of Object.entries(wrong)) {
      for (const value of values) {
        const error = await refusesKeys(venue, 'flexInvestments', { [key]: value }, [key])
        expect(error.status).toBe(400)
      }
    }
  }),
  clause('4.1', 'all filters that do not fit are named at once, each with its messages', async (venue) => {
    const filters = { ticker: 'usdt', plan: 'p', investment: '', investmentStatus: 9 }
    const error = await refusesKeys(venue, 'flexInvestments', filters, Object.keys(filters))
    for (const texts of Object.values(error.errors)) expect(texts).toHaveLength(1)
    const nothing = { ...filters, ticker: 'ZZZ', plan: nowhere, investment: 'inv_0' }
    await refusesKeys(venue, 'flexInvestments', nothing, Object.keys(nothing))
  }),
  clause(
    '4.1',
    'investments of somebody else are neither listed nor known',
    async (venue) => {
      const { usdt } = await investTwice(venue)
      expect((await done(venue.rival.flexInvestments())).data).toEqual([])
      const about = { as: 'rival' } as const
      const theirs = await refusesKeys(venue, 'flexInvestments', { investment: usdt }, ['investment'], about)
      const none = await refusesKeys(venue, 'flexInvestments', { investment: 'inv_0' }, ['investment'], about)
      expect(theirs).toEqual(none)
    },
    rivalIsPartner,
  ),
  clause('4.1', 'an investment earns a day of its yearly rate every 24 hours', async (venue) => {
    await done(venue.paper.flexInvest({ plan: flexUsdt, amount: '1000' }))
    venue.advance(dayMs - 1)
    expect(await mainBalanceOf(venue, 'USDT')).toBe('99000')
    venue.advance(1)
    expect(await mainBalanceOf(venue, 'USDT')).toBe('99000.32876712')
    expect((await done(venue.paper.flexInvestments())).data[0]?.invested).toBe('1000')
  }),
  clause('4.2', 'lists deposits and earnings, the newest first, with the page it shows', async (venue) => {
    await investTwice(venue)
    venue.advance(dayMs)
    const list = await shown(venue, 'flexHistory', venue.paper.flexHistory())
    expect([list.limit, list.offset]).toEqual([50, 0])
    expect(list.data.map(({ currency, actionType }) => [currency, actionType])).toEqual([
      ['BTC', 2],
      ['USDT', 4],
      ['BTC', 6],
      ['USDT', 6],
    ])
  }),
  clause('4.2', 'limit and offset cut the page and come back in the answer', async (venue) => {
    await investTwice(venue)
    const list = await shown(venue, 'flexHistory', venue.paper.flexHistory({ limit: 1, offset: 1 }))
    expect([list.limit, list.offset, list.data.map(({ currency }) => currency)]).toEqual([1, 1, ['USDT']])
    await done(venue.paper.flexHistory({ limit: 100 }))
    await refusesKeys(venue, 'flexHistory', { limit: 101 }, ['limit'])
  }),
  clause('4.2', 'plan, investment and transaction each narrow the list', async (venue) => {
    const { btc } = await investTwice(venue)
    const all = (await done(venue.paper.flexHistory())).data
    const idsFor = async (filter: Parameters<typeof venue.paper.flexHistory>[0]) =>
      (await done(venue.paper.flexHistory(filter))).data.map((each) => each.transaction_id)
    expect(await idsFor({ plan: flexUsdt })).toEqual([all[1]?.transaction_id])
    expect(await idsFor({ investment: btc })).toEqual([all[0]?.transaction_id])
    expect(await idsFor({ transaction: all[0]?.transaction_id ?? '' })).toEqual([all[0]?.transaction_id])
  }),
  clause('4.2', 'dateFrom and dateTo bound the time, both ends included', async (venue) => {
    await investTwice(venue)
    const times = async (filter: { dateFrom?: number; dateTo?: number }) =>
      (await done(venue.paper.flexHistory(filter))).data.map(({ createdAt }) => createdAt - beganAt)
    expect(await times({ dateFrom: beganAt, dateTo: beganAt + 60 })).toEqual([60, 0])
    expect(await times({ dateFrom: beganAt + 1 })).toEqual([60])
    expect(await times({ dateTo: beganAt + 59 })).toEqual([0])
    expect(await times({ dateFrom: beganAt + 60, dateTo: beganAt + 60 })).toEqual([60])
  }),
  clause('4.2', 'actionTypes keeps operations of the ids named: 1, 2, 4 and 6 occur here', async (venue) => {
    await investTwice(venue)
    await done(venue.paper.flexInvest({ plan: flexUsdt, amount: '10' }))
    venue.advance(dayMs)
    const typesFor = async (actionTypes: (1 | 2 | 3 | 4 | 5 | 6)[]) =>
      (await done(venue.paper.flexHistory({ actionTypes }))).data.map(({ actionType }) => actionType)
    for (const type of [1, 2, 4] as const) expect(await typesFor([type])).toEqual([type])
    expect(await typesFor([6])).toEqual([6, 6])
    expect(await typesFor([3, 5])).toEqual([])
    expect(await typesFor([1, 2, 3, 4, 5, 6])).toEqual([2, 4, 1, 6, 6])
    expect(await typesFor([6, 6, 6, 6, 6, 6, 6])).toEqual([6, 6])
  }),
  clause('4.2', 'a filter that does not fit is refused under its own name', async (venue) => {
    const wrong = {
      plan: ['plan', nowhere, 7],
      investment: ['', 'inv_none', 7],
      transaction: ['', 'tx_none', 7],
      dateFrom: ['2026', -1, 1.5],
      dateTo: ['2026', -1, 1.5],
      actionTypes: ['1', 1, { 0: 1 }],
      limit: [0, '5', 1.5],
      offset: [-1, '0'],
    }
    for (const [key, values] of Object.entries(wrong)) {
      for (const value of values) {
        const error = await refusesKeys(venue, 'flexHistory', { [key]: value }, [key])
        expect(error.status).toBe(400)
      }
    }
    await refusesKeys(venue, 'flexHistory', { dateFrom: 5, dateTo: 4 }, ['dateFrom'])
    const all = { plan: nowhere, investment: 'inv_0', transaction: 'tx_0', dateFrom: 5, dateTo: 4, limit: 0 }
    const keys = ['plan', 'investment', 'transaction', 'dateFrom', 'limit']
    await refusesKeys(venue, 'flexHistory', all, keys)
    await refusesKeys(venue, 'flexHistory', { plan: nowhere, actionTypes: [99] }, ['plan', 'actionTypes.0'])
  }),
  clause('4.2', 'an operation id that does not fit is named by its place', async (venue) => {
    await refusesKeys(venue, 'flexHistory', { actionTypes: [99] }, ['actionTypes.0'])
    await refusesKeys(venue, 'flexHistory', { actionTypes: [1, 'x', 2, null] }, [
      'actionTypes.1',
      'actionTypes.3',
    ])
  }),
  clause('4.4', 'answers an array of all plans of the venue', async (venue) => {
    const plans = await shown(venue, 'flexPlans', venue.paper.flexPlans())
    expect(plans.map(({ id }) => id)).toEqual([flexUsdt, flexBtc, flexClosed])
  }),
  clause('4.4', 'limit, offset and ticker narrow the array', async (venue) => {
    const idsFor = async (filter: Parameters<typeof venue.paper.flexPlans>[0]) =>
      (await done(venue.paper.flexPlans(filter))).map(({ id }) => id)
    expect(await idsFor({ limit: 1 })).toEqual([flexUsdt])
    expect(await idsFor({ limit: 1, offset: 1 })).toEqual([flexBtc])
    expect(await idsFor({ ticker: 'USDT' })).toEqual([flexUsdt, flexClosed])
    expect(await idsFor({ ticker: 'SOL' })).toEqual([])
    expect(await idsFor({ offset: 3 })).toEqual([])
  }),
  clause('4.4', 'limit, offset and ticker that do not fit are named with their messages', async (venue) => {
    const words = async (parameters: object, key: string) => {
      const error = await refusesKeys(venue, 'flexPlans', parameters, [key])
      return error.errors[key]?.[0] ?? ''
    }
    expect(await words({ limit: 101 }, 'limit')).toContain('100')
    expect(await words({ offset: -1 }, 'offset')).toContain('0')
    expect(await words({ limit: '10' }, 'limit')).toContain('integer')
    expect(await words({ offset: '0' }, 'offset')).toContain('integer')
    expect(await words({ limit: 1.5 }, 'limit')).toContain('integer')
    expect(await words({ ticker: 'usdt' }, 'ticker')).toContain('ticker')
    await words({ ticker: 'ZZZ' }, 'ticker')
    await refusesKeys(venue, 'flexPlans', { limit: 101, offset: -1, ticker: 'x' }, [
      'limit',
      'offset',
      'ticker',
    ])
  }),
]
