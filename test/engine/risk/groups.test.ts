import { expect, test } from 'vitest'
import { decimal } from '#src/core/money/decimal.ts'
import { approveOrders } from '#src/engine/risk/risk-gate.ts'
import { draftOf, orderOf, stateAtWork, strategy } from '#test/engine/support/working-state.ts'

const grouped = (limit: { max_notional?: string; net?: string }) => ({
  ...strategy,
  risk: {
    ...strategy.risk,
    groups: {
      majors: {
        markets: ['long', 'both'],
        max_notional: limit.max_notional === undefined ? undefined : decimal(limit.max_notional),
        net: limit.net === undefined ? undefined : decimal(limit.net),
      },
    },
  },
})
const buy = (ladder: 'dip' | 'grid', amount: string) =>
  ({
    ladder,
    level: ladder === 'grid' ? 'b1' : '1',
    side: 'buy',
    role: 'entry',
    price: '1000',
    amount,
  }) as const
const sell = { ladder: 'grid', level: 's1', side: 'sell', role: 'entry', price: '1000', amount: '1' } as const
const short = { ladder: 'top', level: '1', side: 'sell', role: 'entry', price: '1000', amount: '9' } as const

function blocked(limit: { max_notional?: string; net?: string }, drafts: Parameters<typeof draftOf>[0][]) {
  const state = stateAtWork()
  const open = orderOf(buy('dip', '1'), { status: 'resting' })
  state.orders[open.id] = open
  const { approved, blocked } = approveOrders(
    state,
    grouped(limit),
    drafts.map((each) => draftOf(each)),
  )
  return [approved.length, ...blocked.map(({ words }) => words().why)]
}

test('markets of a group share their maximum notional', () => {
  const why = 'groups max_notional majors 1500 would be 1600.00 with this order'
  expect(blocked({ max_notional: '1500' }, [buy('grid', '0.6')])).toEqual([0, why])
  expect(blocked({ max_notional: '1500' }, [buy('grid', '0.5')])).toEqual([1])
})

test('a market outside of the group does not count, and is not limited', () => {
  expect(blocked({ max_notional: '1000' }, [short])).toEqual([1])
})

test('the net of a group is the difference between its long and its short notional', () => {
  const why = 'groups net majors 1500 would be 1600.00 with this order'
  expect(blocked({ net: '1500' }, [buy('grid', '0.6')])).toEqual([0, why])
  expect(blocked({ net: '1500' }, [sell])).toEqual([1])
})
