import { expect, test } from 'vitest'
import { assumptionsOf } from '#src/research/backtest/result/assumptions.ts'
import { runBacktest } from '#src/research/backtest/run-backtest.ts'
import { madeBars } from '#test/research/backtest/market/generated-market.ts'
import { gridWith } from '#test/strategy/strategy-files.ts'

test('the assumptions name fills, the path inside of bars and the latency', () => {
  const bars = {
    name: undefined,
    print: '',
    kind: 'bars' as const,
    barMs: 60_000,
    beginsAt: 0,
    blocks: () => [][Symbol.iterator](),
  }
  const all = { strategies: new Map(), funding: new Map(), from: 0, to: 1 }
  const said = assumptionsOf({
    ...all,
    fill: 'through',
    latencyMs: 50,
    markets: new Map([['BTC_USDT', bars]]),
  })
  expect(said.join(' ')).toMatch(
    /only when a trade is beyond its price.*Inside a bar the price moves in straight lines.*50 ms/,
  )
  expect(said.join(' ')).not.toContain('funding')
  const trades = assumptionsOf({
    ...all,
    fill: 'touch',
    latencyMs: 0,
    markets: new Map([['BTC_USDT', { ...bars, kind: 'trades' }]]),
  })
  expect(trades.join(' ')).not.toContain('Inside a bar')
})

test('a backtest whose ladder could not be placed names the reason', async () => {
  const text = gridWith(['total: 2100 quote', 'total: 20 quote'])
  const market = madeBars({ seed: 4, minutes: 30, price: 60_000, pace: 0.001 })
  const { summary, assumptions } = await runBacktest({
    strategies: [{ path: 'grid.yaml', text }],
    markets: new Map([['BTC_USDT', market]]),
    latencyMs: 50,
    fill: 'through',
    seed: 'a',
  })
  expect(summary.orders).toBe(0)
  expect(assumptions.at(-1)).toMatch(/^sgrid\.grid is not placed at the end: level b1 .* minimum/)
})

test('a backtest has no order book: it names what is unknown, and rules that do not read it act', async () => {
  const text = gridWith(
    ['needs: [', 'needs: [market_data, cancel, '],
    ['\nlet:', '  deep: { source: depth, market: btc, within: 0.1% }\n\nlet:'],
    ['rules:', 'rules:\n  - { id: heavy, when: imbalance(deep) > -2, do: [retire: grid] }'],
  )
  const { summary, assumptions } = await runBacktest({
    strategies: [{ path: 'grid.yaml', text: text.replace(/^tests:[^]*/m, '') }],
    markets: new Map([['BTC_USDT', madeBars({ seed: 4, minutes: 30, price: 60_000, pace: 0.001 })]]),
    latencyMs: 50,
    fill: 'through',
    seed: 'a',
  })
  expect(summary.orders).toBeGreaterThan(0)
  expect(assumptions).toContain(
    'sgrid: imbalance(deep) is unknown: market files have no order book, --depth FILE gives it.',
  )
})
