import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { z } from 'zod'
import type { Candle } from '#src/market/candles/candle.ts'
import type { Indicator } from '#src/market/indicators/indicator.ts'
import { indicators, isIndicator, type IndicatorName } from '#src/market/indicators/indicator-table.ts'
import { seriesFunctions } from '#src/strategy/expressions/series-functions.ts'
import { chanceOf } from '#test/fuzz/chance.ts'
import { seed, times } from '#test/properties/runs.ts'
import { taLib } from '#test/support/peers.ts'

/** The same as in indicators.py. */
const parametersOf = (name: IndicatorName) =>
  name.startsWith('macd') ? [5, 12, 4] : indicators[name].parameters.length === 2 ? [14, 2] : [14]
const length = 400
const answers = z.record(z.string(), z.array(z.number().nullable()))
type Values = readonly (number | undefined)[]
type Columns = Record<keyof Candle, number[]>

/** Candles by chance: calm and wild markets, from small and large prices. */
function randomCandles(chance: ReturnType<typeof chanceOf>): Columns {
  const columns: Columns = { open: [], high: [], low: [], close: [], volume: [] }
  const wild = chance.oneOf([0.0005, 0.01, 0.08])
  const move = () => Math.exp(wild * (chance.below(2001) / 1000 - 1))
  let price = chance.oneOf([0.0123, 1.7, 310, 64_000])
  for (let index = 0; index < length; index++) {
    const [open, close] = [price, price * move()]
    columns.open.push(open)
    columns.close.push(close)
    columns.high.push(Math.max(open, close, open * move()))
    columns.low.push(Math.min(open, close, open * move()))
    columns.volume.push(1 + chance.below(10_000) / 100)
    price = close
  }
  return columns
}

/** Relative to the value; for MACD relative to the price, because the two averages have the rounding error of the price. */
function expectEqual(
  ours: Values,
  theirs: readonly (number | null)[],
  what: string,
  prices?: readonly number[],
) {
  expect(ours.length).toBe(theirs.length)
  for (const [index, value] of ours.entries()) {
    const other = theirs[index] ?? undefined
    const scale = Math.abs(prices?.[index] ?? other ?? 1)
    const isNear = value === other || Math.abs((value ?? NaN) - (other ?? NaN)) <= 1e-9 * scale
    if (!isNear) throw new Error(`${what} at ${index}: ${value} is not ${other}`)
  }
}

test('indicators, over candles and over expressions, have the values of TA-Lib', () => {
  const chance = chanceOf(seed)
  const series = Array.from({ length: times(100, 500) }, () => randomCandles(chance))
  const { stdout, stderr, status } = spawnSync(taLib(), [`${import.meta.dirname}/indicators.py`], {
    input: series.map((each) => JSON.stringify(each)).join('\n'),
    encoding: 'utf8',
    maxBuffer: 1 << 30,
  })
  expect(stderr).toBe('')
  expect(status).toBe(0)
  const theirs = stdout
    .trim()
    .split('\n')
    .map((line) => answers.parse(JSON.parse(line)))
  expect(theirs.length).toBe(series.length)
  const compared = new Set<string>()
  for (const [number, columns] of series.entries()) {
    for (const [name, values] of Object.entries(theirs[number] ?? {})) {
      if (!isIndicator(name)) throw new Error(`${name} is no indicator`)
      const parameters = parametersOf(name)
      const indicator: Indicator = indicators[name]
      const state = indicator.begin(parameters)
      const candles = columns.close.map((close, index): Candle => {
        return {
          open: columns.open[index]!,
          high: columns.high[index]!,
          low: columns.low[index]!,
          close,
          volume: columns.volume[index]!,
        }
      })
      const ours = candles.map((candle) => indicator.add(state, candle, parameters))
      const prices = name.startsWith('macd') ? columns.close : undefined
      expectEqual(ours, values, `${name} of series ${number}`, prices)
      compared.add(name)
      const overValues = seriesFunctions[name]
      if (!overValues || name === 'highest' || name === 'lowest') continue
      // An exponential mean reads so many values; from there on its start has no effect.
      const reads = overValues.reads(parameters)
      const later = columns.close.flatMap((_, index) => {
        if (index < reads) return []
        const window = columns.close.slice(index + 1 - reads, index + 1)
        return [overValues.result(window, parameters)]
      })
      expectEqual(
        later,
        values.slice(reads),
        `${name} of the closes of series ${number}`,
        prices?.slice(reads),
      )
    }
  }
  expect([...compared].sort()).toEqual(Object.keys(indicators).sort())
})
