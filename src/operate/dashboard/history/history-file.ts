import { chmodSync, closeSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
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

/** Another process has no reason to lock the file, so that a lock is no reason to wait long: the bot trades in this process. */
const lockMsMax = 50

export function openHistoryFile(path: string): DatabaseSync {
  makeFolder(dirname(path))
  closeSync(openSync(path, 'a', 0o600))
  chmodSync(path, 0o600)
  const db = new DatabaseSync(path, { timeout: lockMsMax })
  return withTables(db)
}

/** A history that lasts as long as the process. */
export function historyInMemory(): DatabaseSync {
  return withTables(new DatabaseSync(':memory:'))
}

function withTables(db: DatabaseSync): DatabaseSync {
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
