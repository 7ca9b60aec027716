import type { EvaluationValidity } from './evaluate-strategy.ts'
import type { Event } from '#src/engine/events.ts'
import type { CandleNews } from '#src/engine/state/closed-candles.ts'
import type { Validity } from '#src/engine/state/validity.ts'

/** Keeps for how long evaluations hold. A backtest gives the engine one; live nothing is recorded. */
export type EvaluationRecorder = {
  /** Where an evaluation of the strategy records its validity. */
  of: (strategy: string) => EvaluationValidity
  /** Where the search for orders with unknown outcome records it. */
  readonly unknown: Validity
  /** The strategy was evaluated: with its exits and orders if `isFull`. */
  evaluated: (strategy: string, about: { isFull: boolean; hasChanged: boolean }) => void
  /** A closed candle has changed feeds of the strategy. */
  fed: (strategy: string, news: CandleNews) => void
  /** The engine has taken this event. */
  stepped: (event: Event) => void
}
