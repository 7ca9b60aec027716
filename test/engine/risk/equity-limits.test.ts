import { expect, test } from 'vitest'
import { decimal } from '#src/core/money/decimal.ts'
import { blocks, changing, type Risk } from '#test/engine/support/gate-fixture.ts'
import { draftOf, strategy } from '#test/engine/support/working-state.ts'

const basics = { ladder: 'dip', level: '1', side: 'buy', role: 'entry', price: '990', amount: '1' } as const
const one = draftOf(basics)
const leaving = draftOf({ ...basics, level: 't1', side: 'sell', role: 'exit', price: '1010' })

const sized = (equity: string | null) =>
  changing((state) => {
    state.account = { at: state.at, equity, available: {}, freeze: {}, main: {} }
  })

test('a limit that is a share of the equity is rounded down, and an equity below zero allows nothing', () => {
  const half: Partial<Risk> = { max_notional: { long: { ofEquity: decimal('0.5') } } }
  expect(blocks(one, half, sized('1980'))).toBe('')
  expect(blocks(one, half, sized('1979.99999999'))).toBe(
    'max_notional long 989.99999999 would be 990.00 with this order; 0.01 less is within the limit',
  )
  const third: Partial<Risk> = { per_week: { ofEquity: decimal('0.333333333333333333') } }
  expect(blocks(one, third, sized('1000'))).toContain('per_week 333.33333333 would be 990.00')
  expect(blocks(one, half, sized('-5'))).toContain('max_notional long 0 would be 990.00')
})

test('entries wait while the equity is unknown, and exits do not', () => {
  const worst = { ...strategy.risk.worst_case, max_loss: { ofEquity: decimal('0.5') } }
  for (const [risk, name] of [
    [{ max_notional: { total: { ofEquity: decimal('0.5') } } }, 'max_notional total'],
    [{ worst_case: worst }, 'worst_case max_loss'],
    [{ daily_loss: { ofEquity: decimal('0.5') } }, 'daily_loss'],
  ] satisfies [Partial<Risk>, string][]) {
    expect(blocks(one, risk, sized(null))).toBe(
      `${name} is a share of the equity of the account, which is unknown; the next reading of the account resolves it`,
    )
    expect(blocks(leaving, risk, sized(null))).toBe('')
  }
})
