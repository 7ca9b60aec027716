import { atr, ema, macd, macdSignal, rsi } from './averages.ts'
import type { Indicator } from './indicator.ts'
import { adx, minusDi, plusDi } from './directional.ts'
import {
  bandLower,
  bandUpper,
  highest,
  lowest,
  sma,
  stddev,
  stoch,
  vwap,
  vwapLower,
  vwapUpper,
} from './window-indicators.ts'

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
  vwap_upper: vwapUpper,
  vwap_lower: vwapLower,
  stddev,
  stoch,
  adx,
  plus_di: plusDi,
  minus_di: minusDi,
} as const satisfies Record<string, Indicator>

export type IndicatorName = keyof typeof indicators

export function isIndicator(name: string): name is IndicatorName {
  return Object.hasOwn(indicators, name)
}
