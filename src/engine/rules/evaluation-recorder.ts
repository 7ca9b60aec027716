import type { EvaluationValidity } from './evaluate-strategy.ts'
import type { Event } from '#src/engine/events.ts'
import type { CandleNews } from '#src/engine/state/closed-candles.ts'
import type { Validity } from '#src/engine/state/validity.ts'
import type { StepContext } from '#src/engine/step-context.ts'

/** Keeps for how long evaluations hold. A backtest gives the engine one; live nothing is recorded. */
export type EvaluationRecorder = {
  /** Where an evaluation of the strategy records its validity. */
  of: (strategy: string) => EvaluationValidity
  /** Where the search for orders with unknown outcome records it. */
  readonly unknown: Validity
  /** Whether a tick may decide something else for the strategy than its last evaluation. */
  isDue: (strategy: string) => boolean
  /** The strategy was evaluated: with its exits and orders if `isFull`. */
  evaluated: (strategy: string, about: { isFull: boolean; hasChanged: boolean }) => void
  /** A closed candle has changed feeds of the strategy. */
  fed: (strategy: string, news: CandleNews) => void
  /** The engine has taken this event. */
  stepped: (event: Event) => void
}

/**
 * The strategies to evaluate after an event, of all or of some. After a tick only those that it can change, unless it has sent
 * commands already. An evaluation can make the next strategy due.
 */
export function* dueStrategies(
  { state, commands }: StepContext,
  { kind }: Event,
  some: ReadonlySet<string | undefined> | undefined,
  recorder: EvaluationRecorder | undefined,
): Generator<string> {
  const isQuiet = kind === 'tick' && commands.length === 0
  for (const name of state.running)
    if (some?.has(name) !== false && (!isQuiet || recorder?.isDue(name) !== false)) yield name
}
