import { chmodSync, closeSync, openSync, renameSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { makeFolder } from '#src/core/disk/folder.ts'
import { systemCode } from '#src/core/errors/system-errors.ts'
import type { LogEnd } from '#src/core/log/hash-chain.ts'
import { beginningOf } from '#src/journal/record.ts'
import type { StoredState } from '#src/journal/rebuild.ts'
import { holdFolder } from './folder-lock.ts'
import { filesIn, journalPath, migrate, migrations } from './schema.ts'

/** The last record of the journal in a folder. */
export function lastOf(folder: string, account: string): LogEnd {
  using db = new DatabaseSync(journalPath(folder), { readOnly: true })
  const row = db
    .prepare(
      'SELECT seq, chain FROM events UNION ALL SELECT seq, chain FROM states ORDER BY seq DESC LIMIT 1',
    )
    .get()
  return row === undefined
    ? { seq: 0, link: beginningOf(account) }
    : { seq: Number(row['seq']), link: String(row['chain']) }
}

/** The link after a record of the journal in a folder; undefined if it has no such record, or has it no more. */
export function linkAfter(folder: string, seq: number): string | undefined {
  using db = new DatabaseSync(journalPath(folder), { readOnly: true })
  const row = db
    .prepare('SELECT chain FROM events WHERE seq = ? UNION ALL SELECT chain FROM states WHERE seq = ?')
    .get(seq, seq)
  return row === undefined ? undefined : String(row['chain'])
}

/** Moves a journal aside, which stays readable under the other name. */
export function setAside(folder: string, suffix: string): void {
  using lock = new DisposableStack()
  lock.use(holdFolder(folder))
  for (const path of filesIn(folder)) {
    if (path.endsWith('journal.lock')) continue
    try {
      renameSync(path, path.replace('journal.', `journal-${suffix}.`))
    } catch (error) {
      if (systemCode(error) !== 'ENOENT') throw error
    }
  }
}

/** Begins a journal with the stored state of another machine. The next start rebuilds the engine from it. */
export function seedJournal(folder: string, account: string, state: StoredState): void {
  makeFolder(folder)
  const path = journalPath(folder)
  closeSync(openSync(path, 'a', 0o600))
  chmodSync(path, 0o600)
  using db = new DatabaseSync(path)
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
  migrate(db, path, migrations)
  const { seq, engine, chain, hash, proof, state: text } = state
  db.exec('BEGIN IMMEDIATE')
  db.prepare('INSERT INTO meta (id, account, complete_from) VALUES (1, ?, ?)').run(account, seq + 1)
  db.prepare(
    `INSERT INTO states (seq, at, engine, chain, hash, proof, state)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
  ).run(seq, 0, engine, chain, hash, proof, text)
  db.exec('COMMIT')
}
