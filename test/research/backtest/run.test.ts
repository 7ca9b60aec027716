import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { partsOf } from '#src/research/backtest/result/figures.ts'
import type { BacktestInput } from '#src/research/backtest/result/result.ts'
import { runSimulation, runBacktest } from '#src/research/backtest/run-backtest.ts'
import { openSimulation } from '#src/research/backtest/simulation.ts'
import { loadMarket, sharedMarket } from '#src/market/data/load/load-market.ts'
import { readMarket } from '#src/market/data/read-market.ts'
import { times } from '#test/properties/runs.ts'
import { madeBars, madeTrades, monday, tradesAt } from '#test/research/backtest/market/generated-market.ts'

const grid = { path: '01-static-grid.yaml', text: readFileSync('strategies/01-static-grid.yaml', 'utf8') }
const day = { seed: 1, minutes: 1440, price: 60_000, pace: 0.002 }

function input(more: Partial<BacktestInput> = {}): BacktestInput {
  const markets = new Map([['BTC_USDT', madeBars(day)]])
  return { strategies: [grid], markets, latencyMs: 50, fill: 'through', seed: 'a', ...more }
}

/** What takes a second is done once for all tests that read it. */
function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined
  return () => (made ??= make())
}

describe('a grid in a market of one day', () => {
  const usual = once(() => runBacktest(input()))
  /** Long enough for what a file says of its warm-up. */
  const short = { to: monday + 6 * 3_600_000 }

  test('trades, and its figures add up', async () => {
    const { summary, fills, rungs, rules } = await usual()
    expect(summary.fills).toBeGreaterThan(5)
    expect(fills).toHaveLength(summary.fills)
    expect(summary.events).toBe(1440 * 4)
    const sum = (of: (fill: (typeof fills)[number]) => string) =>
      fills.reduce((total, fill) => total + Number(of(fill)), 0)
    expect(Number(summary.fees)).toBeCloseTo(
      sum(({ fee }) => fee),
      9,
    )
    expect(rungs.reduce((total, rung) => total + rung.fills, 0)).toBe(fills.length)
    expect(rules.find(({ rule }) => rule === 'place')).toMatchObject({ strategy: 'sgrid', fired: 1 })
    const bought = fills.filter(({ side }) => side === 'buy')
    for (const { price, maker } of bought) expect([Number(price) % 500, maker]).toEqual([0, true])
  })

  test('has the market and the account over the whole period', async () => {
    const { candles, equity, summary } = await usual()
    expect([candles.length, equity.at.length]).toEqual([1440, 1440])
    expect(candles[0]?.at).toBe(summary.from)
    expect(equity.at.at(-1)).toBe(summary.to)
  })

  test('is deterministic', async () => {
    expect(JSON.stringify(await runBacktest(input()))).toBe(JSON.stringify(await usual()))
  })

  test('reports the end of the warm-up', async () => {
    const text = grid.text.replace('price < 54000 ||', 'price < 0.5 * sma(px, 90) ||')
    const { assumptions } = await runBacktest(input({ ...short, strategies: [{ path: 'x.yaml', text }] }))
    expect(assumptions.join(' ')).toContain(
      '90 candles of 1m (px), which are complete at 2026-01-05T01:30:00.000Z',
    )
  })

  test('a mean of changes needs one candle more than its length', async () => {
    for (const indicator of ['atr(px, 90)', 'rsi(px, 90)']) {
      const text = grid.text.replace('price < 54000 ||', `${indicator} < -1 ||`)
      const { assumptions } = await runBacktest(input({ ...short, strategies: [{ path: 'x.yaml', text }] }))
      expect(assumptions.join(' ')).toContain(
        '91 candles of 1m (px), which are complete at 2026-01-05T01:31:00.000Z',
      )
    }
  })

  test('the warm-up includes the candles that a condition looks back, of its own feeds only', async () => {
    for (const [condition, told] of [
      ['rises: { of: "sma(px, 20)", candles: 5 }', '25 candles of 1m (px)'],
      ['rises: { of: "last(px)", candles: 5 }', '6 candles of 1m (px)'],
      ['crosses_above: ["sma(px, 20)", 60000]', '21 candles of 1m (px)'],
      ['rises: { of: "last(px) - sma(ht, 3)", candles: 5 }', '4 candles of 1h (ht)'],
    ] as const) {
      const text = grid.text
        .replace('feeds:', 'feeds:\n  ht: { source: candles, market: btc, interval: 1h }')
        .replace('rules:', `rules:\n  - { id: back, when: { ${condition} }, do: [alert: up] }`)
      const { assumptions } = await runBacktest(input({ ...short, strategies: [{ path: 'x.yaml', text }] }))
      expect(assumptions.join(' ')).toContain(`reads up to ${told}`)
      if (!condition.includes('ht')) expect(assumptions.join(' ')).not.toContain('(ht)')
    }
  })

  test('sells the fills of one trade in one bulk', async () => {
    const trades = Array.from({ length: 20 }, (_, index) => ({
      at: monday + index * 10_000,
      price: index < 15 ? 60_000 : 58_400,
    }))
    const stage = await openSimulation(input({ markets: new Map([['BTC_USDT', tradesAt(trades)]]) }))
    const exits: string[][] = []
    const append: typeof stage.journal.append = (_, { commands }) => {
      for (const command of commands)
        if (command.kind === 'submit' && command.priority === 'exits')
          exits.push(command.orders.map(({ level }) => level).toSorted())
    }
    await runSimulation({ ...stage, journal: { ...stage.journal, append } })
    expect(exits).toEqual([['mb1', 'mb2', 'mb3']])
  })

  test('halts after a liquidation, and does not sell the lost position', async () => {
    const text = grid.text
      .replace('max_loss: 350', 'max_loss: 30000')
      .replace('pause: 6%, halt: 10%', 'pause: 90%, halt: 95%')
    const wild = { ...day, minutes: 720, drift: 0.002 }
    const stage = await openSimulation(
      input({
        strategies: [{ path: 'x.yaml', text }],
        markets: new Map([['BTC_USDT', madeBars(wild)]]),
        balance: '1200',
      }),
    )
    const result = await runSimulation(stage)
    const { summary, held } = result
    // The liquidated position is gone, and its cost is reported.
    const owner = stage.exchange.state.accounts.get('paper')
    const lots = owner?.collateral.open.reduce((sum, exposure) => sum + exposure.lots, 0) ?? 0
    expect(held.map(({ amount }) => amount)).toEqual(lots === 0 ? [] : [String(lots / 1e6)])
    expect(Number(partsOf(result).liquidated)).toBeLessThan(0)
    expect(summary.liquidations).toBeGreaterThan(0)
    expect(stage.engine.state.strategies['sgrid']?.halted).toMatch(/others closed/)
  })

  test('gives the same result with a file in memory and a streamed one', async () => {
    const path = 'config/markets/BTC_USDT.csv'
    const to = monday + 36 * 3_600_000
    const [held, read] = [sharedMarket(loadMarket(path)), readMarket(path)]
    const [one, other] = [
      await runBacktest(input({ to, markets: new Map([['BTC_USDT', held]]) })),
      await runBacktest(input({ to, markets: new Map([['BTC_USDT', read]]) })),
    ]
    expect(one.summary.fills).toBeGreaterThan(0)
    expect(JSON.stringify(other)).toBe(JSON.stringify(one))
  })

  test('respects its start and end, and reads earlier candles', async () => {
    const [from, to] = [monday + 6 * 3_600_000, monday + 12 * 3_600_000]
    const { summary, rules } = await runBacktest(input({ from, to }))
    expect([summary.from, summary.to]).toEqual([from, to])
    expect(summary.fills).toBeGreaterThan(0)
    // The last earlier candle proves at once that the price is within the range.
    expect(rules[0]?.first).toBe(from)
  })

  test('excludes its end in every figure', async () => {
    const to = monday + 12 * 3_600_000
    const { summary, equity } = await runBacktest(input({ to }))
    expect(summary.events).toBe(12 * 60 * 4)
    expect(equity.at.at(-1)).toBe(to)
    expect(equity.value.at(-1)).toBeCloseTo(Number(summary.endEquity), 9)
    expect(equity.position.at(-1)).not.toBe(0)
  })

  test('works with single trades and their amounts', async () => {
    const thin = { ...day, minutes: 600, amount: 0.0005 }
    const { summary, fills } = await runBacktest(
      input({ markets: new Map([['BTC_USDT', madeTrades(thin, 900)]]) }),
    )
    expect(summary.events).toBe(40_000)
    expect(fills.some(({ amount }) => Number(amount) === 0.0005)).toBe(true)
  })

  test('uses the given money and fees', async () => {
    const { summary } = await runBacktest(
      input({
        markets: new Map([['BTC_USDT', madeBars({ ...day, minutes: times(1440, 1440, 480) })]]),
        balance: '700',
        fees: { maker: '0', taker: '0.01' },
      }),
    )
    expect([summary.startEquity, summary.fees]).toEqual(['700', '0'])
  })
})

test.each([
  ['no market', { markets: new Map() }, /no market file for it/],
  ['a begin behind the end', { from: monday + 1e12 }, /no data to trade/],
  ['a balance that is none', { balance: '-1' }, /is not a balance/],
  ['fees of more than all', { fees: { maker: '2', taker: '2' } }, /is not a fee/],
  [
    'a volume that the file does not tell',
    {
      strategies: [
        { path: 'x.yaml', text: grid.text.replace('price: last(px)', 'price: last(px) + 0 * volume(px)') },
      ],
      markets: new Map([['BTC_USDT', madeBars({ ...day, amount: Infinity })]]),
    },
    /sgrid reads volume\(px\), and the file of BTC_USDT holds no amounts/,
  ],
  ['a strategy with a mistake', { strategies: [{ path: 'x.yaml', text: 'version: 1' }] }, /x\.yaml:1:1/],
])('%s is one clear error', async (_, more: Partial<BacktestInput>, message) => {
  await expect(runBacktest(input(more))).rejects.toThrow(message)
})
