import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { HistoricalMarket } from '#src/market/data/historical-market.ts'
import { resampled, type PathDraw } from '#src/research/sweep/luck/resampled-market.ts'
import { madeBars, madeTrades, monday } from '#test/research/backtest/market/generated-market.ts'
import { runs } from '#test/properties/runs.ts'

const minuteMs = 60_000
const columns = (market: HistoricalMarket) => {
  const blocks = [...market.blocks()]
  const all = (name: 'at' | 'units' | 'amounts') =>
    blocks.flatMap((block) => Array.from(block[name].subarray(0, block.count)))
  return { at: all('at'), units: all('units'), amounts: all('amounts') }
}
/** Returns from point to point, rounded because prices are whole units. */
const changesOf = (units: readonly number[]) =>
  units.slice(1).map((unit, place) => Number((unit / (units[place] ?? 1)).toFixed(8)))
const sorted = (values: readonly number[]) => values.toSorted((a, b) => a - b)

const draws = fc.record({
  kind: fc.constantFrom('shuffle', 'bootstrap'),
  parts: fc.integer({ min: 1, max: 7 }),
  seed: fc.string(),
  minutes: fc.integer({ min: 3, max: 40 }),
  before: fc.integer({ min: 1, max: 5 }),
})

test('a path keeps what was before, has ascending times, and the changes of its parts', () => {
  fc.assert(
    fc.property(draws, ({ kind, parts, seed, minutes, before }) => {
      const market = madeBars({ seed: 5, minutes: minutes + before, price: 60_000, pace: 0.002 })
      const period = { from: monday + before * minuteMs, to: monday + (before + minutes) * minuteMs }
      const draw: PathDraw = { kind, seed, partMs: parts * minuteMs }
      const [own, other] = [columns(market), columns(resampled(market, period, draw))]
      expect(columns(resampled(market, period, draw))).toEqual(other)
      expect(other.at).toEqual(sorted(other.at))
      expect(other.at).toEqual(own.at)
      const first = own.at.findIndex((at) => at >= period.from)
      expect(other.units.slice(0, first)).toEqual(own.units.slice(0, first))
      if (kind === 'bootstrap') return
      expect(sorted(changesOf(other.units))).toEqual(sorted(changesOf(own.units)))
      expect((other.units.at(-1) ?? 0) / (own.units.at(-1) ?? 1)).toBeCloseTo(1, 6)
    }),
    runs(100, 3000),
  )
})

test('the amount and the side of a trade move with it, and trades without sides stay without', () => {
  const whole = madeTrades({ seed: 4, minutes: 60, price: 60_000, pace: 0.001 }, 300)
  const period = { from: monday + 5 * minuteMs, to: monday + 60 * minuteMs }
  const draw: PathDraw = { kind: 'shuffle', partMs: minuteMs, seed: 'b' }
  const tradesIn = (market: HistoricalMarket) =>
    [...market.blocks()].flatMap(({ count, at, amounts, sides }) =>
      Array.from({ length: count }, (_, place) => ({
        second: (at[place] ?? 0) % minuteMs,
        amount: amounts[place],
        side: sides?.[place],
      })),
    )
  const keysOf = (market: HistoricalMarket) => tradesIn(market).map((trade) => JSON.stringify(trade))
  const [own, other] = [keysOf(whole), keysOf(resampled(whole, period, draw))]
  expect(other).not.toEqual(own)
  expect(other.toSorted()).toEqual(own.toSorted())
  expect(new Set(tradesIn(whole).map(({ side }) => side)).size).toBe(2)
  const withoutSides = () =>
    Iterator.from(whole.blocks()).map((block) => Object.assign(block, { sides: undefined }))
  const bare = { ...whole, blocks: withoutSides }
  expect([...resampled(bare, period, draw).blocks()].every(({ sides }) => sides === undefined)).toBe(true)
})

test('paths differ by their seed, and a drawn path ends at another price', () => {
  const market = madeTrades({ seed: 2, minutes: 600, price: 60_000, pace: 0.001 }, 700)
  const period = { from: monday, to: monday + 600 * minuteMs }
  const ends = ['a', 'b', 'c'].map((seed) => {
    const { units } = columns(resampled(market, period, { kind: 'bootstrap', partMs: 30 * minuteMs, seed }))
    return units.at(-1) ?? 0
  })
  expect(new Set(ends).size).toBe(3)
  const blocks = [...resampled(market, period, { kind: 'shuffle', partMs: minuteMs, seed: 'a' }).blocks()]
  for (const { count, units, low, high } of blocks) {
    expect(units).toHaveLength(count)
    expect([low, high]).toEqual([Math.min(...units), Math.max(...units)])
  }
})
