import type { BotEvent } from '#src/core/log-events/vocabulary.ts'
import type { Command } from './commands.ts'
import type { Compiled, CompiledLadder } from '#src/engine/rules/compiled-strategy.ts'
import type { Explanation } from '#src/engine/explain/explanation.ts'
import type { LadderState, State, StrategyState } from '#src/engine/state/state.ts'
import type { RefusalOf } from './events.ts'

export type EngineOptions = {
  /** Without it the engine makes the same decisions and explains only limits: explanations cost more than everything else. */
  tells?: boolean
  /** Classifies the refusals in journals of 0.3.2 and older, which hold no class. */
  refusalOf?: RefusalOf
}

/** The result of one event. */
export type Step = { commands: Command[]; notes: BotEvent[]; decisions: Explanation[] }

/** Log events are for people: the engine adds them, and reads none. A decision that hangs on one does not compile. */
export type LogSink = { push: (...events: BotEvent[]) => void }

/** The context of one step: the state changes in place, and the step collects its results. */
export type StepContext = Omit<Step, 'notes'> & {
  notes: LogSink
  state: State
  /** The other version whose record is recalled; its commands come from the record, and the step issues none. */
  recordedBy: string | null
  /** The event of the step is a tick. */
  isTick: boolean
  /** The strategies of the state by name. */
  known: ReadonlyMap<string, Compiled>
}

export function beginStep(
  state: State,
  known: StepContext['known'],
  recordedBy: string | null = null,
): StepContext & Step {
  const notes: BotEvent[] = []
  return { state, known, recordedBy, isTick: false, commands: [], notes, decisions: [] }
}

/** A ladder of a strategy: its file and its state, and those of its strategy (`whole`). */
export type LadderView = {
  state: State
  compiled: Compiled
  whole: StrategyState
  ladder: CompiledLadder
  own: LadderState
}
/** A ladder that a step evaluates. */
export type LadderContext = LadderView & Pick<StepContext, 'notes'>

/** The ladders of a strategy, in the order of its file. */
export function laddersOf(
  { state, notes }: StepContext,
  compiled: Compiled,
  whole: StrategyState,
): LadderContext[] {
  const views: LadderContext[] = []
  for (const ladder of compiled.ladders) {
    const own = whole.ladders[ladder.name]
    if (own) views.push({ state, notes, compiled, whole, ladder, own })
  }
  return views
}
