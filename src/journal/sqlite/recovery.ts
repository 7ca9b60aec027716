import { hash } from 'node:crypto'
import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import type { Command } from '#src/engine/commands.ts'
import type { State } from '#src/engine/state/state.ts'
import { BotError } from '#src/core/errors/bot-error.ts'
import { beginningOf, bodiesOf, link, proofOf, type JournaledEngine } from './record.ts'
import { cutShort, damaged } from './journal-errors.ts'

/** What a start has read. */
export type Recovery = {
  /** The record from whose state it went on. */
  from: number
  /** How many records were done again on top of it. */
  redone: number
  /** The engine that had made them, where it was another version: what left is taken from the records then. */
  recalled: string | null
  /** States and hashes that were passed over, because they are not what was written. */
  spoiled: number[]
}

export type Rebuilt<M> = { machine: M; seq: number; chain: string; engine: string | null; recovery: Recovery }

type Mark = { seq: number; engine: string; chain: string; hash: string }
type Start = { seq: number; chain: string; engine: string | null; state: State | null }

/**
 * Loads the newest state and repeats every record after it: each must give the same commands as then. Records of another
 * version of the engine are recalled instead.
 */
export function rebuild<M extends JournaledEngine>(
  db: DatabaseSync,
  end: number,
  { account, engine, begin }: { account: string; engine: string; begin: (state: State | null) => M },
): Rebuilt<M> {
  const { start, proven, spoiled } = newestState(db, account)
  const machine = begin(start.state)
  const commands = bodiesBySeq(db, 'commands', start.seq)
  const decisions = bodiesBySeq(db, 'decisions', start.seq)
  const recalled = start.engine === engine ? null : start.engine
  let { seq, chain } = start
  const tail = db.prepare('SELECT seq, body, chain FROM events WHERE seq > ? ORDER BY seq')
  for (const row of tail.iterate(start.seq)) {
    seq += 1
    if (row['seq'] !== seq) throw damaged(`record ${seq} is missing`)
    const event = String(row['body'])
    const kept = { event, commands: commands.get(seq) ?? [], decisions: decisions.get(seq) ?? [] }
    if (link(chain, kept) !== row['chain']) throw damaged(`record ${seq} was changed after it was written`)
    chain = row['chain']
    if (recalled !== null) {
      machine.recall(
        JSON.parse(event),
        kept.commands.map((command): Command => JSON.parse(command)),
      )
      continue
    }
    const again = bodiesOf(event, machine.step(JSON.parse(event)))
    if (!same(again.commands, kept.commands) || !same(again.decisions, kept.decisions)) {
      throw otherwise(`the commands of record ${seq}`)
    }
    const mark = proven.get(seq)
    if (mark !== undefined && mark.hash !== hash('sha256', JSON.stringify(machine.state))) {
      throw otherwise(`the state after record ${seq}`)
    }
  }
  if (seq < end) throw cutShort(seq, end)
  for (const table of ['commands', 'decisions', 'states']) {
    const last = Number(db.prepare(`SELECT max(seq) AS last FROM ${table}`).get()?.['last'])
    if (last > seq) throw damaged(`the ${table} continue to record ${last}, and the events end with ${seq}`)
  }
  return {
    machine,
    seq,
    chain,
    engine: start.engine,
    recovery: {
      from: start.seq,
      redone: seq - start.seq,
      recalled: seq > start.seq ? recalled : null,
      spoiled,
    },
  }
}

/** The newest state that is what was written, with the newest hash after it. */
function newestState(
  db: DatabaseSync,
  account: string,
): { start: Start; proven: Map<number, Mark>; spoiled: number[] } {
  const rows = db.prepare('SELECT seq, engine, chain, hash, proof, state FROM states ORDER BY seq DESC')
  const proven = new Map<number, Mark>()
  const spoiled: number[] = []
  for (const row of rows.iterate()) {
    const mark = markIn(row)
    const { state } = row
    if (mark === undefined || (state !== null && hash('sha256', String(state)) !== mark.hash)) {
      spoiled.push(Number(row['seq']))
    } else if (state !== null) {
      return { start: { ...mark, state: JSON.parse(String(state)) }, proven, spoiled }
    } else if (proven.size === 0) proven.set(mark.seq, mark)
  }
  const start = { seq: 0, chain: beginningOf(account), engine: null, state: null }
  return { start, proven, spoiled }
}

function markIn(row: Record<string, SQLOutputValue>): Mark | undefined {
  const mark = {
    seq: Number(row['seq']),
    engine: String(row['engine']),
    chain: String(row['chain']),
    hash: String(row['hash']),
  }
  return proofOf(mark) === row['proof'] ? mark : undefined
}

function bodiesBySeq(
  db: DatabaseSync,
  table: 'commands' | 'decisions',
  after: number,
): Map<number, string[]> {
  const found = new Map<number, string[]>()
  for (const row of db
    .prepare(`SELECT seq, body FROM ${table} WHERE seq > ? ORDER BY seq, n`)
    .iterate(after)) {
    const seq = Number(row['seq'])
    const bodies = found.get(seq)
    if (bodies === undefined) found.set(seq, [String(row['body'])])
    else bodies.push(String(row['body']))
  }
  return found
}

function same(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && some.every((body, n) => body === others[n])
}

function otherwise(what: string): BotError {
  return new BotError('DATA_DAMAGED', {
    seen: `${what}: repeating the journal gives another result`,
    fix: 'If rungs was changed, start and stop the previous version once more; else check disk and memory',
  })
}
