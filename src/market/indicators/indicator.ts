import type { Candle } from '#src/market/candles/candle.ts'

/**
 * An incremental indicator: it receives one candle after the other and never reads earlier ones. Its state is plain
 * data, so it is stored with the rest and continues after a restart.
 */
export type Indicator<State = unknown> = {
  /** The meaning of the numbers after the feed, for help and error messages. */
  parameters: readonly Parameter[]
  /** The number of candles until the first value. */
  needs(parameters: readonly number[]): number
  begin(parameters: readonly number[]): State
  /** Updates the state, in doubles because indicators are not amounts; undefined until there were enough candles. */
  add(state: State, candle: Candle, parameters: readonly number[]): number | undefined
}

/** A number of candles, or a plain factor. */
type Parameter = 'candles' | 'factor'

/** A larger number is a mistake, and would be slow. */
export const candlesMax = 5000
