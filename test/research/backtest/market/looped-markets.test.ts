import { expect, test } from 'vitest'
import type { BacktestInput } from '#src/research/backtest/result/result.ts'
import { runSimulation } from '#src/research/backtest/run-backtest.ts'
import { openSimulation } from '#src/research/backtest/simulation.ts'
import { openStageOverHttp } from '#test/research/backtest/jump/over-http.ts'
import { played } from '#test/research/backtest/jump/step-everywhere.ts'
import { madeBars, monday } from './generated-market.ts'

const prices = { btc: 60_000, eth: 2500, sol: 150 } as const
const names = ['btc', 'eth', 'sol'] as const

const loop = `for_each:
  m: { markets: [BTC_PERP, ETH_PERP, SOL_PERP] }`
const feed = 'px_$m: { source: candles, market: $m, interval: 1m }'
const ladder = `dip_$m:
    market: $m
    side: buy
    anchor: last(px_$m)
    rebase: { drift: 0.1%, min_gap: 1m }
    levels: 3
    spacing: { kind: geometric, first: 0.05%, step: 0.1% }
    size: { total: 600 quote }
    exit: { tp: { from: avg_entry, pct: 0.15% } }`
const rule = '{ id: place_$m, when: last(px_$m) > 0, do: [ensure: dip_$m] }'
const each = (text: string, indent: string) =>
  names.map((name) => `${indent}${text.replaceAll('$m', name)}`).join('\n')
const fileOf = (head: string, [feeds, ladders, rules]: readonly [string, string, string]) => `version: 1
name: many
needs: [bulk, history, balance, cancel]
${head}
feeds:
${feeds}
ladder:
${ladders}
rules:
${rules}
risk:
  max_notional: { total: 3000 }
  worst_case: { move: -30%, max_loss: 3000 }
  drawdown: { pause: 50%, halt: 50% }
`
const looped = fileOf(loop, [`  ${feed}`, `  ${ladder}`, `  - ${rule}`])
const byHand = fileOf('markets: { btc: BTC_PERP, eth: ETH_PERP, sol: SOL_PERP }', [
  each(feed, '  '),
  each(ladder, '  '),
  each(rule, '  - '),
])
const oneActive = looped.replace(
  'SOL_PERP] }',
  "SOL_PERP], active: 1, rank: 'atr(px_$m, 5) / last(px_$m)', when: 'sum(volume(px_$m), 3) > 1' }",
)

function inputOf(text: string): BacktestInput {
  const walk = { minutes: 45, pace: 0.002, from: monday }
  const market = (seed: number, price: number, digits: number) => madeBars({ ...walk, seed, price, digits })
  return {
    strategies: [{ path: 'many.yaml', text }],
    markets: new Map([
      ['BTC_PERP', market(1, prices.btc, 1)],
      ['ETH_PERP', market(2, prices.eth, 2)],
      ['SOL_PERP', market(3, prices.sol, 2)],
    ]),
    from: monday + 600_000,
    latencyMs: 50,
    fill: 'through',
    seed: 'a',
    balance: '10000',
  }
}

test('the orders and their ids are those of the file written by hand', async () => {
  const [one, other] = [await played(inputOf(looped)), await played(inputOf(byHand))]
  expect(one.sent.length).toBeGreaterThan(20)
  expect(one.sent).toEqual(other.sent)
  expect(one.result.fills).toEqual(other.result.fills)
})

test('never more markets have a position than may be active, and the active market changes', async () => {
  const { result } = await played(inputOf(oneActive))
  const held = new Map<string, number>()
  const traded = new Set<string>()
  for (const { market, side, amount } of result.fills) {
    held.set(market, (held.get(market) ?? 0) + (side === 'buy' ? 1 : -1) * Number(amount))
    traded.add(market)
    expect([...held.values()].filter((position) => Math.abs(position) > 1e-9).length).toBeLessThanOrEqual(1)
  }
  expect(traded.size).toBeGreaterThan(1)
})

test('a bot on paper over HTTP sends the same orders', async () => {
  const input = inputOf(oneActive)
  const past = await runSimulation(await openSimulation(input))
  const { stage, close } = await openStageOverHttp(input)
  try {
    const paper = await runSimulation(stage)
    expect(past.fills.length).toBeGreaterThan(0)
    expect(JSON.stringify(paper.fills)).toBe(JSON.stringify(past.fills))
  } finally {
    await close()
  }
})
