import { hash } from 'node:crypto'
import type { Command } from '#src/engine/commands.ts'
import type { Explanation } from '#src/engine/explain/explanation.ts'
import type { Event } from '#src/engine/events.ts'
import type { State } from '#src/engine/state/state.ts'

/** What a step of the engine came to, as far as it is kept. Notes go to the log. */
export type StepOutcome = {
  readonly commands: readonly Command[]
  readonly decisions: readonly Explanation[]
}

/** The engine, as far as the journal knows it: a state, and a step that changes it in place. */
export type JournaledEngine = {
  readonly state: State
  step(event: Event): StepOutcome
  /** A record of another version: what happened and what left is taken from it, whatever this one would have done. */
  recall(event: Event, commands: readonly Command[]): void
}

/** A record as JSON: an event, and what came of it. */
export type Bodies = { event: string; commands: readonly string[]; decisions: readonly string[] }

export function bodiesOf(event: string, { commands, decisions }: StepOutcome): Bodies {
  return {
    event,
    commands: commands.map((command) => JSON.stringify(command)),
    decisions: decisions.map((decision) => JSON.stringify(decision)),
  }
}

/** The hash of this record and, through the chain before, of everything that it follows. */
export function link(before: string, { event, commands, decisions }: Bodies): string {
  if (commands.length === 0 && decisions.length === 0) return hash('sha256', `${before}\n${event}`)
  return hash('sha256', [before, event, ...commands, '', ...decisions].join('\n'))
}

/** Where the chain begins: with the account. */
export function beginningOf(account: string): string {
  return hash('sha256', account)
}

/** A row of `states` vouches for itself, since it stands beside the chain. */
export function proofOf(row: { seq: number; engine: string; chain: string; hash: string }): string {
  return hash('sha256', [row.seq, row.engine, row.chain, row.hash].join('\n'))
}
