import { chmodSync, closeSync, openSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { makeFolder } from '#src/core/disk/folder.ts'

/**
 * `trades` has one row for each closing order, with the fills that it consists of. `lots` has when each open lot was opened.
 * `equity` has the last value of each step of time, for several lengths of a step.
 */
const tables = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  CREATE TABLE IF NOT EXISTS trades (
    id TEXT PRIMARY KEY, closed_at INTEGER NOT NULL, row TEXT NOT NULL, parts TEXT NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS trades_by_time ON trades (closed_at, id);
  CREATE TABLE IF NOT EXISTS lots (holding TEXT PRIMARY KEY, opened TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS equity (
    subject TEXT NOT NULL, step INTEGER NOT NULL, slot INTEGER NOT NULL, at INTEGER NOT NULL,
    equity TEXT NOT NULL, drawdown TEXT NOT NULL, PRIMARY KEY (subject, step, slot)
  ) STRICT, WITHOUT ROWID;`

/**
 * Opens the history that the dashboard shows. The bot trades without it: a damaged file is replaced by an empty one, and if the
 * folder is not writable, the history lasts as long as the process.
 */
export function openHistoryFile(folder: string, onBroken: (error: unknown) => void): DatabaseSync {
  const path = join(folder, 'dashboard.sqlite')
  try {
    return opened(folder, path)
  } catch (error) {
    onBroken(error)
  }
  try {
    for (const end of ['', '-wal', '-shm']) rmSync(path + end, { force: true })
    return opened(folder, path)
  } catch (error) {
    onBroken(error)
    const db = new DatabaseSync(':memory:')
    db.exec(tables)
    return db
  }
}

function opened(folder: string, path: string): DatabaseSync {
  makeFolder(folder)
  closeSync(openSync(path, 'a', 0o600))
  chmodSync(path, 0o600)
  const db = new DatabaseSync(path, { timeout: 1000 })
  try {
    db.exec(tables)
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/** One transaction for many writes. */
export function together(db: DatabaseSync, write: () => void): void {
  db.exec('BEGIN')
  try {
    write()
    db.exec('COMMIT')
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK')
    throw error
  }
}
