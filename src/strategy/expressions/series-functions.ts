import type { Indicator } from '#src/market/indicators/indicator.ts'
import { indicators, type IndicatorName } from '#src/market/indicators/indicator-table.ts'
import { lengthOf } from '#src/market/indicators/window-indicators.ts'

/** A function of the values that an expression had at the last closes of its candles. */
export type SeriesFunction = {
  of: 'double' | 'bool'
  parameters: Indicator['parameters']
  /** The number of values that it reads, the current one included. */
  reads(parameters: readonly number[]): number
  /** With fewer values it is unknown. */
  needs(parameters: readonly number[]): number
  /** Oldest first; a value that was unknown is NaN, and true is 1. Undefined if the result is unknown. */
  result(values: readonly number[], parameters: readonly number[]): number | undefined
}

/** By the names used in strategy files. */
export const seriesFunctions: Readonly<Record<string, SeriesFunction>> = {
  prev: {
    of: 'double',
    parameters: ['candles'],
    reads: ([length = 1]) => length + 1,
    needs: ([length = 1]) => length + 1,
    result: (values, [length = 1]) => values.at(-1 - length),
  },
  sum: windowOf('double', (values) => values.reduce((sum, value) => sum + value, 0)),
  count: windowOf('bool', (values) => values.reduce((sum, value) => sum + value, 0)),
  since: {
    ...windowOf('bool', () => undefined),
    needs: () => 1,
    result(values) {
      const last = values.toReversed()
      const isDecided = last.findIndex((value) => value !== 0)
      return last[isDecided] === 1 ? isDecided : undefined
    },
  },
  sma: over('sma'),
  stddev: over('stddev'),
  highest: over('highest'),
  lowest: over('lowest'),
  bb_upper: over('bb_upper'),
  bb_lower: over('bb_lower'),
  ema: over('ema', 15),
  macd: over('macd', 15),
  macd_signal: over('macd_signal', 15),
  rsi: over('rsi', 30),
}

export function isSeriesFunction(name: string): boolean {
  return Object.hasOwn(seriesFunctions, name)
}

function windowOf(
  of: SeriesFunction['of'],
  result: (values: readonly number[]) => number | undefined,
): SeriesFunction {
  return {
    of,
    parameters: ['candles'],
    reads: lengthOf,
    needs: lengthOf,
    result: (values, [length = 1]) => (values.length < length ? undefined : result(values)),
  }
}

/**
 * An indicator over values instead of candles. An exponential mean has no end, so it reads several `spans` of its length. Values
 * before these change the result by less than the ninth digit.
 */
function over(name: IndicatorName, spans = 1): SeriesFunction {
  const indicator: Indicator = indicators[name]
  return {
    of: 'double',
    parameters: indicator.parameters,
    reads: (parameters) => indicator.needs(parameters) * spans,
    needs: (parameters) => indicator.needs(parameters),
    result(values, parameters) {
      const state = indicator.begin(parameters)
      let found: number | undefined
      for (const value of values.slice(1 + values.findLastIndex(Number.isNaN)))
        found = indicator.add(
          state,
          { open: value, high: value, low: value, close: value, volume: 0 },
          parameters,
        )
      return found
    },
  }
}
