import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Candle } from '#src/market/candles/candle.ts'
import type { Indicator } from '#src/market/indicators/indicator.ts'
import { addCandle, beginReadings, keyOf } from '#src/market/indicators/indicator-values.ts'
import { indicators, isIndicator, type IndicatorName } from '#src/market/indicators/indicator-table.ts'
import { runs } from '#test/properties/runs.ts'

/**
 * The same indicators by their textbook formulas, over the whole history and without state: slow, and written
 * independently of the incremental ones.
 */
type Whole = (candles: readonly Candle[], parameters: readonly number[]) => number | undefined

const closes = (candles: readonly Candle[]) => candles.map(({ close }) => close)
const total = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0)
const mean = (values: readonly number[]) => total(values) / values.length
const tail = <Value>(values: readonly Value[], n: number) =>
  values.length < n ? undefined : values.slice(-n)

function deviation(values: readonly number[]): number {
  return Math.sqrt(mean(values.map((value) => value ** 2 - 2 * value * mean(values) + mean(values) ** 2)))
}

/** Every value of a smoothed mean that starts with a plain mean; the first is at position n - 1. */
function smoothed(values: readonly number[], n: number, weight: number): number[] {
  if (values.length < n) return []
  const line = [mean(values.slice(0, n))]
  for (const value of values.slice(n)) line.push(weight * value + (1 - weight) * (line.at(-1) ?? 0))
  return line
}

const exponential = (values: readonly number[], n: number) => smoothed(values, n, 2 / (n + 1))
const wilder = (values: readonly number[], n: number) => smoothed(values, n, 1 / n)
const changes = (values: readonly number[]) =>
  values.slice(1).map((value, index) => value - (values[index] ?? 0))

function macdLine(candles: readonly Candle[], fast: number, slow: number): number[] {
  const [quick, calm] = [exponential(closes(candles), fast), exponential(closes(candles), slow)]
  const length = Math.min(quick.length, calm.length)
  return quick
    .slice(quick.length - length)
    .map((value, index) => value - (calm[calm.length - length + index] ?? 0))
}

const over = (candles: readonly Candle[], n: number, result: (window: Candle[]) => number | undefined) => {
  const window = tail(candles, n)
  return window && result(window)
}

const typical = ({ high, low, close }: Candle) => (high + low + close) / 3

function vwapBand(window: readonly Candle[], factor: number): number | undefined {
  const traded = total(window.map(({ volume }) => volume))
  if (traded === 0) return undefined
  const center = total(window.map((each) => typical(each) * each.volume)) / traded
  const variance = total(window.map((each) => each.volume * (typical(each) - center) ** 2)) / traded
  return center + factor * Math.sqrt(variance)
}

/** Both directional indicators, from the first candle on that has them. */
function directions(candles: readonly Candle[], n: number): [up: number, down: number][] {
  const moves = candles.slice(1).map(({ high, low }, index) => {
    const { high: lastHigh = 0, low: lastLow = 0, close = 0 } = candles[index] ?? {}
    const [up, down] = [high - lastHigh, lastLow - low]
    const range = Math.max(high - low, Math.abs(high - close), Math.abs(low - close))
    return [up > Math.max(down, 0) ? up : 0, down > Math.max(up, 0) ? down : 0, range]
  })
  const faded = (at: number, index: number) =>
    moves
      .slice(n - 1, at + 1)
      .reduce(
        (sum, move) => sum - sum / n + (move[index] ?? 0),
        total(moves.slice(0, n - 1).map((move) => move[index] ?? 0)),
      )
  return moves.flatMap((_, at): [number, number][] => {
    if (at < n - 1) return []
    const range = faded(at, 2)
    return [range === 0 ? [0, 0] : [(100 * faded(at, 0)) / range, (100 * faded(at, 1)) / range]]
  })
}

const whole: Record<IndicatorName, Whole> = {
  sma: (candles, [n = 1]) => over(candles, n, (window) => mean(closes(window))),
  stddev: (candles, [n = 1]) => over(candles, n, (window) => deviation(closes(window))),
  highest: (candles, [n = 1]) => over(candles, n, (window) => Math.max(...window.map(({ high }) => high))),
  lowest: (candles, [n = 1]) => over(candles, n, (window) => Math.min(...window.map(({ low }) => low))),
  bb_upper: (candles, [n = 1, k = 1]) =>
    over(candles, n, (window) => mean(closes(window)) + k * deviation(closes(window))),
  bb_lower: (candles, [n = 1, k = 1]) =>
    over(candles, n, (window) => mean(closes(window)) - k * deviation(closes(window))),
  vwap: (candles, [n = 1]) =>
    over(candles, n, (window) => {
      const traded = total(window.map(({ volume }) => volume))
      const money = total(window.map(({ high, low, close, volume }) => ((high + low + close) * volume) / 3))
      return traded === 0 ? undefined : money / traded
    }),
  vwap_upper: (candles, [n = 1, k = 1]) => over(candles, n, (window) => vwapBand(window, k)),
  vwap_lower: (candles, [n = 1, k = 1]) => over(candles, n, (window) => vwapBand(window, -k)),
  stoch: (candles, [n = 1]) =>
    over(candles, n, (window) => {
      const bottom = Math.min(...window.map(({ low }) => low))
      const range = Math.max(...window.map(({ high }) => high)) - bottom
      return range === 0 ? 50 : (100 * ((window.at(-1)?.close ?? 0) - bottom)) / range
    }),
  plus_di: (candles, [n = 1]) => directions(candles, n).at(-1)?.[0],
  minus_di: (candles, [n = 1]) => directions(candles, n).at(-1)?.[1],
  adx(candles, [n = 1]) {
    const differences = directions(candles, n).map(([up, down]) =>
      up + down === 0 ? undefined : (100 * Math.abs(up - down)) / (up + down),
    )
    if (differences.length < n) return undefined
    const first = mean(differences.slice(0, n).map((value) => value ?? 0))
    return differences
      .slice(n)
      .reduce<number>((last, value) => (value === undefined ? last : (last * (n - 1) + value) / n), first)
  },
  ema: (candles, [n = 1]) => exponential(closes(candles), n).at(-1),
  rsi(candles, [n = 1]) {
    const moves = changes(closes(candles))
    const up = wilder(
      moves.map((move) => Math.max(move, 0)),
      n,
    ).at(-1)
    const down = wilder(
      moves.map((move) => Math.max(-move, 0)),
      n,
    ).at(-1)
    if (up === undefined || down === undefined) return undefined
    if (up === 0 && down === 0) return 50
    return down === 0 ? 100 : 100 - 100 / (1 + up / down)
  },
  atr(candles, [n = 1]) {
    const ranges = candles.slice(1).map(({ high, low }, index) => {
      const last = candles[index]?.close ?? 0
      return Math.max(high - low, Math.abs(high - last), Math.abs(low - last))
    })
    return wilder(ranges, n).at(-1)
  },
  macd: (candles, [fast = 1, slow = 1]) => macdLine(candles, fast, slow).at(-1),
  macd_signal: (candles, [fast = 1, slow = 1, n = 1]) => exponential(macdLine(candles, fast, slow), n).at(-1),
}

const candle = fc
  .tuple(
    fc.integer({ min: 50, max: 150 }),
    fc.integer({ min: 50, max: 150 }),
    fc.nat(9),
    fc.nat(9),
    fc.nat(5),
  )
  .map(([open, close, above, below, volume]): Candle => {
    return { open, close, high: Math.max(open, close) + above, low: Math.min(open, close) - below, volume }
  })

const names = Object.keys(indicators).filter(isIndicator)

const run = (name: IndicatorName, parameters: readonly number[], candles: readonly Candle[]) => {
  const indicator: Indicator = indicators[name]
  const state = indicator.begin(parameters)
  return candles.map((candle) => indicator.add(state, candle, parameters))
}

test.each(names)('%s equals at every candle its formula over the whole history', (name) => {
  const parameters = indicators[name].parameters.map((kind) =>
    kind === 'factor' ? fc.constantFrom(0.5, 2) : fc.integer({ min: 1, max: 12 }),
  )
  fc.assert(
    fc.property(fc.array(candle, { maxLength: 60 }), fc.tuple(...parameters), (candles, parameters) => {
      for (const [index, value] of run(name, parameters, candles).entries()) {
        const expected = whole[name](candles.slice(0, index + 1), parameters)
        if (expected === undefined || value === undefined) expect(value).toBe(expected)
        else expect(value).toBeCloseTo(expected, 6)
      }
    }),
    runs(60, 2000),
  )
})

test.each(names)('%s has its first value at the candle that it names', (name) => {
  const parameters = indicators[name].parameters.map((_, index) => [4, 9, 3][index] ?? 1)
  const candles = Array.from({ length: 30 }, (_, index) => {
    return { open: index, high: index + 1, low: index - 1, close: index, volume: 1 }
  })
  const first = run(name, parameters, candles).findIndex((value) => value !== undefined)
  expect(indicators[name].needs(parameters)).toBe(first + 1)
})

test('the first RSI of the well-known example of fifteen closes is 70.46', () => {
  const closes = [
    44.34, 44.09, 44.15, 43.61, 44.33, 44.83, 45.1, 45.42, 45.84, 46.08, 45.89, 46.03, 45.61, 46.28, 46.28,
  ]
  const candles = closes.map((close) => ({ open: close, high: close, low: close, close, volume: 1 }))
  const values = run('rsi', [14], candles)
  expect(values.slice(0, 14).every((value) => value === undefined)).toBe(true)
  expect(values.at(-1)).toBeCloseTo(70.46, 2)
})

test('an incremental indicator is plain data: stored and restored, it continues unchanged', () => {
  const wanted = names.map((name) => ({ name, parameters: indicators[name].parameters.map(() => 3) }))
  fc.assert(
    fc.property(fc.array(candle, { minLength: 12, maxLength: 30 }), fc.nat(11), (candles, cut) => {
      const through = beginReadings(wanted, 4)
      let stored = beginReadings(wanted, 4)
      for (const [index, candle] of candles.entries()) {
        addCandle(through, candle)
        if (index === cut) stored = JSON.parse(JSON.stringify(stored))
        addCandle(stored, candle)
      }
      expect(stored).toEqual(through)
      expect(through.running[keyOf('sma', [3])]?.past).toHaveLength(4)
    }),
    runs(50, 1000),
  )
})
