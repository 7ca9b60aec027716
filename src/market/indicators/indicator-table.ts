import { atr, ema, macd, macdSignal, rsi } from './averages.ts'
import type { Indicator } from './indicator.ts'
import { bandLower, bandUpper, highest, lowest, sma, stddev, vwap } from './window-indicators.ts'

/** By the names used in strategy files. */
export const indicators = {
  sma,
  ema,
  rsi,
  atr,
  macd,
  macd_signal: macdSignal,
  bb_upper: bandUpper,
  bb_lower: bandLower,
  highest,
  lowest,
  vwap,
  stddev,
} as const satisfies Record<string, Indicator>

export type IndicatorName = keyof typeof indicators

export function isIndicator(name: string): name is IndicatorName {
  return Object.hasOwn(indicators, name)
}
