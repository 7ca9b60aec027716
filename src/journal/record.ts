import { hash } from 'node:crypto'
import type { ChainFormat } from '#src/core/log/hash-chain.ts'
import type { StepOutcome } from './port.ts'

/** A record as JSON: an event, and the commands and decisions that it led to. */
export type Bodies = { event: string; commands: readonly string[]; decisions: readonly string[] }

export const journalChain: ChainFormat = { joint: '\n', digits: 64 }

export function bodiesOf(event: string, { commands, decisions }: StepOutcome): Bodies {
  return {
    event,
    commands: commands.map((command) => JSON.stringify(command)),
    decisions: decisions.map((decision) => JSON.stringify(decision)),
  }
}

/** What the link of a record is computed of. */
export function contentOf({ event, commands, decisions }: Bodies): string {
  if (commands.length === 0 && decisions.length === 0) return event
  return [event, ...commands, '', ...decisions].join('\n')
}

/** The link before the first record. */
export function beginningOf(account: string): string {
  return hash('sha256', account)
}

/** A stored state is not part of the chain and has a hash of its own. */
export function proofOf(row: { seq: number; engine: string; chain: string; hash: string }): string {
  return hash('sha256', [row.seq, row.engine, row.chain, row.hash].join('\n'))
}
