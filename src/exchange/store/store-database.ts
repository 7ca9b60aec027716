import { chmodSync, closeSync, openSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { makeFolder, sharedFolderProblem } from '#src/core/disk/folder.ts'
import { sqliteCode, sqliteCodes } from '#src/core/disk/sqlite-errors.ts'
import { BotError } from '#src/core/errors/bot-error.ts'

const format = 13
/** Snapshots of format 11 have no parts. Prices of format 12 are reverting walks. */
const formatsRead: ReadonlySet<number> = new Set([0, 11, 12, format])

/** Opens the tables of the store for this process alone. */
export function openDatabase(directory: string, path: string): DatabaseSync {
  const db = legible(path, undefined, () => {
    makeFolder(directory)
    const open = sharedFolderProblem(directory)
    if (open !== undefined) throw new BotError('FOLDER_EXPOSED', { seen: `${directory}: ${open}` })
    // Created for its owner alone, since it holds codes and keys; SQLite gives its other files the same mode.
    closeSync(openSync(path, 'a', 0o600))
    chmodSync(path, 0o600)
    return new DatabaseSync(path)
  })
  return legible(path, db, () => {
    // One process at a time: a second one would match orders against an outdated book.
    db.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
    db.exec(`
      CREATE TABLE IF NOT EXISTS beginning (
        id INTEGER PRIMARY KEY CHECK (id = 1), world BLOB NOT NULL, chain TEXT NOT NULL
      ) STRICT;
      CREATE TABLE IF NOT EXISTS entries (
        seq INTEGER PRIMARY KEY, entry TEXT NOT NULL, chain TEXT NOT NULL
      ) STRICT;
      CREATE TABLE IF NOT EXISTS snapshot (
        id INTEGER PRIMARY KEY CHECK (id = 1), seq INTEGER NOT NULL, state BLOB NOT NULL,
        chain TEXT NOT NULL, proof TEXT NOT NULL
      ) STRICT;
      CREATE TABLE IF NOT EXISTS snapshot_parts (
        id INTEGER PRIMARY KEY, seq INTEGER NOT NULL, part BLOB NOT NULL
      ) STRICT;
    `)
    const version = Number(db.prepare('PRAGMA user_version').get()?.['user_version'])
    if (!formatsRead.has(version)) {
      throw new BotError('DATA_FOREIGN', {
        seen: `${path} has format ${version}, this program writes ${format}`,
      })
    }
    db.exec(`PRAGMA user_version = ${format}`)
    return db
  })
}

/** Turns whatever goes wrong while the stored data are read into an error about the data. */
export function legible<Result>(path: string, db: DatabaseSync | undefined, read: () => Result): Result {
  try {
    return read()
  } catch (error) {
    db?.close()
    if (error instanceof BotError) throw error
    if (error instanceof Error && 'syscall' in error && 'code' in error) {
      const fix = 'Name a writable folder'
      throw new BotError('FILE_NOT_WRITTEN', { seen: `${path} (${String(error.code)})`, fix, cause: error })
    }
    if (sqliteCode(error) === sqliteCodes.busy) throw new BotError('DATA_BUSY', { seen: path, cause: error })
    const seen = error instanceof Error ? error.message : 'unknown'
    throw new BotError('DATA_FOREIGN', { seen: `${path}: ${seen}`, cause: error })
  }
}

export function damaged(seen: string): BotError {
  return new BotError('DATA_DAMAGED', { seen })
}
