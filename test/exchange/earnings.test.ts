import fc from 'fast-check'
import { expect, test } from 'vitest'
import { actionTypes } from '#src/venues/whitebit/contract/account/flex-investments.ts'
import type { Endpoint } from '#src/venues/whitebit/contract/endpoint.ts'
import { contract } from '#src/venues/whitebit/contract/endpoint-table.ts'
import { runs } from '../properties/runs.ts'
import { canonical } from './state-text.ts'
import { openVenue, type TestExchange } from './exchange-fixture.ts'

const dayMs = 86_400_000
const flexPlan = '22222222-2222-4222-8222-000000000001'
const fixedPlan = '33333333-3333-4333-8333-000000000001'

const mainUsdt = (venue: TestExchange) =>
  venue.ask(contract.mainBalance, 'paper', { ticker: 'USDT' })['USDT']?.main_balance
const flexOf = (venue: TestExchange) => venue.ask(contract.flexInvestments, 'paper').data[0]
const historyOf = (venue: TestExchange) => venue.ask(contract.flexHistory, 'paper').data

test('a flexible investment pays interest once a day to the main balance, cut to eight decimals', () => {
  const venue = openVenue()
  venue.ask(contract.flexInvest, 'paper', { plan: flexPlan, amount: '1000' })
  venue.pass(dayMs - 1)
  expect(mainUsdt(venue)).toBe('99000')
  venue.pass(1)
  // 1000 x 0.12 / 365
  expect(mainUsdt(venue)).toBe('99000.32876712')
  expect(historyOf(venue).map(({ actionType, amount }) => [actionType, amount])).toEqual([
    [actionTypes.dailyEarning, '0.32876712'],
    [actionTypes.open, '1000'],
  ])
})

test('with reinvestment the interest joins the investment and earns from the next day on', () => {
  const venue = openVenue()
  venue.ask(contract.flexInvest, 'paper', { plan: flexPlan, amount: '10000', withReinvest: true })
  venue.pass(2 * dayMs)
  expect(mainUsdt(venue)).toBe('90000')
  // 10000, then 3.28767123 more, then 10003.28767123 x 0.12 / 365 cut
  expect(flexOf(venue)).toMatchObject({ invested: '10006.57642334', withAutoReinvest: true })
  expect(historyOf(venue)[0]).toMatchObject({ actionType: actionTypes.reinvest, amount: '3.28875211' })
})

test('money earns for the time in which it is invested, whatever the moment of the payment', () => {
  const venue = openVenue({ profile: 'full' })
  // Profile full answers 201.
  const write = (row: Endpoint, amount: string) =>
    expect(venue.send(row, 'paper', { plan: flexPlan, amount }).status).toBe(201)
  write(contract.flexInvest, '1000')
  venue.pass(dayMs - 8000)
  write(contract.flexInvest, '9000')
  venue.pass(8000)
  // 1000 x 0.12 / 365 for the day, and 9000 x 0.12 / 365 for 8 of its 86 400 seconds
  expect(historyOf(venue)[0]).toMatchObject({ amount: '0.32904109' })
  write(contract.flexWithdraw, '9000')
  venue.pass(dayMs / 2)
  write(contract.flexInvest, '1000')
  venue.pass(dayMs / 2)
  // 1500 on average
  expect(historyOf(venue)[0]).toMatchObject({ amount: '0.49315068' })
})

test('a fixed-term investment pays each day of its term, and the principal with the last payment', () => {
  const venue = openVenue()
  const { id } = venue.ask(contract.fixedInvest, 'paper', { planId: fixedPlan, amount: '1000' })
  venue.pass(29 * dayMs)
  expect(mainUsdt(venue)).toBe('99007.9452054')
  venue.pass(dayMs)
  expect(mainUsdt(venue)).toBe('100008.219178')
  venue.pass(400 * dayMs)
  expect(venue.ask(contract.fixedInterest, 'paper').records).toHaveLength(30)
  expect(venue.refused(contract.fixedClose, 'paper', { id })).toMatchObject({
    code: 0,
    errors: { id: [expect.any(String)] },
  })
})

test('closed early it returns the principal, keeps the paid interest and pays nothing for the running day', () => {
  const venue = openVenue()
  const { id } = venue.ask(contract.fixedInvest, 'paper', { planId: fixedPlan, amount: '1000' })
  venue.pass(2 * dayMs - 1)
  venue.ask(contract.fixedClose, 'paper', { id })
  venue.pass(10 * dayMs)
  expect(mainUsdt(venue)).toBe('100000.2739726')
  expect(venue.ask(contract.fixedInterest, 'paper').records).toMatchObject([
    { investmentId: id, amount: '0.2739726' },
  ])
})

test('payments have the time at which they fell due, however late the request is', () => {
  const venue = openVenue()
  venue.ask(contract.fixedInvest, 'paper', { planId: fixedPlan, amount: '1000' })
  const began = venue.now()
  venue.pass(3 * dayMs + 12_345)
  const times = venue
    .ask(contract.fixedInterest, 'paper')
    .records.map(({ timestamp }) => timestamp * 1000 - began)
  expect(times).toEqual([3 * dayMs, 2 * dayMs, dayMs])
})

test('interest depends on the time alone: many requests or one give the same state', () => {
  const waits = fc.array(fc.integer({ min: 1, max: 5 * dayMs }), { minLength: 1, maxLength: 12 })
  fc.assert(
    fc.property(waits, fc.boolean(), (waits, reinvest) => {
      const [often, once] = [true, false].map((asking) => {
        const venue = openVenue()
        venue.ask(contract.flexInvest, 'paper', { plan: flexPlan, amount: '1234.5', withReinvest: reinvest })
        venue.pass(1000)
        venue.ask(contract.fixedInvest, 'paper', { planId: fixedPlan, amount: '77.7' })
        for (const ms of waits) {
          venue.pass(ms)
          if (asking) venue.exchange.advance(venue.now())
        }
        venue.exchange.advance(venue.now())
        return canonical(venue.exchange.state)
      })
      expect(often).toBe(once)
    }),
    runs(100, 3000),
  )
})
