import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import { cutShort, damaged } from '#src/journal/journal-errors.ts'
import type { RebuildOptions, JournaledEngine } from '#src/journal/port.ts'
import {
  rebuild,
  storedState,
  type Rebuilt,
  type StoredJournal,
  type StoredRecord,
  type StoredState,
} from '#src/journal/rebuild.ts'

type Row = Record<string, SQLOutputValue>

/** Reads the records and states of a journal's tables. */
export class StoredRecords implements StoredJournal {
  readonly #db: DatabaseSync

  constructor(db: DatabaseSync) {
    this.#db = db
  }

  *states(): Iterable<StoredState> {
    const rows = this.#db.prepare(
      'SELECT seq, engine, chain, hash, proof, state FROM states ORDER BY seq DESC',
    )
    for (const row of rows.iterate()) yield storedState(row)
  }

  *records(after: number, last = Number.MAX_SAFE_INTEGER): Iterable<StoredRecord> {
    const range = 'WHERE seq > ? AND seq <= ? ORDER BY seq'
    const events = this.#db.prepare(`SELECT seq, body, chain FROM events ${range}`)
    const [commands, decisions] = ['commands', 'decisions'].map((table) =>
      bodiesOf(this.#db.prepare(`SELECT seq, body FROM ${table} ${range}, n`).iterate(after, last)),
    )
    for (const { seq = null, body, chain } of events.iterate(after, last)) {
      yield { seq, event: String(body), commands: commands!(seq), decisions: decisions!(seq), chain }
    }
  }

  record(seq: number): StoredRecord {
    const [record] = this.records(seq - 1, seq)
    return record ?? { seq: null, event: '', commands: [], decisions: [], chain: undefined }
  }
}

/** Reads the bodies of records in one pass through their table, as long as they are asked for in the order of the records. */
function bodiesOf(rows: Iterator<Row>): (seq: SQLOutputValue) => string[] {
  let next = rows.next()
  return (seq) => {
    const bodies: string[] = []
    for (; next.done !== true && Number(next.value['seq']) <= Number(seq); next = rows.next())
      if (next.value['seq'] === seq) bodies.push(String(next.value['body']))
    return bodies
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
