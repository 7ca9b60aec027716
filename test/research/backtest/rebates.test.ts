import { describe, expect, test } from 'vitest'
import { partsOf } from '#src/research/backtest/result/figures.ts'
import { readResultLines, resultLines } from '#src/research/backtest/result/result-file.ts'
import type { BacktestInput } from '#src/research/backtest/result/result.ts'
import { runBacktest } from '#src/research/backtest/run-backtest.ts'
import { feesOf } from '#src/cli/backtest/backtest-flags.ts'
import { backtestText } from '#src/cli/backtest/backtest-text.ts'
import { monday, tradesAt } from '#test/research/backtest/market/generated-market.ts'
import { oneOrder } from '#test/research/backtest/jump/one-order.ts'

/** Five minutes at 60000, 59000 and 61000: a buy at 59700 fills, and a profit of 1 % is reached. */
function input(more: Partial<BacktestInput> & { exit?: string } = {}): BacktestInput {
  const { exit, ...rest } = more
  const trades = Array.from({ length: 15 }, (_, minute) => ({
    at: monday + minute * 60_000,
    price: minute < 5 ? 60_000 : minute < 10 ? 59_000 : 61_000,
  }))
  return {
    strategies: [{ path: 'held.yaml', text: oneOrder({ money: 600, ...(exit !== undefined && { exit }) }) }],
    markets: new Map([['', tradesAt(trades)]]),
    balance: '10000',
    fees: feesOf('-0.01%,0.05%'),
    latencyMs: 50,
    fill: 'through',
    seed: 'a',
    ...rest,
  }
}

describe('a rebate in --fees', () => {
  test('is paid to makers, and the result is exact', async () => {
    const result = await runBacktest(input({ exit: 'exit: { tp: { pct: 1% } }' }))
    const { summary, fills, rungs, assumptions } = result
    // Bought: 0.01 x 59700 = 597, with a rebate of 0.0001. Sold at the current price: 0.01 x 61000 = 610, with a fee of
    // 0.0005.
    expect(fills).toMatchObject([
      { side: 'buy', price: '59700', amount: '0.01', fee: '-0.0597', maker: true },
      { side: 'sell', price: '61000', amount: '0.01', fee: '0.305', maker: false },
    ])
    expect(summary).toMatchObject({
      fees: '0.2453',
      funding: '0',
      netProfit: '12.7547',
      endEquity: '10012.7547',
    })
    expect(rungs.map(({ id, fees, profit }) => [id, fees, profit])).toEqual([
      ['held.one.1', '-0.0597', '0'],
      ['held.one.t1', '0.305', '13'],
    ])
    expect(partsOf(result)).toMatchObject({ liquidated: '0' })
    expect(assumptions).toContain(
      'Makers receive a rebate of 0.0001 of the notional of a fill, takers pay 0.0005.',
    )
  })

  test('is in the text and in the lines of the result, which are read back unchanged', async () => {
    const result = await runBacktest(input())
    expect(result.summary).toMatchObject({ fees: '-0.0597', netProfit: '13.0597' })
    expect(backtestText(result, 1)).toMatch(
      /fees +-0\.06 +negative: rebates received, included in the profit/,
    )
    const text = [...resultLines(result, 1)].join('\n')
    expect(JSON.stringify(readResultLines('kept.json', text))).toContain('"fees":"-0.0597"')
  })

  test('counts as zero cost for min_edge, which still refuses an edge below the fees', async () => {
    const exit = 'exit: { tp: { pct: 0.1% } }\n    min_edge: 3 x fee'
    const orders = async (fees: string) =>
      (await runBacktest(input({ exit, fees: feesOf(fees) }))).summary.orders
    expect(await orders('-0.05%,0.05%')).toBeGreaterThan(0)
    expect(await orders('0.05%,0.05%')).toBe(0)
  })

  test.each(['-0.01%,0.05%', '-0.0001,0.0005'])('%s is a rebate for makers and a fee for takers', (text) => {
    expect(feesOf(text)).toEqual({ maker: '-0.0001', taker: '0.0005' })
  })

  test.each(['-100%', '-1,0', '--1%', '-0.1%,-x'])('%s is refused', (text) => {
    expect(() => feesOf(text)).toThrow(/fee/)
  })
})
