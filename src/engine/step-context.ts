import type { BotEvent } from '#src/core/log-events/vocabulary.ts'
import type { Command } from './commands.ts'
import type { Compiled } from '#src/engine/rules/compiled-strategy.ts'
import type { Explanation } from '#src/engine/explain/explanation.ts'
import type { State } from '#src/engine/state/state.ts'
import type { RefusalOf } from './events.ts'

export type EngineOptions = {
  /** Without it the engine decides the same and explains nothing but limits: explanations cost more than the rest. */
  tells?: boolean
  /** Records for how long evaluations hold, for backtests. */
  jumps?: boolean
  /** Classifies the refusals in journals of 0.3.2 and before, which hold no class. */
  refusalOf?: RefusalOf
}

/** What came of one event. */
export type Step = { commands: Command[]; notes: BotEvent[]; decisions: Explanation[] }

/** A step that is being made: the state changes in place, and what comes of it is collected. */
export type StepContext = Step & {
  state: State
  /** Its commands are on record, as another version has chosen them: they are taken from there, and none is issued. */
  isRecorded: boolean
  /** The strategies of the state, by name. */
  known: ReadonlyMap<string, Compiled>
}

export function beginStep(state: State, known: StepContext['known'], isRecorded = false): StepContext {
  return { state, known, isRecorded, commands: [], notes: [], decisions: [] }
}
