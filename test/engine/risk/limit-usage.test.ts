import { expect, test } from 'vitest'
import { limitUsageOf } from '#src/engine/risk/limit-usage.ts'
import { decimal } from '#src/core/money/decimal.ts'
import { riskSchema } from '#src/strategy/schema/risk-schema.ts'
import { now, orderOf, stateAtWork, strategy } from '#test/engine/support/working-state.ts'

const day = 86_400_000
const full = {
  ...strategy,
  risk: {
    ...strategy.risk,
    max_notional: { long: decimal('1500'), short: decimal('400'), both: decimal('600') },
    max_position: { long: decimal('3') },
    groups: {
      all: { markets: ['long', 'both'], max_notional: decimal('2000'), net: decimal('1200') },
      one: { markets: ['both'], net: decimal('700') },
    },
    order_rate: { orders: 9, per: 60_000 },
    daily_loss: decimal('40'),
    per_week: decimal('5000'),
    max_flex_per_day: decimal('1000'),
  },
}

test('each limit of a file is listed with its usage', () => {
  const state = stateAtWork()
  const own = state.strategies['work']!
  const entry = { ladder: 'dip', level: '1', side: 'buy', role: 'entry', price: '990', amount: '1' } as const
  state.orders['work.dip.1.1'] = orderOf(entry, { status: 'doubtful' })
  own.sends = [
    { at: now - 60_000, orders: 5 },
    { at: now - 59_999, orders: 3 },
    { at: now, orders: 1 },
  ]
  own.spent = [
    { at: now - 7 * day, money: '70' },
    { at: now - 6 * day, money: '300.5' },
  ]
  own.invested = [
    { at: now - day, money: '11' },
    { at: now - 1, money: '200' },
  ]
  own.investing = { id: 'work.flex.1', at: now, ticker: 'USDT', money: '50', isDoubtful: true }
  own.worth = { result: '-20', peak: '30', day: 0, dayBegan: '-5' }
  const margins = limitUsageOf(state, full)
  expect(margins.map(({ limit, used, most }) => `${limit}: ${used} of ${most}`)).toEqual([
    'max_notional long: 990 of 1500',
    'max_notional short: 0 of 400',
    'max_notional both: 0 of 600',
    'max_position long: 1 of 3',
    'max_open_orders: 1 of 100',
    'order_rate: 4 of 9',
    'worst_case max_loss: 290 of 100000',
    'drawdown pause: 50 of 250',
    'drawdown halt: 50 of 500',
    'daily_loss: 15 of 40',
    'per_week: 1290.5 of 5000',
    'max_flex_per_day: 250 of 1000',
    'groups max_notional all: 990 of 2000',
    'groups net all: 990 of 1200',
    'groups net one: 0 of 700',
  ])
  // How far away an order may be, and how long there may be silence or doubt, is used up by nothing.
  const shown = margins.map(({ limit }) => limit.replace(/ .*/, ''))
  const others = ['price_band', 'in_doubt', 'deadman']
  expect(new Set([...shown, ...others])).toEqual(new Set(Object.keys(riskSchema.shape)))
})

test('a share is listed as money of its equity: of now, of the day, or of the highest day', () => {
  const state = stateAtWork()
  const own = state.strategies['work']!
  const share = { ofEquity: decimal('0.1') }
  const { worst_case: worst } = strategy.risk
  const risk = { ...strategy.risk, max_notional: { total: share }, worst_case: { ...worst, max_loss: share } }
  const shares = {
    ...strategy,
    risk: { ...risk, daily_loss: share, per_week: share, max_flex_per_day: share },
  }
  const most = () =>
    limitUsageOf(state, shares).flatMap(({ limit, measures, most }) =>
      measures === 'money' ? [`${limit}: ${most}`] : [],
    )
  const names = ['worst_case max_loss', 'drawdown pause', 'drawdown halt', 'daily_loss', 'per_week']
  const values = (...all: (string | null)[]) =>
    ['max_notional total', ...names, 'max_flex_per_day'].map((name, index) => `${name}: ${all[index]}`)
  expect(most()).toEqual(values(null, null, null, null, null, null, null))
  state.account = { at: now, equity: '9000', available: {}, freeze: {}, main: {} }
  own.worth.equity = { day: '10000', peak: '12000' }
  expect(most()).toEqual(values('900', '900', '120', '240', '1000', '900', '900'))
})
