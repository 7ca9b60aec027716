import type { Command, Submit } from '#src/engine/commands.ts'
import type { Answered, Event } from '#src/engine/events.ts'
import type { Explanation } from '#src/engine/explain/explanation.ts'
import type { State } from '#src/engine/state/state.ts'

/** The results of an engine step that the journal keeps. */
export type StepOutcome = {
  readonly commands: readonly Command[]
  readonly decisions: readonly Explanation[]
}

/** The engine as the journal uses it: a state, and a step that changes it in place. */
export type JournaledEngine = {
  readonly state: State
  step(event: Event): StepOutcome
  /** Applies a record of another engine version: its event and its commands, whatever this version would have decided. */
  recall(event: Event, commands: readonly Command[], version: string): void
}

/** What the driver needs of a journal. */
export type JournalWriter<Outcome> = {
  /** Adds a step that the engine has just made. */
  append(event: Event, outcome: Outcome): void
  /**
   * All appended steps are durable when this returns, or when its promise resolves. No command leaves before. The driver
   * makes one call at a time.
   */
  commit(): void | Promise<void>
  /** The engine failed within a step: its state is invalid, and nothing more is written. Committed steps stay. */
  abandon(error: unknown): void
}

/** Every event, decision and command of one bot, durable before a command leaves. */
export type Journal<M extends JournaledEngine> = JournalWriter<StepOutcome> & {
  /** The engine after the last record. Each later step of it must be appended. */
  readonly machine: M
  readonly recovery: Recovery
  /** Stores the whole state, from which any later version can continue. */
  close(): void | Promise<void>
}

export type RebuildOptions<M> = {
  /** Account and venue of the journal. A journal of another one is refused. */
  account: string
  /** Version of the engine. Only the version that wrote a record can repeat it. */
  engine: string
  begin: (state: State | null) => M
}

/** What the start of a journal has read. */
export type Recovery = {
  /** The record whose stored state it began with. */
  from: number
  /** Number of records repeated after that state. */
  redone: number
  /** The version of the engine that wrote those records, if it is another one: they are recalled, not repeated. */
  recalled: string | null
  /** Records whose stored states or hashes were damaged and skipped. */
  spoiled: number[]
}

/** A decision with the event that led to it. */
export type StoredExplanation = { seq: number; event: Event; decision: Explanation }

/** One request that sent an order: its command, the decision behind it, and the venue's answer. */
export type SentRequest = {
  seq: number
  event: Event
  command: Submit
  decided: StoredExplanation | null
  answer: Answered | null
}

/** Reads a journal, also while its bot runs. A record that was changed after it was written is refused. */
export interface History extends Disposable {
  /** The engine after the last record. */
  machine<M extends JournaledEngine>(engine: string, begin: (state: State | null) => M): M
  /** The last decision about a ladder. */
  decided(strategy: string, ladder: string): StoredExplanation | null
  /** All ladders with decisions, as STRATEGY.LADDER. */
  ladders(): string[]
  /** All requests that sent an order, the first one first. */
  sendings(orderId: string): SentRequest[]
}
