import { expect, test } from 'vitest'
import { Decimal } from '#src/core/money/decimal.ts'
import type { BacktestInput } from '#src/research/backtest/result/result.ts'
import { played } from '#test/research/backtest/jump/step-everywhere.ts'
import { madeTrades, monday } from './generated-market.ts'

const minutes = 120
const hedges = ['sell', 'buy'].map((side) => {
  const [price, gap] = side === 'sell' ? ['bid(p) * 0.999', 'gap'] : ['ask(p) * 1.001', '-gap']
  return (
    `  ${side}: { market: perp, side: ${side}, anchor: ${price}, levels: 1, spacing: { kind: offsets, at: [0%] }, ` +
    `rebase: { on_fill: true, drift: 0.1%, min_gap: 2s }, size: { total: ${gap} base } }\n`
  )
})

function inputOf(grid: string, hedged: boolean): BacktestInput {
  const text = `version: 1
name: legs
needs: [bulk, history, balance, cancel]
markets: { spot: BTC_USDT, perp: BTC_PERP }
feeds:
  s: { source: candles, market: spot, interval: 1m }
  p: { source: book, market: perp }
let:
  gap: position(spot) + position(perp)
ladder:
  grid: ${grid}
${hedged ? hedges.join('') : ''}rules:
  - { id: run, when: last(s) > 0, do: [ensure: grid${hedged ? ', ensure: sell, ensure: buy' : ''}] }
risk:
  max_notional: { total: 30000 }
  max_open_orders: 40
  worst_case: { move: 20%, max_loss: 20000 }
  drawdown: { pause: 50%, halt: 70% }
`
  const walk = {
    minutes: minutes + 10,
    price: 60_000,
    digits: 2,
    pace: 0.0012,
    amount: 0.02,
    from: monday - 600_000,
  }
  return {
    strategies: [{ path: 'legs.yaml', text }],
    markets: new Map([
      ['BTC_USDT', madeTrades({ ...walk, seed: 3 }, 700)],
      ['BTC_PERP', madeTrades({ ...walk, seed: 3, digits: 1 }, 700)],
    ]),
    from: monday,
    latencyMs: 50,
    fill: 'queue',
    seed: 'a',
    balance: '50000',
  }
}

const grid = (size: string, exit: string, first = '0.02%') =>
  '{ market: spot, side: buy, anchor: last(s) at episode_start, levels: 8, ' +
  `spacing: { kind: arithmetic, first: ${first}, step: 0.3% }, size: { ${size} }, exit: { ${exit} } }`

test('a hedge follows every fill of a grid within a second, in parts and in both directions', async () => {
  const { result } = await played(inputOf(grid('total: 9000 quote', 'mirror: 1'), true))
  const fills = result.fills.map(({ at, market, side, amount }) => {
    return { at, market, amount: new Decimal(amount).times(side === 'buy' ? 1 : -1) }
  })
  const sides = new Set(result.fills.map(({ market, side }) => `${market} ${side}`))
  expect(sides.size).toBe(4)
  expect(fills.length).toBeGreaterThan(50)
  // Below the smallest order of the perpetual.
  const least = 0.001
  let apart = 0
  for (const { at } of fills) {
    const sum = fills.reduce(
      (all, fill) => (fill.at <= at + 1000 ? all.plus(fill.amount) : all),
      new Decimal(0),
    )
    // Another fill of the grid may be younger than a second.
    const isYoung = fills.some((fill) => fill.market === 'BTC_USDT' && fill.at > at && fill.at <= at + 1000)
    if (!isYoung) apart = Math.max(apart, sum.abs().toNumber())
  }
  expect(apart).toBeLessThan(least)
})

test('mirrors that earn coins leave no less money than their rungs have cost', async () => {
  const { result } = await played(inputOf(grid('total: 9000 quote', 'mirror: 1, earn: base', '0.3%'), false))
  /** By rung, the money and the coins when each of its mirrors had filled. */
  const closed: { money: number; coins: number }[] = []
  const rounds = new Map<string, { money: Decimal; coins: Decimal; isSold: boolean }>()
  for (const { level, side, amount, price, fee } of result.fills) {
    const rung = /\d+/.exec(level)?.[0] ?? ''
    const before = rounds.get(rung) ?? { money: new Decimal(0), coins: new Decimal(0), isSold: false }
    if (side === 'buy' && before.isSold)
      closed.push({ money: before.money.toNumber(), coins: before.coins.toNumber() })
    const sign = side === 'sell' ? 1 : -1
    rounds.set(rung, {
      money: before.money.plus(new Decimal(amount).times(price).times(sign)).minus(fee),
      coins: before.coins.minus(new Decimal(amount).times(sign)),
      isSold: side === 'sell',
    })
  }
  expect(closed.length).toBeGreaterThan(3)
  for (const { money, coins } of closed) {
    expect(money).toBeGreaterThanOrEqual(0)
    expect(coins).toBeGreaterThan(0)
  }
})
