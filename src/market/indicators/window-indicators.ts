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

export function lengthOf([length = 1]: readonly number[]): number {
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

/** Where the close lies between the lowest and the highest price, in percent; a market that never moved is in the middle. */
export const stoch: Indicator<{ highs: Window; lows: Window }> = {
  parameters: ['candles'],
  needs: lengthOf,
  begin: () => ({ highs: [], lows: [] }),
  add({ highs, lows }, { high, low, close }, [length = 1]) {
    push(highs, high, length)
    if (!push(lows, low, length)) return undefined
    const [highest, lowest] = [Math.max(...highs), Math.min(...lows)]
    return highest === lowest ? 50 : (100 * (close - lowest)) / (highest - lowest)
  },
}

type Traded = { money: Window; volume: Window }

/** The mean of the typical prices, weighted by volume; undefined if nothing traded. */
export const vwap: Indicator<Traded> = {
  parameters: ['candles'],
  needs: lengthOf,
  begin: () => ({ money: [], volume: [] }),
  add(state, candle, [length = 1]) {
    return pushTraded(state, candle, length) ? meanPriceOf(state) : undefined
  },
}
export const vwapUpper = vwapBand(1)
export const vwapLower = vwapBand(-1)

function pushTraded(
  { money, volume }: Traded,
  { high, low, close, volume: traded }: Candle,
  length: number,
): boolean {
  push(money, ((high + low + close) / 3) * traded, length)
  return push(volume, traded, length)
}

function meanPriceOf({ money, volume }: Traded): number | undefined {
  const traded = sumOf(volume)
  return traded > 0 ? sumOf(money) / traded : undefined
}

/** The mean, and the deviation of the typical prices from it, both weighted by volume. */
function vwapBand(side: 1 | -1): Indicator<Traded> {
  return {
    ...vwap,
    parameters: bandParameters,
    add(state, candle, [length = 1, factor = 0]) {
      if (!pushTraded(state, candle, length)) return undefined
      const { money, volume } = state
      const mean = meanPriceOf(state)
      if (mean === undefined) return undefined
      const squares = volume.map((traded, index) =>
        traded > 0 ? traded * (money[index]! / traded - mean) ** 2 : 0,
      )
      return mean + side * factor * Math.sqrt(sumOf(squares) / sumOf(volume))
    },
  }
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
