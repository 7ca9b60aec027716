import type { DatabaseSync, SQLOutputValue, StatementSync } from 'node:sqlite'
import { cutShort, damaged } from '#src/journal/journal-errors.ts'
import type { RebuildOptions, JournaledEngine } from '#src/journal/port.ts'
import {
  rebuild,
  type Rebuilt,
  type StoredJournal,
  type StoredRecord,
  type StoredState,
} from '#src/journal/rebuild.ts'

type Row = Record<string, SQLOutputValue>

/** Reads the records and states of a journal's tables. */
export class StoredRecords implements StoredJournal {
  readonly #db: DatabaseSync
  readonly #commands: StatementSync
  readonly #decisions: StatementSync

  constructor(db: DatabaseSync) {
    this.#db = db
    this.#commands = db.prepare('SELECT body FROM commands WHERE seq = ? ORDER BY n')
    this.#decisions = db.prepare('SELECT body FROM decisions WHERE seq = ? ORDER BY n')
  }

  *states(): Iterable<StoredState> {
    const rows = this.#db.prepare(
      'SELECT seq, engine, chain, hash, proof, state FROM states ORDER BY seq DESC',
    )
    for (const { seq, engine, chain, hash, proof, state } of rows.iterate()) {
      yield {
        seq: Number(seq),
        engine: String(engine),
        chain: String(chain),
        hash: String(hash),
        proof: String(proof),
        state: state === null ? null : String(state),
      }
    }
  }

  *records(after: number): Iterable<StoredRecord> {
    const rows = this.#db.prepare('SELECT seq, body, chain FROM events WHERE seq > ? ORDER BY seq')
    for (const row of rows.iterate(after)) yield this.#whole(row)
  }

  record(seq: number): StoredRecord {
    return this.#whole(this.#db.prepare('SELECT seq, body, chain FROM events WHERE seq = ?').get(seq))
  }

  #whole({ seq = null, body, chain }: Row = {}): StoredRecord {
    const [commands, decisions] = [this.#commands, this.#decisions].map((bodies) =>
      bodies.all(seq).map((row) => String(row['body'])),
    )
    return { seq, event: String(body), commands: commands ?? [], decisions: decisions ?? [], chain }
  }
}

/** Rebuilds the engine from these tables. `end` is a record that they must hold. */
export function rebuildFrom<M extends JournaledEngine>(
  db: DatabaseSync,
  end: number,
  options: RebuildOptions<M>,
): Rebuilt<M> {
  const rebuilt = rebuild(new StoredRecords(db), options)
  const { seq } = rebuilt.chain
  if (seq < end) throw cutShort(seq, end)
  for (const table of ['commands', 'decisions', 'states']) {
    const last = Number(db.prepare(`SELECT max(seq) AS last FROM ${table}`).get()?.['last'])
    if (last > seq) throw damaged(`the ${table} continue to record ${last}, and the events end with ${seq}`)
  }
  return rebuilt
}
