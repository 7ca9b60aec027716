import { createHash } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import { copyOf, partsOf, restOf, stateOf } from './snapshot.ts'
import type { ExchangeState } from '#src/exchange/state.ts'
import { damaged } from './store-database.ts'

/** In one commit, as much as leaves room for answers. */
const entriesForgottenAtOnce = 1000
const partsForgottenAtOnce = 4

/**
 * The newest snapshot on disk. Its parts have the number of the last change that is in it; a snapshot counts from the
 * commit with its rest on, which names this number and has the hash of all parts.
 */
export class Snapshots {
  readonly #db: DatabaseSync

  constructor(db: DatabaseSync) {
    this.#db = db
  }

  read(): { seq: number; chain: string; state: ExchangeState; bytes: number } | undefined {
    const row = this.#db.prepare('SELECT seq, state, chain, proof FROM snapshot').get()
    const seq = Number(row?.['seq'] ?? 0)
    // Of a snapshot that was not finished, or of the one before.
    this.#db.prepare('DELETE FROM snapshot_parts WHERE seq <> ?').run(seq)
    if (row === undefined) return undefined
    const chain = String(row['chain'])
    const proof = createHash('sha256').update(`${seq} ${chain}`)
    const rows = this.#db.prepare('SELECT part FROM snapshot_parts ORDER BY id').all()
    const parts: Uint8Array[] = []
    let bytes = 0
    for (const part of [...rows.map(({ part }) => part), row['state']]) {
      if (!(part instanceof Uint8Array)) continue
      parts.push(part)
      proof.update(part)
      bytes += part.length
    }
    const rest = parts.pop()
    if (rest === undefined || proof.digest('hex') !== row['proof'])
      throw damaged('the snapshot was changed after it was written')
    return { seq, chain, state: stateOf(rest, parts), bytes }
  }

  /**
   * Writes one, each step in a commit of its own, and returns how many bytes it has. The copy is made in the first step.
   * `seq` is above that of the last snapshot, which counts until the new one is complete.
   */
  *steps(seq: number, chain: string, state: ExchangeState): Generator<void, number> {
    const copy = copyOf(state)
    const proof = createHash('sha256').update(`${seq} ${chain}`)
    let bytes = 0
    const counted = (part: Uint8Array): Uint8Array => {
      proof.update(part)
      bytes += part.length
      return part
    }
    const add = this.#db.prepare('INSERT INTO snapshot_parts (seq, part) VALUES (?, ?)')
    for (const part of partsOf(copy)) {
      yield
      add.run(seq, counted(part))
    }
    yield
    const rest = counted(restOf(copy))
    this.#db
      .prepare(
        `INSERT INTO snapshot (id, seq, state, chain, proof) VALUES (1, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET
         seq = excluded.seq, state = excluded.state, chain = excluded.chain, proof = excluded.proof`,
      )
      .run(seq, rest, chain, proof.digest('hex'))
    // What came before is in the snapshot, with its hash.
    for (const [table, key, which, most] of [
      ['entries', 'seq', 'seq <= ?', entriesForgottenAtOnce],
      ['snapshot_parts', 'id', 'seq <> ?', partsForgottenAtOnce],
    ] as const) {
      const forget = this.#db.prepare(
        `DELETE FROM ${table} WHERE ${key} IN (SELECT ${key} FROM ${table} WHERE ${which} LIMIT ${most})`,
      )
      do yield
      while (forget.run(seq).changes > 0)
    }
    return bytes
  }
}
