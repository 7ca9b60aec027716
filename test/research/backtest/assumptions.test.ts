import { expect, test } from 'vitest'
import { assumptionsOf } from '#src/research/backtest/result/assumptions.ts'

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
