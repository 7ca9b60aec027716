import { describe, expect, test } from 'vitest'
import type { BacktestInput } from '#src/research/backtest/result/result.ts'
import { runBacktest } from '#src/research/backtest/run-backtest.ts'
import { leverageOf } from '#src/cli/backtest/backtest-flags.ts'
import { monday, tradesAt } from '#test/research/backtest/market/generated-market.ts'
import { oneOrder } from '#test/research/backtest/jump/one-order.ts'

/** Buys for 4000 at 59700, with an account of 1000. */
const text = oneOrder({ money: 4000 })

function played(lowest: number, leverage?: number, file = text) {
  const trades = Array.from({ length: 15 }, (_, minute) => ({
    at: monday + minute * 60_000,
    price: minute < 5 ? 60_000 : minute < 10 ? 59_000 : lowest,
  }))
  const input: BacktestInput = {
    strategies: [{ path: 'held.yaml', text: file }],
    markets: new Map([['', tradesAt(trades)]]),
    balance: '1000',
    fees: { maker: '0', taker: '0' },
    latencyMs: 50,
    fill: 'through',
    seed: 'a',
    ...(leverage !== undefined && { leverage }),
  }
  return runBacktest(input)
}

describe('--leverage', () => {
  test.each([undefined, 1, 2, 3])(
    '%s: the venue refuses an order above the margin of the account',
    async (leverage) => {
      const { summary, rejected, assumptions } = await played(59_000, leverage)
      expect(summary.fills).toBe(0)
      expect(rejected).toMatchObject([{ reason: expect.stringMatching(/balance/i) }])
      expect(assumptions).toContain(
        `The leverage of the account is ${leverage ?? 1}. The venue refuses orders without margin and liquidates.`,
      )
    },
  )

  test.each([5, 10])(
    '%s: it fills, and is liquidated where its money is less than its maintenance',
    async (leverage) => {
      // 0.067 x 59700 = 3999.9. No liquidation while 1000 + 0.067 x price - 3999.9 >= 0.03 x 0.067 x price, which is
      // as long as the price is at least 46159.41.
      const stands = await played(46_160, leverage)
      expect(stands.fills).toMatchObject([{ price: '59700', amount: '0.067' }])
      expect(stands.summary).toMatchObject({ liquidations: 0, endEquity: '92.82' })
      const falls = await played(46_159, leverage)
      expect(falls.summary.liquidations).toBeGreaterThan(0)
      // What the venue has closed is in no round trip, so there is no mean of them.
      const none = { roundTrips: 0, winRate: null, profitFactor: null, expectancy: null }
      expect(falls.summary).toMatchObject(none)
    },
  )

  test('20: the maintenance margin is smaller, so the same fall causes no liquidation', async () => {
    // 2.5 % instead of 3 %.
    expect((await played(46_159, 20)).summary.liquidations).toBe(0)
  })

  test.each(['4', '0', '1.5', 'much', '-5'])('%s is not supported by the venue', (text) => {
    expect(() => leverageOf(text)).toThrow(/not a leverage of the venue/)
  })
})

test('the leverage of a file is that of the account, if no flag gives another one', async () => {
  const file = text.replace(/^name: .*$/m, (name) => `${name}\nleverage: 5`)
  const { summary, parameters } = await played(59_000, undefined, file)
  expect([summary.fills, parameters?.leverage]).toEqual([1, 5])
  const flagged = await played(59_000, 2, file)
  expect([flagged.summary.fills, flagged.parameters?.leverage]).toEqual([0, 2])
})
