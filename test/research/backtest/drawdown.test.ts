import { expect, test } from 'vitest'
import type { BacktestResult } from '#src/research/backtest/result/result.ts'
import { Decimal } from '#src/core/money/decimal.ts'
import { seed, times } from '#test/properties/runs.ts'
import { guards } from '#test/strategy/required-limits.ts'
import { monday, tradesAt } from '#test/research/backtest/market/generated-market.ts'
import { drawdownOf } from './naive-drawdown.ts'
import { tickOf } from '#test/research/backtest/jump/naive-path.ts'
import { randomInput } from '#test/research/backtest/jump/random/random-strategy.ts'
import { played } from '#test/research/backtest/jump/step-everywhere.ts'

/** Buys 1 BTC at 59 400. */
function input(prices: readonly { at: number; price: number }[], drawdown = '{ pause: 90%, halt: 95% }') {
  const text = `version: 1
name: dip
needs: [bulk, history, balance, cancel]
markets: { btc: { symbol: BTC_PERP } }
feeds: { px: { source: candles, market: btc, interval: 1m } }
ladder:
  dip:
    market: btc
    side: buy
    anchor: 60000
    levels: 1
    spacing: { kind: offsets, at: [1%] }
    size: { total: 1 base }
rules:
  - { id: lay, when: last(px) > 0, do: [ensure: dip] }
${guards.replace('total: 100000', 'total: 60000').replace('{ pause: 90%, halt: 95% }', drawdown)}`
  const markets = new Map([['BTC_PERP', tradesAt(prices)]])
  const strategies = [{ path: 'dip.yaml', text }]
  return { strategies, markets, balance: '100000', latencyMs: 50, fill: 'through', seed: 'a' } as const
}

/** Prices at these seconds; the first minutes place the order and fill it. */
function pricesAt(seconds: Record<number, number>) {
  const all = { 0: 60_000, 30: 60_000, 60: 60_000, 90: 60_000, 120: 59_000, ...seconds }
  return Object.entries(all).map(([second, price]) => ({ at: monday + Number(second) * 1000, price }))
}

/** Falls by 9 000 within a minute, and returns before its close. */
const fallAndBack = pricesAt({ 150: 59_400, 185: 50_000, 200: 59_400, 240: 59_400, 300: 59_400, 360: 59_400 })

test('a fall inside of a minute counts as drawdown, even if the close equals the open', async () => {
  const { result } = await played(input(fallAndBack))
  const [fill] = result.fills
  expect(result.fills).toHaveLength(1)
  const paid = new Decimal(fill?.price ?? 0).plus(fill?.fee ?? 0)
  expect(result.summary.maxDrawdown).toBe(paid.minus(50_000).toFixed())
})

test('the loss of a halt equals the drawdown of the result', async () => {
  const { result } = await played(input(fallAndBack, '{ pause: 9%, halt: 15% }'))
  const told = /^(\S+) lost since the best result/.exec(result.stops.at(-1)?.reason ?? '')?.[1]
  expect(told).toBeDefined()
  expect(Math.abs(Number(result.summary.maxDrawdown) - Number(told))).toBeLessThan(0.1)
})

/** Half a tick of the position: the strategy uses mid prices, the result last prices. */
function halfTicks({ fills }: BacktestResult): number {
  return fills.reduce((sum, { market, amount }) => sum + (Number(amount) * tickOf(market)) / 2, 0)
}

const together = times(25, 25, 4)
const parts = Array.from({ length: times(100, 1000, 4) / together }, (_, index) => seed + index * together)

/** Compares the drawdown of a random strategy with that of all prices. True if there was one. */
async function coversAllPrices(number: number): Promise<boolean> {
  // The list of fills has no funding.
  const { funding: _, ...all } = randomInput(number)
  const { result, worth } = await played(all)
  if (result.summary.liquidations > 0) return false
  const expected = drawdownOf(result, all)
  expect(result.summary.maxDrawdown, `seed ${number}`).toBe(expected.toFixed())
  const hasGaps = [...all.markets.values()].some(({ seen }) => seen?.gaps !== 0)
  // In a gap the quote becomes stale, and the strategy uses the close of the last candle.
  if (!hasGaps) {
    const seen = Number(worth['rnd']?.maxDrawdown ?? '0')
    const tolerance = halfTicks(result) + 1e-8
    expect(seen, `seed ${number}`).toBeGreaterThanOrEqual(expected.toNumber() - tolerance)
    const most = drawdownOf(result, all, { between: true }).toNumber()
    expect(seen, `seed ${number}`).toBeLessThanOrEqual(most + tolerance)
  }
  return expected.gt(0)
}

test.each(parts)('the drawdown of random strategies covers all prices, from seed %d on', async (from) => {
  let moved = 0
  for (let number = from; number < from + together; number++) if (await coversAllPrices(number)) moved += 1
  expect(moved).toBeGreaterThan(0)
})

test.each([
  [
    'a strategy that reads a book may have its best result between two seconds, where its order trades',
    31_387,
  ],
  [
    'a strategy may have its best result between the two fills of orders that trade with each other',
    26_767_743,
  ],
])('%s', async (_, number) => {
  expect(await coversAllPrices(number)).toBe(true)
})
