import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ChartCandles } from '#src/research/backtest/measures/chart-candles.ts'
import type { PointBlock } from '#src/market/data/historical-market.ts'

const minuteMs = 60_000
const from = 1_000_000_000_000
const to = from + 30 * minuteMs

function blockOf(points: { at: number; units: number }[]): PointBlock {
  const units = points.map((point) => point.units)
  return {
    count: points.length,
    at: Float64Array.from(points, ({ at }) => at),
    units: Float64Array.from(units),
    amounts: new Float64Array(points.length),
    low: Math.min(...units),
    high: Math.max(...units),
  }
}

const point = fc.record({ gap: fc.integer({ min: 0, max: 90_000 }), price: fc.integer({ min: 1, max: 50 }) })

test('chart candles cover the points of their period, independently of the blocks', () => {
  fc.assert(
    fc.property(
      fc.array(point, { minLength: 1, maxLength: 80 }),
      fc.integer({ min: 1, max: 30 }),
      (rows, size) => {
        let at = from - 3 * minuteMs
        const points = rows.map(({ gap, price }) => ({ at: (at += gap), units: price * 1e9 }))
        const blocks = Array.from({ length: Math.ceil(points.length / size) }, (_, index) =>
          blockOf(points.slice(index * size, (index + 1) * size)),
        )
        const chart = new ChartCandles(from, to)
        expect([...chart.watching(blocks)]).toEqual(blocks)
        const expected = Array.from({ length: 30 }, (_, minute) => {
          const begins = from + minute * minuteMs
          const prices = points
            .filter((each) => each.at >= begins && each.at < begins + minuteMs)
            .map(({ units }) => units / 1e9)
          const [open, close] = [prices[0], prices.at(-1)]
          return { at: begins, open, high: Math.max(...prices), low: Math.min(...prices), close }
        })
        expect(chart.done()).toEqual(expected.filter(({ open }) => open !== undefined))
      },
    ),
    { seed: 5, numRuns: 300 },
  )
})
