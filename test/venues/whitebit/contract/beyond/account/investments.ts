import { expect } from 'vitest'
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
  refusesKeys,
} from '#test/venues/whitebit/contract/spec/reading.ts'
import { answered, beyond, holds, refusedBy } from '#test/venues/whitebit/contract/beyond/clause.ts'

type Listed = { data: Record<string, unknown>[] }
type Kept = { records: Record<string, unknown>[] }
const transaction = { data: { transaction_id: expect.stringMatching(/^tx_[0-9a-f-]{36}$/) } }
const listed = (answer: unknown): Listed['data'] => {
  const { data }: Listed = Object(answer)
  return data
}
const kept = (answer: unknown): Kept['records'] => {
  const { records }: Kept = Object(answer)
  return records
}

export const investments = [
  beyond(
    'flex',
    'a part of an investment comes back at once, and the rest goes on earning',
    async (venue) => {
      await done(venue.paper.flexInvest({ plan: flexUsdt, amount: '3650' }))
      const answer = await answered(venue, 'flexWithdraw', { plan: flexUsdt, amount: '1825.5' })
      expect(answer).toEqual(transaction)
      expect(await mainBalanceOf(venue, 'USDT')).toBe('98175.5')
      const [investment] = listed(await answered(venue, 'flexInvestments'))
      expect(investment).toMatchObject({ invested: '1824.5', status: 1 })
      venue.advance(dayMs)
      const [earned] = listed(await answered(venue, 'flexPayments'))
      expect(earned).toMatchObject({ amount: '0.59983561', actionType: 4 })
    },
  ),
  beyond('flex', 'a withdrawal stands in the history as action 3, under its transaction', async (venue) => {
    await done(venue.paper.flexInvest({ plan: flexUsdt, amount: '100' }))
    venue.advance(5000)
    const { data } = await done(venue.paper.flexWithdraw({ plan: flexUsdt, amount: '0.000000000000000001' }))
    const found = await answered(venue, 'flexHistory', { transaction: data.transaction_id })
    expect(listed(found)).toMatchObject([
      { actionType: 3, amount: '0.000000000000000001', createdAt: 1_790_000_005, planId: flexUsdt },
    ])
  }),
  beyond('flex', 'all of it may be withdrawn, not more, and the investment stays', async (venue) => {
    await done(venue.paper.flexInvest({ plan: flexUsdt, amount: '100' }))
    await refusedBy(venue, 'flexWithdraw', { plan: flexUsdt, amount: '100.1' }, { code: 2, key: 'amount' })
    await answered(venue, 'flexWithdraw', { plan: flexUsdt, amount: '100' })
    expect(await mainBalanceOf(venue, 'USDT')).toBe('100000')
    venue.advance(3 * dayMs)
    expect(listed(await answered(venue, 'flexPayments'))).toEqual([])
    await done(venue.paper.flexInvest({ plan: flexUsdt, amount: '50' }))
    expect(listed(await answered(venue, 'flexInvestments'))).toMatchObject([{ invested: '50', status: 1 }])
  }),
  beyond('flex', 'a withdrawal needs a plan, an investment in it, and an amount', async (venue) => {
    await done(venue.paper.flexInvest({ plan: flexUsdt, amount: '100' }))
    const { errors } = await refusesKeys(venue, 'flexWithdraw', {}, ['plan', 'amount'])
    expect(errors['plan']).toEqual(['validation.required'])
    for (const plan of [nowhere, 'x', 7]) {
      await refusesKeys(venue, 'flexWithdraw', { plan, amount: '1' }, ['plan'])
    }
    for (const amount of ['0', '-1', '1e3', 1e-7, '']) {
      await refusesKeys(venue, 'flexWithdraw', { plan: flexUsdt, amount }, ['amount'])
    }
    for (const plan of [flexBtc, flexClosed]) {
      await refusedBy(venue, 'flexWithdraw', { plan, amount: '1' }, { code: 2, key: 'plan' })
    }
  }),
  beyond('flex', 'a closed investment pays everything out and stays closed', async (venue) => {
    await done(venue.paper.flexInvest({ plan: flexUsdt, amount: '100', withReinvest: true }))
    venue.advance(dayMs)
    const [before] = listed(await answered(venue, 'flexInvestments'))
    expect(before).toMatchObject({ invested: '100.03287671' })
    const { data }: { data: { transaction_id: string } } = Object(
      await answered(venue, 'flexClose', { plan: flexUsdt }),
    )
    expect({ data }).toEqual(transaction)
    expect(await mainBalanceOf(venue, 'USDT')).toBe('100000.03287671')
    expect(holds(venue, 'invested', 'USDT')).toBe('0')
    const closing = await answered(venue, 'flexHistory', { transaction: data.transaction_id })
    expect(listed(closing)).toMatchObject([{ actionType: 5, amount: '100.03287671' }])
    await refusedBy(venue, 'flexClose', { plan: flexUsdt }, { code: 2, key: 'investment' })
    await refusedBy(venue, 'flexAutoInvest', { plan: flexUsdt }, { code: 2, key: 'investment' })
    await refusedBy(venue, 'flexWithdraw', { plan: flexUsdt, amount: '1' }, { code: 2, key: 'plan' })
    venue.advance(5 * dayMs)
    expect(await mainBalanceOf(venue, 'USDT')).toBe('100000.03287671')
  }),
  beyond('flex', 'closed investments are listed as closed, and the next one is another', async (venue) => {
    await done(venue.paper.flexInvest({ plan: flexUsdt, amount: '100' }))
    const [first] = listed(await answered(venue, 'flexInvestments'))
    venue.advance(7000)
    await answered(venue, 'flexClose', { plan: flexUsdt })
    await done(venue.paper.flexInvest({ plan: flexUsdt, amount: '30' }))
    const all = listed(await answered(venue, 'flexInvestments'))
    const closed = { ...first, status: 0, invested: '0', updatedAt: 1_790_000_007 }
    expect(all).toEqual([closed, expect.objectContaining({ status: 1, invested: '30' })])
    expect(all[1]?.['id']).not.toBe(first?.['id'])
    expect(listed(await answered(venue, 'flexInvestments', { investmentStatus: 0 }))).toEqual([closed])
    expect(listed(await answered(venue, 'flexInvestments', { investmentStatus: '1' }))).toEqual([all[1]])
    const own = await answered(venue, 'flexHistory', { investment: first?.['id'] })
    expect(listed(own).map(({ actionType }) => actionType)).toEqual([5, 6])
  }),
  beyond('flex', 'earnings join the investment or not, as was said last', async (venue) => {
    await done(venue.paper.flexInvest({ plan: flexUsdt, amount: '3650' }))
    expect(await answered(venue, 'flexAutoInvest', { plan: flexUsdt, enabled: true })).toEqual({ data: [] })
    venue.advance(dayMs)
    expect(listed(await answered(venue, 'flexInvestments'))).toMatchObject([
      { invested: '3651.2', withAutoReinvest: true },
    ])
    await answered(venue, 'flexAutoInvest', { plan: flexUsdt })
    venue.advance(dayMs)
    expect(listed(await answered(venue, 'flexInvestments'))).toMatchObject([
      { invested: '3651.2', withAutoReinvest: false },
    ])
    for (const enabled of ['true', 1, null]) {
      await refusesKeys(venue, 'flexAutoInvest', { plan: flexUsdt, enabled }, ['enabled'])
    }
    for (const name of ['flexAutoInvest', 'flexClose'] as const) {
      await refusesKeys(venue, name, { plan: nowhere }, ['plan'])
      await refusedBy(venue, name, { plan: flexBtc }, { code: 2, key: 'investment' })
    }
  }),
  beyond(
    'flex',
    'the payment history has the daily earnings alone, narrowed like the history',
    async (venue) => {
      await done(venue.paper.flexInvest({ plan: flexUsdt, amount: '3650' }))
      await done(venue.paper.flexInvest({ plan: flexBtc, amount: '1' }))
      venue.advance(2 * dayMs)
      const all = listed(await answered(venue, 'flexPayments'))
      expect(all.map(({ actionType }) => actionType)).toEqual([4, 4, 4, 4])
      expect(all[0]).toMatchObject({ createdAt: 1_790_172_800, currency: 'BTC' })
      expect(listed(await answered(venue, 'flexPayments', { plan: flexUsdt }))).toHaveLength(2)
      expect(listed(await answered(venue, 'flexPayments', { dateTo: 1_790_086_400 }))).toHaveLength(2)
      expect(listed(await answered(venue, 'flexPayments', { limit: '1', offset: '3' }))).toEqual([all[3]])
      for (const key of ['plan', 'investment', 'transaction']) {
        await refusesKeys(venue, 'flexPayments', { [key]: nowhere }, [key])
      }
      await refusesKeys(venue, 'flexPayments', { actionTypes: [1] }, ['actionTypes'])
      await refusesKeys(venue, 'flexPayments', { dateFrom: 2, dateTo: 1 }, ['dateFrom'])
    },
  ),
  beyond('fixed', 'the plans are listed with their terms', async (venue) => {
    const shared = { status: 1, interestRatio: '1' }
    const usdt = {
      ...shared,
      id: fixedUsdt,
      ticker: 'USDT',
      percent: '10',
      duration: 43_200,
      interestTicker: 'USDT',
      minInvestment: '10',
      maxInvestment: '10000',
      maxPossibleInvestment: '10000',
    }
    const btc = {
      ...shared,
      id: fixedBtc,
      ticker: 'BTC',
      percent: '3',
      duration: 129_600,
      interestTicker: 'BTC',
      minInvestment: '0.001',
      maxInvestment: '1',
      maxPossibleInvestment: '1',
    }
    expect(await answered(venue, 'fixedPlans')).toEqual([usdt, btc])
    expect(await answered(venue, 'fixedPlans', { ticker: 'BTC' })).toEqual([btc])
    for (const ticker of ['NONE', '', 7]) await refusesKeys(venue, 'fixedPlans', { ticker }, ['ticker'])
  }),
  beyond(
    'fixed',
    'a plan that takes no more money is listed as inactive',
    async (venue) => {
      expect(await answered(venue, 'fixedPlans')).toMatchObject([{ status: 3, maxPossibleInvestment: '0' }])
    },
    {
      world: {
        fixedPlans: [
          {
            id: fixedUsdt,
            ticker: 'USDT',
            minInvestment: '1',
            maxInvestment: '2',
            rate: '0.1',
            days: '2',
            open: 'false',
          },
        ],
      },
    },
  ),
  beyond('fixed', 'an investment is listed with what it was paid and when it is paid next', async (venue) => {
    const { id } = await done(venue.paper.fixedInvest({ planId: fixedUsdt, amount: '1000' }))
    const [plan] = await done(venue.paper.fixedPlans({ ticker: 'USDT' }))
    const fresh = {
      id,
      plan,
      status: 1,
      created: 1_790_000_000,
      updated: 1_790_000_000,
      paymentTime: 1_790_086_400,
      amount: '1000',
      interestPaid: '0',
    }
    expect(await answered(venue, 'fixedInvestments')).toEqual({ offset: 0, limit: 100, records: [fresh] })
    venue.advance(2 * dayMs)
    const paid = { updated: 1_790_172_800, paymentTime: 1_790_259_200, interestPaid: '0.5479452' }
    expect(kept(await answered(venue, 'fixedInvestments', { id }))).toEqual([{ ...fresh, ...paid }])
  }),
  beyond('fixed', 'an investment that was closed, or came to its end, is listed as closed', async (venue) => {
    const early = await done(venue.paper.fixedInvest({ planId: fixedUsdt, amount: '1000' }))
    venue.advance(1000)
    await done(venue.paper.fixedClose({ id: early.id }))
    const whole = await done(venue.paper.fixedInvest({ planId: fixedUsdt, amount: '10' }))
    const other = await done(venue.paper.fixedInvest({ planId: fixedBtc, amount: '0.5' }))
    venue.advance(30 * dayMs)
    const ids = async (about: object) =>
      kept(await answered(venue, 'fixedInvestments', about)).map(({ id }) => id)
    expect(await ids({})).toEqual([other.id, whole.id, early.id])
    expect(await ids({ status: '2' })).toEqual([whole.id, early.id])
    expect(await ids({ status: 1 })).toEqual([other.id])
    expect(await ids({ ticker: 'USDT', limit: 1, offset: 1 })).toEqual([early.id])
    const [closed] = kept(await answered(venue, 'fixedInvestments', { id: early.id }))
    expect(closed).toMatchObject({ status: 2, updated: 1_790_000_001, paymentTime: 1_790_000_001 })
    const [ended] = kept(await answered(venue, 'fixedInvestments', { id: whole.id }))
    expect(ended).toMatchObject({ status: 2, updated: 1_792_592_001, interestPaid: '0.0821916' })
  }),
  beyond(
    'fixed',
    'nobody is in a plan twice, and what a plan does not take has its own code',
    async (venue) => {
      const refuses = (planId: string, amount: string, code: number) =>
        refusedBy(venue, 'fixedInvest', { planId, amount }, { code, key: 'amount' })
      const { id } = await done(venue.paper.fixedInvest({ planId: fixedUsdt, amount: '1000' }))
      await refuses(fixedUsdt, '1000', 1)
      await refuses(fixedBtc, '0.0000001', 2)
      await refuses(fixedBtc, '1000000', 3)
      await done(venue.paper.fixedClose({ id }))
      await done(venue.paper.fixedInvest({ planId: fixedUsdt, amount: '1000' }))
    },
  ),
  beyond('flex', 'a balance that does not suffice is told of the amount', async (venue) => {
    await done(venue.paper.flexInvest({ plan: flexUsdt, amount: '100' }))
    const drained = { ticker: 'USDT', amount: '99895', from: 'main', to: 'spot' } as const
    await done(venue.paper.transfer(drained))
    const invest = { plan: flexUsdt, amount: '10' }
    const text = await refusedBy(venue, 'flexInvest', invest, { code: 4, key: 'amount' })
    expect(text).toBe('Available 5 < 10')
  }),
  beyond('fixed', 'the list refuses filters that name nothing, and shows nobody else', async (venue) => {
    await done(venue.paper.fixedInvest({ planId: fixedUsdt, amount: '1000' }))
    for (const [about, key] of [
      [{ id: nowhere }, 'id'],
      [{ ticker: 'NONE' }, 'ticker'],
      [{ status: 3 }, 'status'],
      [{ limit: 101 }, 'limit'],
      [{ offset: 10_001 }, 'offset'],
    ] as const) {
      await refusesKeys(venue, 'fixedInvestments', about, [key])
    }
  }),
]
