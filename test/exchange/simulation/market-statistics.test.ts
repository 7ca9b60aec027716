import { expect, test } from 'vitest'
import { seededMarket } from '#src/cli/market/seeded-market.ts'
import { linesOf } from '#src/market/data/csv/csv-file.ts'
import { seed, times } from '#test/properties/runs.ts'
import { autocorrelation, deviation, kurtosis, returnsOf, varianceRatio } from './statistics.ts'

const minutesPerDay = 1440
const dayMs = minutesPerDay * 60_000
/** Close prices of one-minute bars, as `rungs market --seeded` writes them. */
function closesOf(market: string, days: number, text: string): number[] {
  const lines = linesOf(seededMarket(market, { seed: text, ms: days * dayMs }), '1m')
  return [...lines].slice(2).map((line) => Number(line.split(',')[4]))
}

function dailyOf(closes: readonly number[]): number {
  return deviation(returnsOf(closes)) * Math.sqrt(minutesPerDay)
}

const days = times(10, 10, 2)

test.each(['BTC_USDT', 'ETH_PERP', 'SOL_USDT'].slice(0, times(1, 3)))(
  `with market maker and takers, ${days} days of %s neither trend nor revert, and have fat tails`,
  (market) => {
    const closes = closesOf(market, days, `seed ${seed}`)
    const minutes = returnsOf(closes)
    expect(closes).toHaveLength(days * minutesPerDay)
    expect(Math.abs(autocorrelation(minutes, 1))).toBeLessThan(0.08)
    expect(varianceRatio(closes, 60)).toBeGreaterThan(0.8)
    expect(varianceRatio(closes, 60)).toBeLessThan(1.25)
    expect(kurtosis(minutes)).toBeGreaterThan(6)
    expect(autocorrelation(minutes.map(Math.abs), 1)).toBeGreaterThan(0.15)
  },
)

test('each asset has a volatility of its own', () => {
  const [btc, eth, sol] = ['BTC_USDT', 'ETH_USDT', 'SOL_USDT'].map((market) =>
    dailyOf(closesOf(market, times(2, 2, 1) / 4, 'demo')),
  )
  expect(eth).toBeGreaterThan((btc ?? NaN) * 1.1)
  expect(sol).toBeGreaterThan((eth ?? NaN) * 1.1)
})
