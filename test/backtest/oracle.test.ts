import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { BacktestInput } from '#src/backtest/result.ts'
import { runBacktest } from '#src/backtest/run.ts'
import type { PastMarket } from '#src/market/past-market.ts'
import { runs } from '#test/properties/runs.ts'
import { chanceOf, monday } from './made-market.ts'
import { average, grid, type Outcome, type Point } from './naive-trader.ts'

const priceDigits = 2
const minuteMs = 60_000
const latencyMs = 50

type Course = { seed: number; price: number; jump: number; most: number }

/** Trades some seconds apart, the price still for the first minute, each of up to so many lots. */
function courseOf({ seed, price, jump, most }: Course, minutes: number): Point[] {
  const chance = chanceOf(seed)
  const points: Point[] = []
  let ticks = price
  for (let at = monday; at < monday + minutes * minuteMs; at += 1000 + Math.floor(chance() * 4000)) {
    if (at > monday + minuteMs) ticks = Math.max(1, Math.round(ticks * (1 + (chance() - 0.5) * jump)))
    points.push({ at, ticks: BigInt(ticks), lots: BigInt(1 + Math.floor(chance() * most)) })
  }
  return points
}

function marketOf(points: readonly Point[], amountDigits: number): PastMarket {
  const [at, units, amounts] = [
    points.map((point) => point.at),
    points.map(({ ticks }) => Number(ticks) * 10 ** (9 - priceDigits)),
    points.map(({ lots }) => Number(lots) * 10 ** (9 - amountDigits)),
  ].map((column) => Float64Array.from(column))
  if (!at || !units || !amounts) throw new Error('three columns')
  const [low, high] = [Math.min(...units), Math.max(...units)]
  const count = points.length
  const quiet = { gaps: 0, gapPlaces: [], duplicates: 0, notes: [] }
  return {
    name: undefined,
    print: 'made by chance',
    kind: 'trades',
    barMs: undefined,
    beginsAt: monday,
    seen: { rows: count, points: count, endsAt: at[count - 1] ?? monday, low, high, ...quiet },
    blocks: () => [{ count, at, units, amounts, low, high }].values(),
  }
}

const gridText = `
version: 1
name: og
needs: [bulk, history, balance]
markets: { btc: { symbol: BTC_USDT } }
feeds: { px: { source: candles, market: btc, interval: 1m, stale_after: 90s } }
ladder:
  grid:
    market: btc
    side: both
    anchor: 60000
    levels: 13
    spacing: { kind: range, from: 57000, to: 63000 }
    size: { total: 1200 quote }
    exit: { mirror: 1 }
rules:
  - { id: place, when: last(px) > 0, do: [ensure: grid] }
risk:
  max_notional: { total: 100000 }
  max_open_orders: 60
  worst_case: { move: -50%, max_loss: 100000 }
  drawdown: { pause: 90%, halt: 95% }
  in_doubt: { block: level, halt_after: 60s }
submit:
  chunk: 20
  order: nearest_first
  stopOnFail: false
  on_reject: skip_level
  throttled: { max: 5, backoff: 250ms..8s }
  rate: { requests: 8, per: 1s }
`

const averageText = `
version: 1
name: oa
needs: [bulk, history, balance]
markets: { sol: { symbol: SOL_USDT } }
feeds: { px: { source: candles, market: sol, interval: 1m, stale_after: 90s } }
let: { price: last(px) }
ladder:
  deep:
    market: sol
    side: buy
    anchor: price at episode_start
    rebase: on_flat
    levels: 6
    spacing: { kind: arithmetic, first: 0.4%, step: 0.3% }
    size: { total: 600 quote }
    exit: { tp: { pct: 0.6% } }
rules:
  - { id: start, when: position(sol) == 0, do: [ensure: deep] }
risk:
  max_notional: { total: 100000 }
  max_open_orders: 60
  worst_case: { move: -50%, max_loss: 100000 }
  drawdown: { pause: 90%, halt: 95% }
  in_doubt: { block: level, halt_after: 60s }
submit:
  chunk: 20
  order: nearest_first
  stopOnFail: false
  on_reject: skip_level
  throttled: { max: 5, backoff: 250ms..8s }
  rate: { requests: 8, per: 1s }
`

async function played(text: string, market: PastMarket, fill: BacktestInput['fill']): Promise<Outcome> {
  const strategies = [{ path: 'oracle.yaml', text }]
  const { fills, summary } = await runBacktest({
    strategies,
    markets: new Map([['', market]]),
    latencyMs,
    fill,
    seed: 'o',
  })
  return {
    fills: fills.map(({ at, side, price, amount, fee, maker }) => ({ at, side, price, amount, fee, maker })),
    profit: summary.netProfit,
    fees: summary.fees,
  }
}

const course = (price: number, jump: number) =>
  fc.record({
    seed: fc.nat(1e9),
    price: fc.constant(price),
    jump: fc.constantFrom(jump / 2, jump, jump * 2),
    most: fc.constantFrom(500, 5000, 1e6),
  })
const way = fc.constantFrom('touch' as const, 'through' as const)

test('a grid fills where, when and for what somebody else counts out, and nothing of the money is missing', async () => {
  const rules = {
    priceDigits,
    amountDigits: 6,
    makerFee: 1000n,
    takerFee: 1000n,
    latencyMs,
    least: 5n * 10n ** 8n,
  }
  let fills = 0
  await fc.assert(
    fc.asyncProperty(course(6_000_000, 0.002), way, async (course, fill) => {
      const points = courseOf(course, 60)
      const expected = grid(
        points,
        { ...rules, touch: fill === 'touch' },
        {
          middle: 6_000_000n,
          step: 50_000n,
          each: 6,
          quanta: 100n * 10n ** 8n,
          from: monday + minuteMs,
        },
      )
      expect(await played(gridText, marketOf(points, 6), fill)).toEqual(expected)
      fills += expected.fills.length
    }),
    runs(20, 1000),
  )
  expect(fills).toBeGreaterThan(100)
}, 600_000)

test('a ladder that averages down buys and sells where, when and for what somebody else counts out', async () => {
  const rules = {
    priceDigits,
    amountDigits: 3,
    makerFee: 1000n,
    takerFee: 1000n,
    latencyMs,
    least: 5n * 10n ** 5n,
  }
  let sales = 0
  await fc.assert(
    fc.asyncProperty(course(15_000, 0.002), way, async (course, fill) => {
      const points = courseOf(course, 60)
      const expected = average(
        points,
        { ...rules, touch: fill === 'touch' },
        {
          first: 4n,
          apart: 3n,
          levels: 6,
          quanta: 100n * 10n ** 5n,
          gain: 6n,
          from: monday + minuteMs,
        },
      )
      expect(await played(averageText, marketOf(points, 3), fill)).toEqual(expected)
      sales += expected.fills.filter(({ side }) => side === 'sell').length
    }),
    runs(20, 1000),
  )
  expect(sales).toBeGreaterThan(20)
}, 600_000)
