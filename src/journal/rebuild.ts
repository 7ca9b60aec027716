import { hash } from 'node:crypto'
import type { Command } from '#src/engine/commands.ts'
import type { Event } from '#src/engine/events.ts'
import type { Explanation } from '#src/engine/explain/explanation.ts'
import { BotError } from '#src/core/errors/bot-error.ts'
import { HashChain } from '#src/core/log/hash-chain.ts'
import { damaged } from './journal-errors.ts'
import type { JournaledEngine, RebuildOptions, Recovery, StepOutcome } from './port.ts'
import { beginningOf, bodiesOf, contentOf, journalChain, proofOf, type Bodies } from './record.ts'

export type StoredRecord = Bodies & { seq: unknown; chain: unknown }

/** The hash of the engine's state after a record. `state` is the state itself, which is stored less often. */
export type StoredState = {
  seq: number
  engine: string
  chain: string
  hash: string
  proof: string
  state: string | null
}

/** The state in a row of a table. */
export function storedState(row: Readonly<Record<string, unknown>>): StoredState {
  const text = (name: string) => String(row[name])
  return {
    seq: Number(row['seq']),
    engine: text('engine'),
    chain: text('chain'),
    hash: text('hash'),
    proof: text('proof'),
    state: row['state'] === null ? null : text('state'),
  }
}

/** A journal as a disk holds it. */
export type StoredJournal = {
  /** The newest state first. */
  states(): Iterable<StoredState>
  /** All records after this one, in their order. */
  records(after: number): Iterable<StoredRecord>
}

export type Rebuilt<M> = { machine: M; chain: HashChain; engine: string | null; recovery: Recovery }

/**
 * Loads the newest state and repeats every record after it; each must lead to the stored commands and decisions. Records of
 * another engine version are recalled instead.
 */
export function rebuild<M extends JournaledEngine>(
  stored: StoredJournal,
  { account, engine, begin }: RebuildOptions<M>,
): Rebuilt<M> {
  const { start, hashes, spoiled } = newestState(stored)
  const machine = begin(start === undefined ? null : JSON.parse(start.state))
  const [from, writer] = [start?.seq ?? 0, start?.engine ?? null]
  const chain = new HashChain(journalChain, { seq: from, link: start?.chain ?? beginningOf(account) })
  const recalled = writer === engine ? null : writer
  for (const record of stored.records(from)) {
    const wrong = chain.verify({ seq: record.seq, link: record.chain }, contentOf(record))
    if (wrong !== undefined) throw damaged(`record ${wrong}`)
    const [, outcome] = repeated(machine, record, recalled)
    if (recalled !== null) continue
    if (contentOf(bodiesOf(record.event, outcome)) !== contentOf(record))
      throw otherwise(`the commands of record ${chain.seq}`)
    const proven = hashes.get(chain.seq)
    if (proven !== undefined && proven !== hash('sha256', JSON.stringify(machine.state)))
      throw otherwise(`the state after record ${chain.seq}`)
  }
  const redone = chain.seq - from
  const recovery = { from, redone, recalled: redone > 0 ? recalled : null, spoiled }
  return { machine, chain, engine: writer, recovery }
}

/** Repeats a record, or recalls one of another engine version. Returns its event, and its commands and decisions. */
export function repeated(
  machine: JournaledEngine,
  record: Bodies,
  recalled: string | null,
): [Event, StepOutcome] {
  const event: Event = JSON.parse(record.event)
  if (recalled === null) return [event, machine.step(event)]
  const commands = record.commands.map((command): Command => JSON.parse(command))
  machine.recall(event, commands, recalled)
  return [event, { commands, decisions: record.decisions.map((text): Explanation => JSON.parse(text)) }]
}

/** The newest undamaged state, with the newest hash after it. */
function newestState(stored: StoredJournal) {
  const hashes = new Map<number, string>()
  const spoiled: number[] = []
  for (const row of stored.states()) {
    const { state } = row
    const isSpoiled = proofOf(row) !== row.proof || (state !== null && hash('sha256', state) !== row.hash)
    if (isSpoiled) spoiled.push(row.seq)
    else if (state !== null) return { start: { ...row, state }, hashes, spoiled }
    else if (hashes.size === 0) hashes.set(row.seq, row.hash)
  }
  return { start: undefined, hashes, spoiled }
}

function otherwise(what: string): BotError {
  return new BotError('DATA_DAMAGED', {
    seen: `${what}: repeating the journal gives another result`,
    fix: 'If rungs was changed, start and stop the previous version once more; else check disk and memory',
  })
}
