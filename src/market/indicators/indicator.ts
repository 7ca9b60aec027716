/** One bar of a market. Doubles: indicators describe a market, they are no amounts. */
export type Candle = { open: number; high: number; low: number; close: number; volume: number }

/**
 * An indicator that runs: it is told one candle after the other and never looks back. Its state is plain data,
 * so that it is stored with the rest and goes on after a restart as if nothing had been.
 */
export type Indicator<State = unknown> = {
  /** What the numbers behind the feed mean, for help and for complaints. */
  parameters: readonly Parameter[]
  begin(parameters: readonly number[]): State
  /** Changes the state; undefined until enough candles have passed to mean something. */
  add(state: State, candle: Candle, parameters: readonly number[]): number | undefined
}

/** How many candles it looks at, or a plain factor. */
type Parameter = 'candles' | 'factor'

/** More than this is a mistake, and would be slow. */
export const candlesMax = 5000
