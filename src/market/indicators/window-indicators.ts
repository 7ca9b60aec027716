import type { Candle } from '#src/market/candles/candle.ts'
import type { Indicator } from './indicator.ts'

/** The last values, oldest first. */
type Window = number[]

/** Whether the window is full. The sum is computed anew for each candle: a running sum accumulates rounding errors. */
function push(window: Window, value: number, length: number): boolean {
  window.push(value)
  if (window.length > length) window.shift()
  return window.length === length
}

function lengthOf([length = 1]: readonly number[]): number {
  return length
}

function windowOf(
  valueOf: (candle: Candle) => number,
  result: (window: Window, parameters: readonly number[]) => number | undefined,
  parameters: Indicator['parameters'] = ['candles'],
): Indicator<Window> {
  return {
    parameters,
    needs: lengthOf,
    begin: () => [],
    add: (window, candle, given) =>
      push(window, valueOf(candle), given[0] ?? 1) ? result(window, given) : undefined,
  }
}

const closeOf = ({ close }: Candle) => close
const bandParameters = ['candles', 'factor'] as const

export const sma = windowOf(closeOf, meanOf)
export const stddev = windowOf(closeOf, deviationOf)
export const highest = windowOf(
  ({ high }) => high,
  (window) => Math.max(...window),
)
export const lowest = windowOf(
  ({ low }) => low,
  (window) => Math.min(...window),
)
export const bandUpper = windowOf(closeOf, (window, [, factor]) => band(window, factor ?? 0), bandParameters)
export const bandLower = windowOf(
  closeOf,
  (window, [, factor]) => band(window, -(factor ?? 0)),
  bandParameters,
)

/** The mean of the typical prices, weighted by volume; undefined if nothing traded. */
export const vwap: Indicator<{ money: Window; volume: Window }> = {
  parameters: ['candles'],
  needs: lengthOf,
  begin: () => ({ money: [], volume: [] }),
  add({ money, volume }, candle, [length = 1]) {
    const typical = (candle.high + candle.low + candle.close) / 3
    push(money, typical * candle.volume, length)
    if (!push(volume, candle.volume, length)) return undefined
    const traded = sumOf(volume)
    return traded > 0 ? sumOf(money) / traded : undefined
  },
}

function band(window: Window, factor: number): number {
  return meanOf(window) + factor * deviationOf(window)
}

/** The population deviation, as Bollinger defines it. */
function deviationOf(window: Window): number {
  const mean = meanOf(window)
  return Math.sqrt(sumOf(window.map((value) => (value - mean) ** 2)) / window.length)
}

function meanOf(window: Window): number {
  return sumOf(window) / window.length
}

function sumOf(window: Window): number {
  let sum = 0
  for (const value of window) sum += value
  return sum
}
